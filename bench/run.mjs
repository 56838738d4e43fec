// npm run bench -- --endpoints 1000 --interval 20 [--slots 3] [--instances 1] [--embedded] [--kill-one] [--simulated]
// [--breaks 20] [--at-once] [--checkout dir]
//
// Builds the service, starts its own PostgreSQL server (or the embedded database) and a target process, checks M
// endpoints every I seconds for a limited time, and prints one table. Everything is on 127.0.0.1 and stops
// automatically.
//   --instances N   processes that share one database      --kill-one   kill -9 one of them in the middle
//   --simulated     checks without a network (using the benchmark's own checker), evaluated from the database
//   --breaks K      sites that fail during the measurement, to time the webhook; --at-once: all at the same moment
//   --checkout dir  another built tree, to compare two versions
//   --pings P       pings per minute, to 2,000 heartbeats (PostgreSQL)
//   --overload      more load than it can handle, and back: see overload.mjs
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { runOverload } from './overload.mjs';
import { seedHeartbeats, startPings, storedPings } from './heartbeats.mjs';
import { cpuMs, pssMb } from './processes.mjs';
import { quantiles, scheduleReport } from './schedule-report.mjs';
import { seed } from './seed.mjs';
import { seedThroughApi } from './seed-api.mjs';
import { prototypeRule, startPostgres, startService } from './service.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const isOverload = process.argv.includes('--overload');
const flag = { type: 'boolean', default: false };
const { values: options } = parseArgs({
  args: isOverload ? [] : process.argv.slice(2),
  options: {
    endpoints: { type: 'string', default: '1000' },
    interval: { type: 'string', default: '20' },
    slots: { type: 'string', default: '3' },
    instances: { type: 'string', default: '1' },
    breaks: { type: 'string', default: '20' },
    'at-once': flag,
    checkout: { type: 'string', default: root },
    pings: { type: 'string', default: '0' },
    embedded: flag,
    'kill-one': flag,
    simulated: flag,
    json: flag,
  },
});
const checkout = resolve(options.checkout);
const sites = Number(options.endpoints);
const interval = Number(options.interval);
const slots = Number(options.slots);
const instances = Number(options.instances);
const breaks = options.simulated ? 0 : Number(options.breaks);
const intervalMs = interval * 1000;
const timeout = Math.max(1, Math.min(5, Math.floor((interval - 6) / 2)));

const cleanups = [];
async function cleanUp() {
  for (const clean of cleanups.splice(0).reverse()) await clean();
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void cleanUp().then(() => process.exit(130)));

const isOtherCheckout = process.argv.some((argument) => argument.startsWith('--checkout'));
const note = (text) => process.stderr.write(`${text}\n`);
if (!isOtherCheckout) {
  const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-needed'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (built.status !== 0) process.exit(1);
}

async function startTarget() {
  const child = spawn(process.execPath, [join(root, 'bench/target.mjs'), '--sites', String(sites)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanups.push(() => child.kill('SIGTERM'));
  const [line] = await once(child.stdout, 'data');
  const url = `http://127.0.0.1:${String(line).trim()}`;
  return { url, control: async (path, method = 'POST') => (await fetch(`${url}/control/${path}`, { method })).json() };
}

const directorySize = (path) =>
  readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
    const inner = join(path, entry.name);
    return sum + (entry.isDirectory() ? directorySize(inner) : statSync(inner).size);
  }, 0);

/** Returns the storage as reported by the database. */
async function storage(client) {
  if (!client) return null;
  const { rows } = await client.query(
    `SELECT pg_current_wal_lsn() - '0/0' AS wal, (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE c.relkind = 'r') AS checks`,
  );
  return { wal: Number(rows[0].wal), checks: Number(rows[0].checks) };
}

const metric = (text, name) => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
const round = (value, digits = 1) =>
  value === null || value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits);

async function main() {
  const target = await startTarget();
  const directory = options.embedded ? mkdtempSync(join(tmpdir(), 'uptime-bench-')) : null;
  if (directory) cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const postgres = options.embedded ? null : await startPostgres();
  if (postgres) cleanups.push(() => postgres.remove());
  const env = {
    ...(postgres ? { DATABASE_URL: postgres.url } : { DATA_DIR: directory }),
    ...(options.simulated ? { BENCH_ENTRY: 'bench/simulated-main.mjs' } : {}),
  };
  const services = [];
  for (let i = 0; i < instances; i++) {
    const service = await startService(
      { ...env, ...(i === 0 ? {} : { BOOTSTRAP_API_KEY: services[0].key }) },
      checkout,
    );
    services.push(service);
    cleanups.push(service.stop);
  }
  const { api } = services[0];
  const hook = `${target.url}/hook`;
  const urlOf = (n) => (options.simulated ? `sim://site/${n}` : `${target.url}/site/${n}`);
  note(`Seeding ${sites} endpoints every ${interval} s …`);
  const rule = breaks > 0 && postgres ? await prototypeRule(api, hook) : null;
  const plan = { count: sites, interval, timeout, urlOf, type: options.simulated ? 'SIM' : 'HTTP' };
  if (postgres) await seed(postgres.url, { ...plan, rule, checkout });
  else await seedThroughApi(api, { ...plan, hook: breaks > 0 ? hook : null });
  const jobs = Number(options.pings) > 0 ? await seedHeartbeats(postgres.url, 2000) : null;
  await sleep(2 * intervalMs + 4000);

  const client = postgres ? new pg.Client({ connectionString: postgres.url }) : null;
  if (client) {
    await client.connect();
    client.on('error', () => {});
    cleanups.push(() => client.end().catch(() => {}));
  }
  await target.control('reset');
  const alive = () =>
    services.map(({ child }) => child).filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const servicePids = services.map(({ child }) => child.pid);
  const databasePids = postgres ? [postgres.pid] : [];
  const before = {
    service: cpuMs(servicePids),
    database: cpuMs(databasePids),
    storage: await storage(client),
    disk: directory ? directorySize(directory) : 0,
  };
  const began = performance.now();
  const fromDatabase = client
    ? (await client.query('SELECT extract(epoch FROM now()) * 1000 AS now')).rows[0].now
    : null;
  note(`Measuring ${slots} intervals …`);
  const pings = jobs && startPings(services[0].url, jobs, Number(options.pings));
  const brokenSites = Array.from({ length: breaks }, (_, i) => Math.floor((i * sites) / breaks));
  const windowMs = slots * intervalMs;
  for (const [i, site] of brokenSites.entries())
    setTimeout(
      () => void target.control(`break?site=${site}`),
      options['at-once'] ? 1000 : (i / breaks) * Math.max(0, windowMs - 1.5 * intervalMs),
    );
  let peakMb = 0;
  let killed = null;
  while (performance.now() - began < windowMs) {
    peakMb = Math.max(peakMb, pssMb(servicePids));
    if (options['kill-one'] && !killed && performance.now() - began > windowMs / 3 && services.length > 1) {
      killed = services[services.length - 1];
      killed.child.kill('SIGKILL');
      note(`Killed instance with pid ${killed.child.pid}.`);
    }
    await sleep(Math.min(2000, Math.max(10, windowMs - (performance.now() - began))));
  }
  const seconds = (performance.now() - began) / 1000;
  const after = {
    service: cpuMs(servicePids),
    database: cpuMs(databasePids),
    storage: await storage(client),
    disk: directory ? directorySize(directory) : 0,
  };
  const pinged = await pings?.stop();
  const exposition = await (await fetch(`${services[0].url}/metrics`)).text();
  await sleep(Math.min(5000, intervalMs / 2));

  const report = options.simulated
    ? await judgedByDatabase(client, fromDatabase)
    : await judgedByTarget(target, brokenSites, windowMs, seconds);
  const checks = Math.max(1, report.total);
  const rows = [
    [
      'endpoints, interval, instances',
      `${sites}, ${interval} s, ${instances}${options.embedded ? ', embedded' : ''}${options.simulated ? ', simulated checks' : ''}`,
    ],
    ['asked/s', round(sites / interval)],
    ['got/s', round(report.total / seconds)],
    [
      'lateness p50 / p99 / max, ms',
      `${round(report.late.p50)} / ${round(report.late.p99)} / ${round(report.late.max)}`,
    ],
    ['missed', `${report.missed} of ${report.asked}`],
    ['duplicated', String(report.duplicated)],
    ['CPU ms per check: service', round((after.service - before.service) / checks, 3)],
    [
      'CPU ms per check: PostgreSQL',
      postgres ? round((after.database - before.database) / checks, 3) : 'in the service',
    ],
    ['CPU ms per check: both', round((after.service - before.service + after.database - before.database) / checks, 3)],
    ['memory of the service (PSS), MB', round(peakMb, 0)],
    [
      'disk bytes per check',
      client
        ? round((after.storage.checks - before.storage.checks) / checks, 0)
        : round((after.disk - before.disk) / checks, 0),
    ],
    ['WAL bytes per check', client ? round((after.storage.wal - before.storage.wal) / checks, 0) : '–'],
    [
      'event-loop delay p99, ms (50 of it between two samples)',
      round(metric(exposition, 'nodejs_eventloop_lag_p99_seconds') * 1000),
    ],
    [
      'failing response → webhook p50 / p99, ms',
      report.hooks ? `${round(report.hooks.p50)} / ${round(report.hooks.p99)} (${report.hooked} of ${breaks})` : '–',
    ],
    ['processes alive at the end', `${alive().length} of ${instances}`],
    ...(pinged ? await pingRows(client, pinged) : []),
  ];
  if (options.json) console.log(JSON.stringify(Object.fromEntries(rows)));
  else console.log(`| | |\n|---|---|\n${rows.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}`);
}

async function pingRows(client, { sent, statuses, took }) {
  const stored = await storedPings(client);
  return [
    ['pings p50 / p99 / max, ms', `${round(took.p50)} / ${round(took.p99)} / ${round(took.max)}`],
    [
      'pings sent; by status; stored; checks',
      `${sent}; ${JSON.stringify(statuses)}; ${stored.pings}; ${stored.checks}`,
    ],
  ];
}

async function judgedByTarget(target, brokenSites, windowMs) {
  const { arrivals, hooks } = await target.control('seen', 'GET');
  const first = arrivals.reduce((least, [, ms]) => Math.min(least, ms), Infinity);
  const window = { sites, intervalMs, from: first, slots, except: new Set(brokenSites) };
  const inWindow = arrivals.filter(([, ms]) => ms < first + windowMs);
  return {
    ...scheduleReport(arrivals, window),
    total: inWindow.length,
    hooks: hooks.length > 0 ? quantiles(hooks.map(([, ms]) => ms)) : null,
    hooked: hooks.length,
  };
}

/** Simulated checks have no target, so recorded checks are counted, slot by slot. */
async function judgedByDatabase(client, from) {
  const to = Number(from) + slots * intervalMs;
  const { rows } = await client.query(
    `SELECT r.endpoint_key AS key, extract(epoch FROM r.checked_at) * 1000 AS ms FROM check_result r
      WHERE r.checked_at >= to_timestamp($1 / 1000.0) AND r.checked_at < to_timestamp($2 / 1000.0)`,
    [Number(from), to + intervalMs],
  );
  const arrivals = rows.map(({ key, ms }) => [Number(key), Number(ms)]);
  return {
    ...scheduleReport(arrivals, { sites, intervalMs, from: Number(from), slots }),
    total: arrivals.filter(([, ms]) => ms < to).length,
    hooks: null,
    hooked: 0,
  };
}

try {
  if (isOverload) await runOverload(process.argv.slice(2), cleanups);
  else await main();
} finally {
  await cleanUp();
}
process.exit(process.exitCode ?? 0);
