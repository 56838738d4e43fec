import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/**
 * Returns which part's turn it is at a commit, from 0 to `count - 1`. The result is always the same for the same
 * commit.
 */
export function turnAt(commit: string, count: number): number {
  return Number.parseInt(commit.slice(0, 8), 16) % count;
}

/** The commit, and the files changed by it and by the commits before it. Unknown values are `null`. */
export interface UnderTest {
  commit: string | null;
  changed: readonly string[] | null;
}

/**
 * Returns one of `parts` parts, selected by the commit, and everything that covers a changed file. `coversOf` returns
 * files and folders. If the commit or the changed files are unknown, returns everything.
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

/** Returns this tree's commit, or `null` without Git. */
export function currentCommit(): string | null {
  return git('rev-parse', 'HEAD');
}

/**
 * Returns the files changed by the commits under test, including uncommitted changes. These are the commits since this
 * branch diverged from the remote's main branch. If there is no such branch, they are the commits since the first
 * parent of the last commit. Returns `null` if that is unknown: without Git, or in a shallow clone.
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
