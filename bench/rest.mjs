// npm run bench:rest -- [--endpoints 20] [--interval 60] [--settle 90] [--seconds 60] [--checkout <dir>]… [--database
// both]
//
// Measures what a nearly idle installation costs. Starts the built service on the embedded database and on its own
// PostgreSQL server, gives each a few endpoints on a local target, lets them settle, and prints CPU and memory.
//   --checkout <dir>   a built checkout; if repeated, all are measured at the same time for comparison
//   --database <kind>  embedded, postgresql, or both
//   --windows N        measures N times, and prints how much more each costs than the first: median and quartiles
//   --heartbeats K     one more installation of the last checkout, on PostgreSQL, in which K heartbeats wait
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { seedHeartbeats } from './heartbeats.mjs';
import { cpuMs, pssMb, threadsMs } from './processes.mjs';
import { seedThroughApi } from './seed-api.mjs';
import { startPostgres, startService } from './service.mjs';
import { startTarget } from './target-process.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    endpoints: { type: 'string', default: '20' },
    interval: { type: 'string', default: '60' },
    settle: { type: 'string', default: '90' },
    seconds: { type: 'string', default: '60' },
    database: { type: 'string', default: 'both' },
    windows: { type: 'string', default: '1' },
    heartbeats: { type: 'string', default: '0' },
    checkout: { type: 'string', multiple: true },
  },
});
const kinds = options.database === 'both' ? ['embedded', 'postgresql'] : [options.database];
const note = (text) => process.stderr.write(`${text}\n`);

const cleanups = [];
async function cleanUp() {
  for (const clean of cleanups.splice(0).reverse()) await clean();
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void cleanUp().then(() => process.exit(130)));

if (!options.checkout) {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-needed'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) process.exit(1);
}

async function startInstallation(checkout, kind, target, heartbeats = 0) {
  const postgres = kind === 'postgresql' ? await startPostgres() : null;
  if (postgres) cleanups.push(() => postgres.remove());
  const directory = postgres ? null : mkdtempSync(join(tmpdir(), 'uptime-rest-'));
  if (directory) cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const service = await startService({
    ...(postgres ? { DATABASE_URL: postgres.url } : { DATA_DIR: directory }),
    BENCH_ENTRY: relative(root, join(resolve(checkout), 'dist/main.js')),
  });
  cleanups.push(service.stop);
  const plan = { count: Number(options.endpoints), interval: Number(options.interval), timeout: 5, hook: null };
  await seedThroughApi(service.api, { ...plan, urlOf: (n) => `${target}/site/${n}` });
  if (heartbeats > 0) await seedHeartbeats(postgres.url, heartbeats);
  const name = heartbeats > 0 ? `${checkout}, ${heartbeats} heartbeats wait` : checkout;
  return { checkout: name, kind, service: service.child.pid, postgres: postgres?.pid ?? null };
}

const look = ({ service, postgres }) => ({
  at: performance.now(),
  service: cpuMs([service]),
  threads: threadsMs(service),
  database: postgres === null ? 0 : cpuMs([postgres]),
});

function row({ checkout, kind, service, postgres }, before, after) {
  const seconds = (after.at - before.at) / 1000;
  const perSecond = (ms) => (ms / seconds).toFixed(2);
  const cpu = { service: after.service - before.service, database: after.database - before.database };
  const busiest = [...after.threads]
    .map(([id, { name, ms }]) => ({ id, name, ms: ms - (before.threads.get(id)?.ms ?? 0) }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 4)
    .map(({ id, name, ms }) => `${id === service ? 'main' : name} ${perSecond(ms)}`);
  return [
    checkout,
    kind,
    perSecond(cpu.service),
    postgres === null ? 'in the service' : perSecond(cpu.database),
    perSecond(cpu.service + cpu.database),
    busiest.join(', '),
    pssMb([service]).toFixed(0),
  ];
}

async function main() {
  const { url: target, stop } = await startTarget(options.endpoints);
  cleanups.push(stop);
  const installations = [];
  for (const checkout of options.checkout ?? [root])
    for (const kind of kinds) installations.push(await startInstallation(checkout, kind, target));
  const waiting = Number(options.heartbeats);
  if (waiting > 0)
    installations.push(await startInstallation(options.checkout?.at(-1) ?? root, 'postgresql', target, waiting));
  note(`Settling for ${options.settle} s …`);
  await sleep(Number(options.settle) * 1000);
  const before = installations.map(look);
  note(`Measuring ${options.windows} times for ${options.seconds} s …`);
  const looks = [before];
  for (let window = 0; window < Number(options.windows); window++) {
    await sleep(Number(options.seconds) * 1000);
    looks.push(installations.map(look));
  }
  const rows = installations.map((installation, i) => row(installation, before[i], look(installation)));
  const head = ['checkout', 'database', 'service ms/s', 'PostgreSQL ms/s', 'together', 'threads, ms/s', 'PSS, MB'];
  console.log(`| ${head.join(' | ')} |\n|${head.map(() => '---').join('|')}|`);
  for (const cells of rows) console.log(`| ${cells.join(' | ')} |`);
  for (const i of installations.keys()) if (i > 0 && looks.length > 2) console.log(ratioLine(looks, i));
}

/** Formats an installation's CPU time relative to the first one, window by window. */
function ratioLine(looks, i) {
  const spent = (window, of) =>
    looks[window][of].service +
    looks[window][of].database -
    looks[window - 1][of].service -
    looks[window - 1][of].database;
  const ratios = looks.slice(1).map((_, at) => spent(at + 1, i) / spent(at + 1, 0));
  ratios.sort((a, b) => a - b);
  const at = (share) => ratios[Math.round(share * (ratios.length - 1))].toFixed(3);
  return `CPU time of line ${i + 1} in terms of line 1: median ${at(0.5)}, quartiles ${at(0.25)} and ${at(0.75)} of ${ratios.length}`;
}

try {
  await main();
} finally {
  await cleanUp();
}
process.exit(process.exitCode ?? 0);
