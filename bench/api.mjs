// npm run bench:api -- [--endpoints 1000] [--rate 200] [--seconds 10] [--warm 10] [--blocks]: measures how fast the API
// responds while checks run. An open loop sends `rate` requests per second to each route in turn, while 250 checks run
// per second. The service has its own PostgreSQL server. The result includes the server's CPU per request, minus the
// CPU that the checks alone used just before. Each route first gets `warm` seconds of requests that don't count. The
// lists of all endpoints get fewer requests, because each response is half a megabyte. With --blocks, the result also
// shows what blocked the event loop (see bench/api-blocks.cjs).
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuMs } from './processes.mjs';
import { quantiles } from './schedule-report.mjs';
import { seed } from './seed.mjs';
import { startPostgres, startService } from './service.mjs';

/** How long to measure the CPU used by the checks alone before each route. */
const IDLE_MS = 5000;

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    endpoints: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '10' },
    warm: { type: 'string', default: '10' },
    blocks: { type: 'boolean', default: false },
  },
});
const sites = Number(values.endpoints);
const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-needed'], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (built.status !== 0) process.exit(1);

const target = spawn(process.execPath, [join(root, 'bench/target.mjs'), '--sites', String(sites)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const postgres = await startPostgres();
let service = null;
const directory = mkdtempSync(join(tmpdir(), 'uptime-bench-'));
async function cleanUp() {
  target.kill('SIGTERM');
  await service?.stop();
  await postgres.remove();
  rmSync(directory, { recursive: true, force: true });
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void cleanUp().then(() => process.exit(130)));
try {
  const [port] = await once(target.stdout, 'data');
  if (values.blocks)
    process.env.BENCH_NODE_FLAGS =
      `${process.env.BENCH_NODE_FLAGS ?? ''} --require ${join(root, 'bench/api-blocks.cjs')}`.trim();
  service = await startService({ DATABASE_URL: postgres.url, BENCH_BLOCKS: join(directory, 'blocks') });
  const urlOf = (n) => `http://127.0.0.1:${String(port).trim()}/site/${n}`;
  await seed(postgres.url, {
    count: sites,
    interval: Math.max(1, Math.round(sites / 250)),
    timeout: 1,
    urlOf,
    rule: null,
  });
  await sleep(25_000);
  const [website] = await service.api('GET', '/websites');
  const [endpoint] = await service.api('GET', `/websites/${website.id}/endpoints?limit=1`);
  const routes = {
    'GET one endpoint': [`/endpoints/${endpoint.id}`, Number(values.rate)],
    'GET one website': [`/websites/${website.id}`, Number(values.rate)],
    'list 20 endpoints': [`/websites/${website.id}/endpoints?limit=20`, Number(values.rate)],
    'list websites': ['/websites', Number(values.rate)],
    'list alert events': ['/alerts/events', Number(values.rate)],
    'checks of one endpoint': [`/endpoints/${endpoint.id}/checks?limit=20`, Number(values.rate)],
    [`list ${sites} endpoints`]: [`/websites/${website.id}/endpoints`, 5],
    [`overview of ${sites}`]: ['/overview', 5],
  };
  const began = Date.now();
  console.log('| route | requests/s | p50 ms | p99 ms | CPU ms per request |\n|---|---|---|---|---|');
  for (const [name, [path, rate]] of Object.entries(routes)) {
    await load(service, path, rate, Number(values.warm));
    const checks = await checksAlone(service.child);
    const { times, cpu, elapsedMs } = await load(service, path, rate, Number(values.seconds));
    const { p50, p99 } = quantiles(times);
    const own = (cpu - checks * elapsedMs) / times.length;
    console.log(`| ${name} | ${rate} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${own.toFixed(2)} |`);
  }
  if (values.blocks) await reportBlocks(began);
} finally {
  await cleanUp();
}

async function load({ url, key, child }, path, rate, seconds) {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const times = [];
  const pending = new Set();
  const before = cpuMs([child.pid]);
  const began = performance.now();
  for (let i = 0; i < rate * seconds; i++) {
    const due = began + (i * 1000) / rate;
    if (due > performance.now()) await sleep(due - performance.now());
    const one = send(`${url}/api/v1${path}`, key, agent).then((status) => {
      if (status !== 200) throw new Error(`${path}: ${status}`);
      times.push(performance.now() - due);
      pending.delete(one);
    });
    pending.add(one);
  }
  await Promise.all(pending);
  agent.destroy();
  return { times, cpu: cpuMs([child.pid]) - before, elapsedMs: performance.now() - began };
}

/**
 * Prints what has blocked the event loop for 10 ms or more since then: running, waiting for a processor, or neither.
 */
async function reportBlocks(since) {
  await sleep(1500);
  const blocks = readFileSync(join(directory, 'blocks'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ at }) => at >= since);
  console.log('\n| blocks of | number | ms | running | waiting for a processor | longest run ms | with gc | gc ms |');
  console.log('|---|---|---|---|---|---|---|---|');
  for (const [from, to] of [
    [10, 20],
    [20, 40],
    [40, Infinity],
  ]) {
    const those = blocks.filter(({ ms }) => ms >= from && ms < to);
    const sum = (key) => those.reduce((total, block) => total + block[key], 0);
    const share = (key) => `${Math.round((100 * sum(key)) / Math.max(1, sum('ms')))} %`;
    const longest = Math.max(0, ...those.map(({ run }) => run)).toFixed(1);
    const collecting = those.filter(({ gc }) => gc > 0).length;
    console.log(
      `| ${to === Infinity ? `${from} ms and more` : `${from} to ${to} ms`} | ${those.length} | ${sum('ms').toFixed(0)} | ${share('run')} | ${share('waited')} | ${longest} | ${collecting} | ${sum('gc').toFixed(0)} |`,
    );
  }
}

/** Returns the CPU milliseconds used per millisecond when there are no requests. */
async function checksAlone(child) {
  const before = cpuMs([child.pid]);
  await sleep(IDLE_MS);
  return (cpuMs([child.pid]) - before) / IDLE_MS;
}

function send(url, key, agent) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject);
    sent.end();
  });
}
process.exit(0);
