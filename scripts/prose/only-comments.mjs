// node scripts/prose/only-comments.mjs <commit> [<commit>]: proves that code files differ only in comments between a
// commit and a later one, or the working tree. Compares the output of TypeScript's printer for both, including types
// but without comments. Exits with code 1 and lists the files whose code differs.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const CODE = /\.(ts|tsx|mts|cts|mjs|cjs|js)$/;
const [before, after] = process.argv.slice(2);
if (!before) throw new Error('Name the commit to compare with: node scripts/prose/only-comments.mjs HEAD~1');

const git = (...words) => execFileSync('git', words, { encoding: 'utf8', maxBuffer: 2 ** 28 });
const printer = ts.createPrinter({ removeComments: true });
/** Returns a file's code in a normalized form, including types but without comments. */
const withoutComments = (text, fileName) =>
  printer.printFile(ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest));
const textAt = (commit, file) => {
  if (!commit) return existsSync(file) ? readFileSync(file, 'utf8') : '';
  return git('show', `${commit}:${file}`);
};

const changed = git('diff', '--name-only', '--no-renames', '--diff-filter=M', before, ...(after ? [after] : []), '--')
  .split('\n')
  .filter((file) => CODE.test(file));
const differing = changed.filter(
  (file) => withoutComments(textAt(before, file), file) !== withoutComments(textAt(after, file), file),
);
for (const file of differing) console.error(`${file}: the code differs`);
console.log(`${changed.length} files changed, ${differing.length} in more than comments`);
process.exitCode = differing.length === 0 ? 0 : 1;
