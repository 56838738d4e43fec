// Builds the service and its dashboard into dist, then dist/bundle, which is optional and makes the service start
// faster. `--if-needed` does nothing if dist was built from the same inputs. `--only sources` creates no bundle. The
// new dist is built next to the old one and swapped in, so a failed or interrupted build leaves the old one intact.
import '../src/start/node-version.cjs';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asOneTree, SOURCES } from './dist-layout.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const stamp = join(dist, '.built-from');
const bundleStamp = join(dist, 'bundle', '.built-from');
const helpStamp = join(dist, 'public/help/.built-from');
const INPUTS = [
  'src',
  'packages',
  'web',
  'docs/openapi.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'scripts/dist-layout.mjs',
  'scripts/make-template.mjs',
  'scripts/module-recorder.mjs',
];
/** The dashboard, followed by the API reference and the template of the help in folders inside it. */
const PAGES = { web: 'public', 'web/reference': 'public/docs', 'web/help': 'public/help' };
/** The help is written again without the rest if only these have changed. */
const HELP_INPUTS = ['docs', 'scripts/docs', 'CHANGELOG.md', 'SECURITY.md'];
const ASSET = /\.(cjs|br)$/;
const CLIENT = ['index.mjs', 'index.cjs', 'index.d.mts', 'index.d.cts'];
/** Files that are generated from the other inputs. */
const IGNORED = new Set(['node_modules', 'dist', 'schema.d.ts', ...CLIENT]);
const TEMPLATE = 'src/platform/database/embedded/embedded-template.tar.br';

const isFile = (path) => statSync(path).isFile();

function filesUnder(path) {
  if (!existsSync(path)) return [];
  if (isFile(path)) return [path];
  return readdirSync(path)
    .filter((name) => !IGNORED.has(name))
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
}

/** Returns a hash that changes when an input is added, removed, or written. */
function fingerprint(inputs) {
  const hash = createHash('sha256').update(process.version);
  for (const file of inputs.flatMap((input) => filesUnder(join(root, input)))) {
    if (file === join(root, TEMPLATE)) continue;
    const { size, mtimeMs } = statSync(file);
    // In milliseconds, because copies aren't more precise.
    hash.update(`${relative(root, file)} ${size} ${Math.round(mtimeMs)}\n`);
  }
  return hash.digest('hex');
}

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error(`${script} failed`);
}

/** The command line is compiled against the generated client. */
function generateClient(target) {
  const from = join(root, 'packages/client');
  const generator = [join(from, 'generate.mjs')];
  const { status } = spawnSync(process.execPath, generator, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error('the client was not generated');
  mkdirSync(target, { recursive: true });
  for (const name of CLIENT) cpSync(join(from, name), join(target, name));
}

/** Runs a script in parallel with the other steps, which leave a core free. Resolves with its exit code. */
function beside(script, ...target) {
  const args = [join(root, script), ...target];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  return once(child, 'exit').then(([code]) => code);
}

function copyAssets(target) {
  for (const sources of SOURCES) {
    for (const file of filesUnder(join(root, sources)).filter((name) => ASSET.test(name))) {
      const copy = join(target, relative(join(root, sources), file));
      mkdirSync(dirname(copy), { recursive: true });
      cpSync(file, copy);
    }
  }
}

async function build(inputs) {
  const aside = join(root, '.cache', `dist-new-${process.pid}`);
  const old = join(root, '.cache', `dist-old-${process.pid}`);
  let template = beside('scripts/make-template.mjs');
  try {
    generateClient(join(aside, 'client'));
    run('typescript/bin/tsc', '-p', 'tsconfig.json', '--outDir', aside, '--incremental', 'false');
    asOneTree(aside);
    if ((await template) !== 0) throw new Error('the empty embedded database was not created');
    copyAssets(aside);
    template = beside('scripts/make-template.mjs', aside);
    for (const [page, target] of Object.entries(PAGES))
      if (existsSync(join(root, page, 'index.html')))
        run('vite/bin/vite.js', 'build', page, '--outDir', join(aside, target), '--emptyOutDir', '--logLevel', 'error');
    if ((await template) !== 0) throw new Error('the template of the embedded database was not made');
    const help = join(aside, 'public/help');
    renameSync(join(help, 'index.html'), join(help, '.template'));
    writeHelp(help);
    writeFileSync(join(aside, '.built-from'), inputs);
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(aside, dist);
  } finally {
    // The template is written to a folder that is removed below.
    await template;
    rmSync(aside, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

/** Writes the help pages from docs and the sources into a folder with the built template. */
function writeHelp(folder) {
  const args = ['-r', './scripts/typescript.cjs', 'scripts/docs/build.mjs', '--out', folder];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('the help was not written');
  writeFileSync(join(folder, '.built-from'), helpInputs);
}

/** Replaces the pages of an existing dist, whose template is still fresh. */
function renewHelp() {
  const folder = join(dist, 'public/help');
  const aside = join(root, '.cache', `help-new-${process.pid}`);
  const old = join(root, '.cache', `help-old-${process.pid}`);
  try {
    for (const name of ['.template', 'assets']) cpSync(join(folder, name), join(aside, name), { recursive: true });
    writeHelp(aside);
    renameSync(folder, old);
    renameSync(aside, folder);
  } finally {
    rmSync(aside, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

/** Prints only a warning, because a program that can't be bundled on this machine still runs. */
function bundle(inputs) {
  const args = [join(root, 'scripts/bundle.mjs')];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status === 0) writeFileSync(bundleStamp, inputs);
  else console.error('There is no bundle: the service starts more slowly.');
}

const inputs = fingerprint(INPUTS);
const helpInputs = fingerprint(HELP_INPUTS);
const isIfNeeded = process.argv.includes('--if-needed');
const isFresh = (file, from = inputs) => isIfNeeded && existsSync(file) && readFileSync(file, 'utf8') === from;

/** Prints how long a step took to standard error, so that standard output contains only results. */
async function timed(title, work) {
  const started = performance.now();
  await work();
  console.error(`${title} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

try {
  if (!isFresh(stamp)) await timed('Built dist', () => build(inputs));
  else if (!isFresh(helpStamp, helpInputs)) await timed('Wrote the help', renewHelp);
  if (!process.argv.includes('sources') && !isFresh(bundleStamp)) await timed('Bundled it', () => bundle(inputs));
} catch (error) {
  console.error(`Build failed: ${error.message}`);
  process.exit(1);
}
