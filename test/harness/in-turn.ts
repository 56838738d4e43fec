import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** Whose turn it is of `count` at a commit: 0 to `count - 1`, the same for the same commit. */
export function turnAt(commit: string, count: number): number {
  return Number.parseInt(commit.slice(0, 8), 16) % count;
}

/** The commit, and the files that it and those before it changed; `null` for what is not known. */
export interface UnderTest {
  commit: string | null;
  changed: readonly string[] | null;
}

/**
 * One of `parts` parts of what can be played, which one the commit says, and what covers a changed file: `coversOf` gives files
 * and folders. All of it where either is not known.
 */
export function partOf<T>(
  all: readonly T[],
  parts: number,
  { commit, changed }: UnderTest,
  coversOf: (one: T) => readonly string[],
): T[] {
  if (commit === null || changed === null) return [...all];
  const turn = turnAt(commit, parts);
  const isChanged = (path: string) => changed.some((file) => file === path || file.startsWith(`${path}/`));
  return all.filter((one, index) => index % parts === turn || coversOf(one).some(isChanged));
}

/** The commit that this tree stands on; `null` without git. */
export function currentCommit(): string | null {
  return git('rev-parse', 'HEAD');
}

/**
 * Files that the commits under test changed, uncommitted changes included: since this branch left the remote's main one,
 * or without such a branch since the first parent of the last commit. `null` when that is not known: no git, or a shallow clone.
 */
export function changedFiles(): string[] | null {
  const left = git('merge-base', 'HEAD', 'origin/HEAD');
  const base = left === null || left === currentCommit() ? git('rev-parse', '--verify', 'HEAD^1') : left;
  const changed = base === null ? null : git('diff', '--name-only', base);
  return changed === null ? null : changed.split('\n').filter((path) => path !== '');
}

function git(...words: string[]): string | null {
  const { status, stdout } = spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
