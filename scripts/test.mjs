// Runs every suite (unit, contract, architecture, e2e), or what the arguments select; they go to jest as they are.
// Ends with how long it took and, as the last line, the counts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'uptime-test-'));
const countsFile = join(folder, 'counts.json');

/** Each worker may hold an embedded database: more than four would cost memory and win nothing. */
const workers = Math.min(4, availableParallelism());
const chosen = process.argv.slice(2);
const choosesWorkers = chosen.some((word) => /^(-i|--runInBand|-w|--maxWorkers)\b/.test(word));

function node(...args) {
  const env = { ...process.env, TEST_COUNTS_FILE: countsFile };
  return spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env }).status ?? 1;
}

/** What jest counted; when it did not come that far, one failure. */
function readCounts() {
  try {
    return JSON.parse(readFileSync(countsFile, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

const started = performance.now();
const built = node('scripts/build.mjs', '--if-needed');
const tested = node(
  'node_modules/jest/bin/jest.js',
  ...(choosesWorkers ? [] : [`--maxWorkers=${workers}`]),
  ...chosen,
  // Last, because the option takes all the words that follow it.
  '--reporters=default',
  '--reporters=<rootDir>/scripts/count-reporter.cjs',
);
const { passed, failed, skipped } = readCounts();
rmSync(folder, { recursive: true, force: true });

console.log(`Took ${((performance.now() - started) / 1000).toFixed(0)} s`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(built || tested || (failed > 0 ? 1 : 0));
