// Memory over many checks, all the hostile targets among them at once, in a heap of 256 MB.
// Usage: node bench/checkers-memory.mjs [--checks N] [--concurrency N] [--dist DIR]
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HEAP = '--max-old-space-size=256';
const root = fileURLToPath(new URL('..', import.meta.url));
if (!process.execArgv.includes(HEAP)) {
  const self = [HEAP, '--expose-gc', fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  process.exit(spawnSync(process.execPath, self, { stdio: 'inherit' }).status ?? 1);
}

const { values } = parseArgs({
  options: {
    checks: { type: 'string', default: '200000' },
    concurrency: { type: 'string', default: '300' },
    dist: { type: 'string' },
  },
});
const CHECKS = Number(values.checks);
const SAMPLES = 20;
const TIMEOUT_MS = 300;
/** One check in eight meets a hostile target. */
const HOSTILE_EVERY = 8;

if (!values.dist) spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-needed'], { stdio: 'inherit' });
const load = createRequire(join(resolve(values.dist ?? join(root, 'dist')), 'bench.js'));
load('reflect-metadata');
const { Dialer } = load('./platform/net/dialer.js');
const { HostResolver } = load('./platform/net/host-resolver.js');
const { TrustedRoots } = load('./platform/net/trusted-roots.js');
const { startDeadline } = load('./checker/deadline.js');
const { HttpProbe } = load('./checker/http-probe.js');
const { HttpChecker } = load('./checker/http.checker.js');

const child = fork(fileURLToPath(new URL('checkers/hostile-targets.ts', import.meta.url)), {
  execArgv: ['-r', 'ts-node/register'],
  env: { ...process.env, TS_NODE_TRANSPILE_ONLY: '1', TS_NODE_PROJECT: join(root, 'tsconfig.spec.json') },
});
const [{ rootPem, hostile, ordinary }] = await once(child, 'message');
const checker = new HttpChecker(new HttpProbe(new Dialer(new HostResolver(), new TrustedRoots([rootPem]))));
const wantsBody = [{ source: 'body', comparison: 'contains', target: 'nothing like it' }];

const codes = new Map();
let started = 0;
const samples = [];

async function check(number) {
  const isHostile = number % HOSTILE_EVERY === 0;
  const round = Math.floor(number / HOSTILE_EVERY);
  const url = isHostile ? hostile[round % hostile.length] : ordinary[number % ordinary.length];
  const deadline = startDeadline(isHostile ? TIMEOUT_MS : 10_000);
  const report = await checker.check(
    {
      target: checker.parseTarget(url),
      method: 'GET',
      headers: [],
      body: null,
      followRedirects: true,
      assertions: isHostile && round % 2 ? wantsBody : [],
      egress: { refusal: () => null },
    },
    deadline.signal,
  );
  deadline.clear();
  const code = report.error?.code ?? 'up';
  codes.set(code, (codes.get(code) ?? 0) + 1);
}

function sample() {
  globalThis.gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  samples.push({ rss: rss / 1e6, heap: heapUsed / 1e6 });
  const [rssMb, heapMb, externalMb] = [rss, heapUsed, external].map((bytes) => (bytes / 1e6).toFixed(0));
  console.log(`${String(started).padStart(8)} checks  rss ${rssMb} MB  heap ${heapMb} MB  external ${externalMb} MB`);
}

async function lane() {
  while (started < CHECKS) {
    started += 1;
    if (started % Math.ceil(CHECKS / SAMPLES) === 0) sample();
    await check(started);
  }
}

const begun = performance.now();
await Promise.all(Array.from({ length: Number(values.concurrency) }, lane));
sample();
child.disconnect();

// The first quarter fills caches and pools; after that nothing may grow.
const settled = samples.slice(Math.ceil(samples.length / 4));
const spread = (key) => Math.max(...settled.map((one) => one[key])) - Math.min(...settled.map((one) => one[key]));
console.log(`${CHECKS} checks in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
console.log(`outcomes: ${[...codes].map(([code, count]) => `${code} ${count}`).join(', ')}`);
console.log(`spread after the first quarter: rss ${spread('rss').toFixed(0)} MB, heap ${spread('heap').toFixed(0)} MB`);
console.log(spread('rss') <= 40 ? 'flat within ± 20 MB: held' : 'flat within ± 20 MB: MISSED');
