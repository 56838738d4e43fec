import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** One part of a recipe: a complete new file, or lines for an existing file. */
export interface RecipeBlock {
  path: string;
  kind: 'file' | 'lines';
  text: string;
  /** The file of docs/guides/extend/extending.md with the rest of the code. `text` then contains only the imports. */
  goesOnAs?: string;
}

/**
 * Returns the parts that a document adds to the tree, in reading order. These are `ts` and `tsx` blocks under a path
 * in bold, `**`src/…`**`, and `diff` blocks whose parts each start with `+++ path`. If a sentence before the path
 * starts with a link to a file of extending.md, the code after the imports comes from that file.
 */
export function recipeBlocks(markdown: string): RecipeBlock[] {
  const blocks =
    /^(?:(?:\[`([^`]+)`\]\((?:docs\/)?extending\.md#[^\n]+:\n\n)?\*\*`([^`]+)`\*\*\n\n```tsx?|```diff)\n([\s\S]*?)^```$/gm;
  return [...markdown.matchAll(blocks)].flatMap(([, goesOnAs, path, text = '']): RecipeBlock[] => {
    if (path !== undefined) return [{ path, kind: 'file', text, ...(goesOnAs !== undefined && { goesOnAs }) }];
    const parts = [...text.matchAll(/^\+\+\+ (.+)\n((?:(?!\+\+\+ ).*\n)+)/gm)];
    return parts.map(([, path = '', text = '']) => ({ path, kind: 'lines', text }));
  });
}

/** Returns the whole text of a recipe's file. The code after its imports may be in docs/guides/extend/extending.md. */
function wholeText({ text, goesOnAs }: RecipeBlock): string {
  if (goesOnAs === undefined) return text;
  const known = recipeBlocks(readFileSync(join(ROOT, 'docs/guides/extend/extending.md'), 'utf8'));
  const same = known.find(({ path }) => basename(path) === goesOnAs);
  if (!same) throw new Error(`docs/guides/extend/extending.md has no ${goesOnAs}`);
  return text + same.text.replace(/^import [^;]*;\n/gm, '');
}

/**
 * Inserts each `+` line after the context line before it, and removes each `-` line. Context and removed lines must
 * occur exactly once. Throws if they do not, because the recipe then no longer fits the code.
 */
export function withLines(source: string, diff: string): string {
  const lines = source.split('\n');
  let at = -1;
  for (const line of diff.split('\n').filter((line) => line !== '')) {
    const text = line.slice(1);
    if (line.startsWith('+')) lines.splice(++at, 0, text);
    else at = onlyIndexOf(lines, text);
    if (line.startsWith('-')) lines.splice(at--, 1);
  }
  return lines.join('\n');
}

function onlyIndexOf(lines: readonly string[], text: string): number {
  const found = lines.flatMap((line, index) => (line === text ? [index] : []));
  const [index] = found;
  if (index === undefined || found.length > 1) throw new Error(`"${text}" is there ${found.length} times, not once`);
  return index;
}

/** A copy of the project's sources with recipes applied, inside the project so that its packages are found. */
export interface RecipeTree {
  root: string;
  /** Paths of the new files, then of the changed ones. */
  added: string[];
  changed: string[];
  /** Loads a module of the copy, separate from the project's module with the same name. */
  load(path: string): unknown;
  remove(): void;
}

/**
 * Returns the same folder for every run, so that nothing is compiled twice, or another one while a running process
 * owns it.
 */
function freeFolder(): string {
  const usual = join(ROOT, '.cache', 'recipes');
  const owner = join(usual, 'owner');
  if (existsSync(owner) && isAnother(Number(readFileSync(owner, 'utf8')))) return `${usual}-${process.pid}`;
  rmSync(usual, { recursive: true, force: true });
  mkdirSync(usual, { recursive: true });
  writeFileSync(owner, String(process.pid));
  return usual;
}

function isAnother(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const COPIED = [
  'src',
  'packages',
  'test',
  'web',
  'tsconfig.json',
  'tsconfig.spec.json',
  'tsconfig.check.json',
  '.oxlintrc.json',
  'scripts/lint',
];

/** Synchronous, so that a spec can register the suites of the copy while it is loaded. */
export function plantRecipes(documents: readonly string[]): RecipeTree {
  const root = freeFolder();
  const blocks = documents.flatMap((document) => recipeBlocks(readFileSync(join(ROOT, document), 'utf8')));
  // The compiler needs the API types of the dashboard.
  execFileSync(process.execPath, [join(ROOT, 'web/api-schema.mjs')]);
  for (const path of COPIED) cpSync(join(ROOT, path), join(root, path), { recursive: true });
  // The version is read from it. A second package with the same name would confuse the test runner.
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  writeFileSync(join(root, 'package.json'), JSON.stringify({ version }));
  for (const block of blocks) {
    const { path, kind, text } = block;
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    if (kind === 'file') writeFileSync(target, wholeText(block), { flag: 'wx' });
    else writeFileSync(target, withLines(readFileSync(target, 'utf8'), text));
  }
  return {
    root,
    added: blocks.filter(({ kind }) => kind === 'file').map(({ path }) => path),
    changed: blocks.filter(({ kind }) => kind === 'lines').map(({ path }) => path),
    load: (path) => require(join(root, path)) as unknown,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
