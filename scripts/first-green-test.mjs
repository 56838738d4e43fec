// Measures how long docs/guides/extend/extending.md takes a newcomer. Runs the page's steps in an empty folder, up to the first green
// test, and prints how many seconds each step took and the total. Reading and typing take no time here, and the service
// is built beforehand, as `npm start` in the checkout would have done. `--in <folder>` uses that folder and keeps it.
// Requires the package registry or npm's cache.
import '../src/start/node-version.cjs';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
require('./typescript.cjs');
// The package specs import the test kit from its former folder (jest.config.js).
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = (name, ...rest) =>
  resolveFilename(name.replace('/src/testing/', '/packages/testing/'), ...rest);
const { stepsOf, prints } = require('../test/package/page.ts');
const { Reader } = require('../test/package/walk.ts');

const [, option, given] = process.argv.slice(1);
const folder = option === '--in' ? given : mkdtempSync(join(tmpdir(), 'uptime-first-test-'));

/** Returns the steps up to the first commands that run tests. */
function firstSteps() {
  const steps = stepsOf(readFileSync(join(root, 'docs/guides/extend/extending.md'), 'utf8'));
  const last = steps.findIndex(({ kind, lines }) => kind === 'commands' && lines.includes('npm test'));
  return steps.slice(0, last + 1);
}

/** Returns how many milliseconds the step took. Each command line is measured separately. */
async function carryOut(reader, step) {
  if (step.kind === 'file') return timed(() => reader.carryOut(step));
  let total = 0;
  let printed = '';
  for (const lines of step.lines.trimEnd().split('\n')) {
    total += await timed(async () => {
      const { code, output } = await reader.carryOut({ ...step, lines });
      if (code !== 0) throw new Error(`${lines}\n${output}`);
      printed += output;
    }, lines);
  }
  if (!prints(printed, step.shown ?? '…')) throw new Error(`${step.lines}${printed}`);
  return total;
}

async function timed(work, title) {
  const since = performance.now();
  await work();
  const took = performance.now() - since;
  if (title !== undefined) tell(took, title);
  return took;
}

const tell = (ms, title) => console.log(`${(ms / 1000).toFixed(1).padStart(6)} s  ${title}`);

try {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-needed'], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the service could not be built');
  const reader = await Reader.in(folder, root);
  let total = 0;
  for (const step of firstSteps()) total += await carryOut(reader, step);
  tell(total, 'from the empty folder to the first green test');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  if (option !== '--in') rmSync(folder, { recursive: true, force: true });
}
