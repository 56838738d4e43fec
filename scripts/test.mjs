// Runs every suite (unit, contract, architecture, e2e), or what the arguments select; they go to jest as they are.
// Ends with how long it took and, as the last line, the counts.
//
// TEST_AGAIN=1, for machines that are shared with others: up to three files that failed run once more, alone. What fails
// again fails the run. What passes is named as unsteady in the end: that is a bug too, of the test or of the service.
import '../src/start/node-version.cjs';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
// As a whole: an old Node would look for the newer names in it before it is told that it is too old.
import os from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(os.tmpdir(), 'uptime-test-'));
const countsFile = join(folder, 'counts.json');

/**
 * One more than there are cores, because a third of the time the specs wait (for limits, restarts, servers). Each worker may
 * hold an embedded database: more than four would cost memory and win nothing.
 */
const workers = Math.min(4, os.availableParallelism() + 1);
/** More failures than this are no bad luck. */
const MAX_AGAIN = 3;
const chosen = process.argv.slice(2);
const choosesWorkers = chosen.some((word) => /^(-i|--runInBand|-w|--maxWorkers)\b/.test(word));

function node(...args) {
  const env = { ...process.env, TEST_COUNTS_FILE: countsFile };
  return spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env }).status ?? 1;
}

/** Jest's exit status and what it counted; when it did not come that far, one failure. */
function jest(...args) {
  rmSync(countsFile, { force: true });
  const status = node(
    'node_modules/jest/bin/jest.js',
    ...args,
    // Last, because the option takes all the words that follow it.
    '--reporters=default',
    '--reporters=<rootDir>/scripts/count-reporter.cjs',
  );
  try {
    return { status, ...JSON.parse(readFileSync(countsFile, 'utf8')) };
  } catch {
    return { status: status || 1, passed: 0, failed: 1, skipped: 0, failedFiles: [] };
  }
}

/** The first run with the files that failed in it replaced by what they came to alone. */
function again(first) {
  const paths = first.failedFiles.map(({ path }) => path);
  console.log(`\nOnce more, alone: ${paths.map((path) => relative(root, path)).join(', ')}`);
  const second = jest('--runInBand', '--runTestsByPath', ...paths);
  const total = (name) => first[name] - first.failedFiles.reduce((sum, file) => sum + file[name], 0) + second[name];
  const repeated = new Set(second.failedFiles.flatMap(({ failures }) => failures));
  for (const { path, failures } of first.failedFiles) {
    for (const name of failures.filter((failure) => !repeated.has(failure)))
      console.log(`Unsteady: ${relative(root, path)} › ${name}`);
  }
  return { status: second.status, passed: total('passed'), failed: total('failed'), skipped: total('skipped') };
}

const started = performance.now();
const built = node('scripts/build.mjs', '--if-needed');
let result = jest(...(choosesWorkers ? [] : [`--maxWorkers=${workers}`]), ...chosen);
const { length } = result.failedFiles;
if (process.env.TEST_AGAIN === '1' && length > 0 && length <= MAX_AGAIN) result = again(result);
rmSync(folder, { recursive: true, force: true });

console.log(`Took ${((performance.now() - started) / 1000).toFixed(0)} s`);
console.log(`${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped`);
process.exit(built || result.status || (result.failed > 0 ? 1 : 0));
