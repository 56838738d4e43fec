// npm run prove -- [--record] [words]: runs every proof for this tree in full, including those that CI runs only
// partially. It runs every lane on both databases, all attacks, longer chaos, 20,000 random requests, and 200,000
// checks. It takes an hour or two. Words select sections by name. It continues after a failure and finishes with a
// table. `--record` writes the table to docs/contributing/reliability.md.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';

const require = createRequire(import.meta.url);
require('./typescript.cjs');
const { countsIn, proofTable, recorded } = require('../test/harness/proof-record.ts');

const root = fileURLToPath(new URL('..', import.meta.url));
const DOCUMENT = join(root, 'docs/contributing/reliability.md');
const postgres = (command) => `node scripts/with-postgres.mjs ${command}`;

/**
 * Name, command, and environment of each section in the record of docs/contributing/reliability.md.
 * @type {[string, string, Record<string, string>?][]}
 */
const SECTIONS = [
  ['format', 'npm run --silent format:check'],
  ['lint', 'npm run --silent lint'],
  ['types', 'npm run --silent types'],
  ['fast lane, embedded', 'npm test'],
  ['fast lane, PostgreSQL', postgres('npm test')],
  ['slow lane, embedded', 'npm run --silent test:slow'],
  ['slow lane, PostgreSQL', postgres('npm run --silent test:slow')],
  ['20,000 random requests', 'npm run --silent test:slow -- --only http/fuzz', { FUZZ_REQUESTS: '20000' }],
  [
    '10,000 random requests of probes',
    'npm run --silent test:slow -- --only probe/protocol-fuzz',
    { FUZZ_REQUESTS: '10000' },
  ],
  [
    '60 of the worst shapes for each route',
    'npm run --silent test:slow -- --only http/worst-shapes',
    { WORST_SHAPES: '60' },
  ],
  [
    '1,000 random histories of incidents',
    'npm run --silent test:slow -- --only incident/incident-histories',
    { INCIDENT_HISTORIES: '1000' },
  ],
  ['kill -9 of incidents, embedded', 'npm run --silent test:faults -- incident-kill', { KILL_POINTS: 'all' }],
  [
    '10,000 endpoints fail at once',
    'npm run --silent test:slow -- --only incident/incident-races',
    { WEBSITES_FAILING: '100' },
  ],
  [
    'probes cut off for 20 minutes',
    'node scripts/test.mjs probe-processes --selectProjects faults',
    { PROBE_PARTITIONS: 'long' },
  ],
  [
    '20,000 requests with pauses behind four proxies',
    'npm run --silent test:slow -- --only http/idle-gaps',
    { IDLE_REQUESTS: '20000' },
  ],
  ['200,000 checks', 'node bench/checkers-memory.mjs'],
  ['faults', 'npm run --silent test:faults'],
  ['backups of every installed PostgreSQL', 'node scripts/postgres-versions.mjs'],
  ['package', 'npm run --silent test:package'],
  ['bounds, all attacks', 'npm run --silent test:bounds', { BOUNDS: 'all' }],
  ['chaos, 20 rounds on each database', 'npm run --silent test:chaos -- --rounds 20'],
  ['web', 'npm run --silent test:web'],
];
const NAMES = SECTIONS.map(([name]) => name);

const { values, positionals } = parseArgs({ options: { record: { type: 'boolean' } }, allowPositionals: true });
const wanted = SECTIONS.filter(([name]) => positionals.length === 0 || positionals.some((word) => name.includes(word)));
if (wanted.length === 0) {
  console.error(`usage: npm run prove -- [--record] [words of: ${NAMES.join('; ')}]`);
  process.exit(2);
}

const git = (...words) => spawnSync('git', words, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? '';
const isChanged = git('status', '--porcelain', '--', ':!docs/contributing/reliability.md') !== '';
const commit = `${git('rev-parse', '--short', 'HEAD') || 'without git'}${isChanged ? ' and changes' : ''}`;

/** The section that is running. It must exit when this process does. */
let running = null;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => {
    running?.kill(signal);
    process.exit(130);
  });

async function prove([section, command, env = {}]) {
  console.log(`\n=== ${section}: ${command}`);
  const began = performance.now();
  const [program, ...words] = command.split(' ');
  running = spawn(program, words, {
    cwd: root,
    env: { ...process.env, TEST_DATABASE_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const [from, to] of [
    [running.stdout, process.stdout],
    [running.stderr, process.stderr],
  ])
    from.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-10_000);
      to.write(chunk);
    });
  const closed = once(running, 'close');
  const [status] = await once(running, 'exit');
  // A process that the section leaves behind would hold its output open forever.
  await Promise.race([closed, delay(2000)]);
  const counts = countsIn(output);
  const isGreen = status === 0 && (counts?.failed ?? 0) === 0;
  const date = new Date().toISOString().slice(0, 10);
  return { section, isGreen, seconds: (performance.now() - began) / 1000, counts, commit, date };
}

const proofs = [];
for (const section of wanted) {
  proofs.push(await prove(section));
  if (!values.record) continue;
  // Written after each section, so that an interruption doesn't lose earlier results.
  const text = recorded(readFileSync(DOCUMENT, 'utf8'), NAMES, proofs);
  writeFileSync(DOCUMENT, await format(text, { ...(await resolveConfig(DOCUMENT)), parser: 'markdown' }));
}
const played = proofs.map(({ section }) => section);
console.log(`\n${await format(proofTable(played, proofs), { parser: 'markdown' })}`);
process.exit(proofs.every(({ isGreen }) => isGreen) ? 0 : 1);
