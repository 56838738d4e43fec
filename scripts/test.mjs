// npm test: runs the fast lane, in a random order. `npm run test:slow`: runs the slow lane. Other words select specs as
// in Jest. Prints the duration and, as the last line, the counts.
//
//   --lane fast|slow|timed|slow,timed   the specs to run (see scripts/jest/lanes.cjs)
//   --databases both|embedded|both,embedded   only the lane's specs with this value in their first comment
//   --only <word>   only specs with the word in their path
//   --in-turn <number>   one of this many parts, selected by the commit, and the specs that its changes affect
//   --seed <number>, --groups <number>   the order of an earlier run, as printed by that run
//   --times <number>   the maximum number of different orders to run, until one fails
//   --write-budget   writes this run's costs to scripts/jest/budget.json
//
// TEST_AGAIN=1, for shared machines: up to three failed specs are run again, alone. If they fail again, the run fails.
// If they pass, they are listed as flaky, which is also a bug in the test or in the service.
// TEST_LEFT=<file>: the failed specs are written to the file. If it exists, only those specs run, and the others are
// counted as in the earlier run.
import '../src/start/node-version.cjs';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
// Imported as a whole. With named imports, an old Node version would fail on newer names before the version check can
// report it.
import os from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const { allSpecs, dealt, shuffled } = require('./jest/lanes.cjs');
const { overrunOf, readBudget, unitSeconds, writeBudget } = require('./jest/budget.cjs');

const cores = os.availableParallelism();
/**
 * The specs spend a third of their time waiting for limits, restarts, and servers. Each worker may have an embedded
 * database.
 */
const WORKERS = { fast: Math.min(6, cores + 2), slow: Math.min(6, cores + 3), timed: 2 };
/** If more specs than this fail, it isn't bad luck. */
const MAX_AGAIN = 3;
/**
 * The number of groups per worker. With more groups, the workers finish at about the same time, but each group starts
 * its own services.
 */
const GROUPS_PER_WORKER = 2;
/** A spec that uses no CPU still waits, so this is the minimum weight. */
const LEAST_WEIGHT = 0.3;
/** The unit specs' time in the most recent run of the fast lane, which is the unit for the other lanes. */
const UNIT_FILE = join(root, '.cache/unit-seconds.json');

const folder = mkdtempSync(join(os.tmpdir(), 'uptime-test-'));
const countsFile = join(folder, 'counts.json');
const costsFile = join(folder, 'costs.jsonl');
const groupsFolder = join(root, '.cache/groups', `${process.pid}`);

const { options, words } = readArguments(process.argv.slice(2));

const leftFile = process.env.TEST_LEFT ?? '';
/** The result of an earlier run: `files`, and the counts of all others. */
const left = existsSync(leftFile) ? JSON.parse(readFileSync(leftFile, 'utf8')) : null;

/** Writes nothing after a run that stopped without listing its failures, so that everything is run again. */
function writeLeft({ specs, broken, passed, skipped }) {
  const failed = specs.filter(({ failures }) => failures.length > 0);
  const files = [...failed.map(({ file }) => file), ...broken];
  if (leftFile === '' || files.length === 0 || !files.every((file) => existsSync(join(root, file)))) return;
  const others = (name, total) => total - failed.reduce((sum, spec) => sum + spec[name], 0);
  writeFileSync(
    leftFile,
    JSON.stringify({ files, passed: others('passed', passed), skipped: others('skipped', skipped) }),
  );
}

function readArguments(given) {
  const known = {
    lane: null,
    databases: null,
    only: null,
    'in-turn': null,
    seed: null,
    groups: null,
    times: '1',
    'write-budget': false,
  };
  const rest = [];
  for (let at = 0; at < given.length; at++) {
    const name = given[at].startsWith('--') ? given[at].slice(2) : '';
    if (!Object.hasOwn(known, name)) rest.push(given[at]);
    else known[name] = known[name] === false ? true : given[++at];
  }
  return { options: known, words: rest };
}

function inTurn(specs) {
  if (options['in-turn'] === null || left !== null) return specs;
  require('./typescript.cjs');
  const { changedFiles, currentCommit, partOf } = require('../test/harness/in-turn.ts');
  const underTest = { commit: currentCommit(), changed: changedFiles() };
  const part = partOf(specs, Number(options['in-turn']), underTest, ({ file }) => [file]);
  console.log(`In turn: ${part.length} of ${specs.length} specs. All of them: npm run prove`);
  return part;
}

function node(args, more = {}) {
  const env = { ...process.env, TEST_COUNTS_FILE: countsFile, TEST_CPU_FILE: costsFile, ...more };
  return spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env }).status ?? 1;
}

/** Returns Jest's exit status and counts. If Jest didn't get that far, counts one failure. */
function jest(args, env) {
  rmSync(countsFile, { force: true });
  const status = node(
    ['node_modules/jest/bin/jest.js', ...args, '--reporters=<rootDir>/scripts/jest/spec-reporter.cjs'],
    env,
  );
  try {
    return { status, ...JSON.parse(readFileSync(countsFile, 'utf8')) };
  } catch {
    return { status: status || 1, passed: 0, failed: 1, skipped: 0, specs: [], broken: ['jest'] };
  }
}

const sum = (runs) => ({
  status: runs.find(({ status }) => status !== 0)?.status ?? 0,
  passed: runs.reduce((total, { passed }) => total + passed, 0),
  failed: runs.reduce((total, { failed }) => total + failed, 0),
  skipped: runs.reduce((total, { skipped }) => total + skipped, 0),
  specs: runs.flatMap(({ specs }) => specs),
  broken: runs.flatMap(({ broken }) => broken),
});

/**
 * Groups the specs into files that each require many specs, so that few processes load the service. Specs that use
 * services and other specs are in separate groups. Each spec with `@alone` is in its own group.
 */
function inGroups(specs, seed, lane, count) {
  const { specs: costs } = readBudget();
  const weightOf = (file) => (costs[file] ?? 0) + LEAST_WEIGHT;
  const isServing = ({ project }) => project === 'e2e' || project === 'integration';
  const order = shuffled(specs, seed);
  const together = order.filter(({ alone }) => !alone);
  const kinds = [together.filter(isServing), together.filter((spec) => !isServing(spec))].map((some) =>
    some.map(({ file }) => file),
  );
  const total = together.reduce((all, { file }) => all + weightOf(file), 0);
  const groups = kinds.flatMap((files) => {
    const share = files.reduce((all, file) => all + weightOf(file), 0) / total;
    return dealt(files, Math.max(1, Math.round(count * share)), weightOf);
  });
  groups.push(...order.filter(({ alone }) => alone).map(({ file }) => [file]));
  rmSync(groupsFolder, { recursive: true, force: true });
  mkdirSync(groupsFolder, { recursive: true });
  const harness = JSON.stringify(join(root, 'test/harness/group.ts'));
  const written = groups.filter((files) => files.length > 0);
  written.forEach((files, index) => {
    const text = `'use strict';\nrequire(${harness}).describeFiles(${JSON.stringify(files, null, 1)});\n`;
    writeFileSync(join(groupsFolder, `${String(index + 1).padStart(2, '0')}.group.cjs`), text);
  });
  try {
    const result = jest([`--maxWorkers=${Math.min(WORKERS[lane], written.length)}`], { TEST_GROUPS: groupsFolder });
    const ran = new Set(result.specs.map(({ file }) => file));
    // If a group's process crashed, nothing is reported about its specs.
    const lost = specs.map(({ file }) => file).filter((file) => !ran.has(file));
    return { ...result, broken: [...result.broken.filter((file) => !file.includes('.cache/groups')), ...lost] };
  } finally {
    rmSync(groupsFolder, { recursive: true, force: true });
  }
}

const runFiles = (specs, workers) =>
  specs.length === 0
    ? sum([])
    : jest([`--maxWorkers=${workers}`, '--runTestsByPath', ...specs.map(({ file }) => file)]);

/** Returns the files that Jest would run for these words. */
function filesOf(words) {
  const args = ['node_modules/jest/bin/jest.js', '--listTests', '--json', ...words];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return JSON.parse(stdout)
    .map((file) => ({ file: relative(root, file) }))
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** Replaces the results of specs that failed in the first run with their results when run alone. */
function again(first, failed) {
  console.log(`\nOnce more, alone: ${failed.map(({ file }) => file).join(', ')}`);
  const second = jest(['--runInBand', '--runTestsByPath', ...failed.map(({ file }) => file)]);
  const total = (name) => first[name] - failed.reduce((all, spec) => all + spec[name], 0) + second[name];
  const repeated = new Set(second.specs.flatMap(({ failures }) => failures));
  for (const { file, failures } of failed)
    for (const name of failures.filter((failure) => !repeated.has(failure))) console.log(`Unsteady: ${file} › ${name}`);
  return { ...second, passed: total('passed'), failed: total('failed'), skipped: total('skipped') };
}

function withSecondTry(result) {
  const failed = result.specs.filter(({ failures }) => failures.length > 0);
  const alone = failed.filter(({ file }) => existsSync(join(root, file)));
  const canRepeat = alone.length === failed.length && result.broken.length === 0;
  if (process.env.TEST_AGAIN !== '1' || failed.length === 0 || failed.length > MAX_AGAIN || !canRepeat) return result;
  return again(result, failed);
}

const readCosts = () =>
  existsSync(costsFile)
    ? readFileSync(costsFile, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];

function knownUnit() {
  try {
    return JSON.parse(readFileSync(UNIT_FILE, 'utf8')).seconds;
  } catch {
    return null;
  }
}

/** Prints the lane's cost. Returns whether it exceeds its budget. */
function isOverBudget(lane, specs, isWhole) {
  const costs = readCosts();
  const own = unitSeconds(costs, allSpecs());
  if (own !== null) {
    mkdirSync(join(root, '.cache'), { recursive: true });
    writeFileSync(UNIT_FILE, JSON.stringify({ seconds: own }));
  }
  const unit = own ?? knownUnit();
  const all = costs.reduce((total, { seconds }) => total + seconds, 0);
  const starts = costs.reduce((total, { starts: some }) => total + some, 0);
  console.log(
    `CPU ${all.toFixed(0)} s (unit specs: ${unit?.toFixed(0) ?? 'not measured'} s), ${starts} starts of a service`,
  );
  if (unit === null || !isWhole) return false;
  if (options['write-budget']) writeBudget({ lane, costs, unit, files: specs.map(({ file }) => file) });
  const overrun = overrunOf({ lane, costs, unit }, readBudget());
  if (overrun !== null) console.log(`Over budget: ${overrun}`);
  return overrun !== null;
}

function runLane(lanes) {
  const everything = allSpecs();
  const databases = options.databases?.split(',') ?? null;
  const isOnServer = Boolean(process.env.TEST_DATABASE_URL);
  const specs = inTurn(
    everything.filter(
      (spec) =>
        lanes.includes(spec.lane) &&
        (databases === null ? !(isOnServer && spec.databases === 'embedded') : databases.includes(spec.databases)) &&
        (options.only === null || spec.file.includes(options.only)) &&
        (left === null || left.files.includes(spec.file)),
    ),
  );
  const isWhole = [databases, options.only, options['in-turn'], left].every((limit) => limit === null);
  if (node(['scripts/jest/compile.mjs']) !== 0) return { ...sum([]), status: 1, failed: 1, isOver: false };
  // Only these lanes start processes of the built service.
  const needsBuild = specs.some(({ lane }) => lane !== 'fast');
  if (needsBuild && node(['scripts/build.mjs', '--if-needed']) !== 0)
    return { ...sum([]), status: 1, failed: 1, isOver: false };

  let result = sum([]);
  for (let time = 0; time < Number(options.times) && result.status === 0; time++) {
    rmSync(costsFile, { force: true });
    const runs = [];
    const seed = (options.seed === null ? Math.floor(Math.random() * 1e9) : Number(options.seed)) + time;
    for (const lane of ['fast', 'slow']) {
      const some = specs.filter((spec) => spec.lane === lane);
      if (some.length === 0) continue;
      const count = options.groups === null ? WORKERS[lane] * GROUPS_PER_WORKER : Number(options.groups);
      console.log(`${some.length} specs in an order of their own: --seed ${seed} --groups ${count}`);
      runs.push(inGroups(some, seed, lane, count));
    }
    runs.push(
      runFiles(
        specs.filter(({ lane }) => lane === 'timed'),
        WORKERS.timed,
      ),
    );
    result = sum(runs);
  }
  result = withSecondTry(result);
  writeLeft(result);
  for (const file of result.broken ?? []) console.log(`Did not run to its end: ${file}`);
  const isOver = isOverBudget(lanes.join(), specs, isWhole);
  if (lanes.join() === 'fast') sayWhatIsLeft(everything);
  return { ...result, isOver };
}

function sayWhatIsLeft(everything) {
  const count = (lane) => everything.filter((spec) => spec.lane === lane).length;
  console.log(`
Not proved here:
  ${count('slow') + count('timed')} specs that start processes, wait or measure time    npm run test:slow
  the same on PostgreSQL                                    node scripts/with-postgres.mjs npm run test:slow
  killed processes, frozen databases, full disks            npm run test:faults
  the dashboard in a browser                                npm run test:web
  the packed package                                        npm run test:package
  what one organization can do to another                   npm run test:bounds
  random commands and faults                                npm run test:chaos
  all of it                                                 npm run prove`);
}

const started = performance.now();
const lanes = options.lane?.split(',') ?? (words.length === 0 ? ['fast'] : null);
let result;
if (lanes !== null) result = runLane(lanes);
else {
  const choosesWorkers = words.some((word) => /^(-i|--runInBand|-w|--maxWorkers)\b/.test(word));
  const built = node(['scripts/build.mjs', '--if-needed']);
  const files = left?.files ?? (options['in-turn'] === null ? [] : inTurn(filesOf(words)).map(({ file }) => file));
  const paths = files.length === 0 ? [] : ['--runTestsByPath', ...files];
  result = withSecondTry(jest([...(choosesWorkers ? [] : [`--maxWorkers=${WORKERS.slow}`]), ...words, ...paths]));
  writeLeft(result);
  result.status ||= built;
}
rmSync(folder, { recursive: true, force: true });

console.log(`Took ${((performance.now() - started) / 1000).toFixed(0)} s`);
const [passed, skipped] = [result.passed + (left?.passed ?? 0), result.skipped + (left?.skipped ?? 0)];
console.log(`${passed} passed, ${result.failed} failed, ${skipped} skipped`);
process.exit(result.status || (result.failed > 0 || result.isOver || result.broken?.length > 0 ? 1 : 0));
