// `npm run exports` writes docs/exports: everything that the package exports, with all signatures. `--check` lists the
// differences from the committed files and exits with code 1 if there are any. `--declarations <folder>` keeps the
// declarations in that folder, or uses those already there.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { differences, rowDifferences } from './exports/compare.mjs';
import { exportPaths, makeDeclarations } from './exports/declarations.mjs';
import { importPath, reportedPath, reportsOf } from './exports/report.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'docs/exports');
const HINT = `A package of a team may rest on what is gone or changed. If it is meant: npm run exports, commit docs/exports, and
say in CHANGELOG.md what they have to do.`;

const { name, ...manifest } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Returns the text of each committed report and of the overview. */
const committed = () =>
  new Map(
    (existsSync(folder) ? readdirSync(folder) : []).map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  );

function overview() {
  const rows = [
    ...Object.entries(manifest.exports).map(([path, entry]) => [importPath(name, path), files(entry).join(', ')]),
    ...Object.entries(manifest.bin).map(([command, file]) => [`command ${command}`, `\`${file}\``]),
  ];
  return `# What the package exports

One report for each import path whose types are written here: all signatures, so that a change shows in a diff. Written by
\`npm run exports\`.

${table([['Path', 'Files'], ['---', '---'], ...rows])}`;
}

const files = (entry) => (typeof entry === 'string' ? [`\`${entry}\``] : Object.values(entry).flatMap(files));

function table(rows) {
  const width = (column) => Math.max(...rows.map((row) => row[column].length));
  const cell = (text, column) => (text === '---' ? '-'.repeat(width(column)) : text.padEnd(width(column)));
  return rows.map((row) => `| ${row.map(cell).join(' | ')} |\n`).join('');
}

async function current(declarations) {
  if (readdirSync(declarations).length === 0) makeDeclarations(root, declarations);
  const reports = await reportsOf(root, declarations, name, exportPaths(manifest));
  return new Map(Object.entries({ ...reports, 'README.md': overview() }));
}

function write(reports) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of reports) writeFileSync(join(folder, file), text);
  console.log('Wrote docs/exports');
}

function check(reports) {
  const before = committed();
  const lines = [...new Set([...before.keys(), ...reports.keys()])].flatMap((file) => {
    const texts = [before.get(file) ?? '', reports.get(file) ?? ''];
    return file === 'README.md' ? rowDifferences(...texts) : differences(reportedPath(name, file), ...texts);
  });
  if (lines.length === 0) return;
  console.error([...lines, HINT].join('\n'));
  process.exitCode = 1;
}

const { values } = parseArgs({ options: { check: { type: 'boolean' }, declarations: { type: 'string' } } });
mkdirSync(join(root, '.cache'), { recursive: true });
const declarations = values.declarations ? resolve(values.declarations) : mkdtempSync(join(root, '.cache/exports-'));
try {
  const reports = await current(declarations);
  if (values.check) check(reports);
  else write(reports);
} finally {
  if (!values.declarations) rmSync(declarations, { recursive: true, force: true });
}
