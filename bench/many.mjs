// npm run bench:many -- [--endpoints 10000,200000,500000] [--rate 500] [--seconds 60] [--warm 25] [--settled]
// [--maintenance] [--checkout <dir>] [--json]
//
// Measures what a check costs with 10,000 to a million endpoints at the same number of checks per second. The checks
// use no network (the benchmark's own checker), so this measures the engine, the recorder, the jobs that run every
// minute, and PostgreSQL. There is one row per number of endpoints, each with a new PostgreSQL server. It covers the
// first minutes of new endpoints, which are the most expensive. Then it measures how long requests take while the
// checks continue. Everything is on 127.0.0.1 and stops automatically.
//   --settled          endpoints that have been up for a day, so that first checks don't change their status
//   --maintenance      a maintenance window that covers all of them is active
//   --statements       also prints the most expensive statements: µs, blocks, and bytes of WAL per check, and calls
//   --checkout <dir>   measures another built checkout of the project, to compare two versions
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { cpuMs, pssMb } from './processes.mjs';
import { seedMany } from './many-seed.mjs';
import { quantiles } from './schedule-report.mjs';
import { startService } from './service.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    endpoints: { type: 'string', default: '10000,50000,200000,500000' },
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '60' },
    warm: { type: 'string', default: '25' },
    checkout: { type: 'string', default: root },
    settled: { type: 'boolean', default: false },
    maintenance: { type: 'boolean', default: false },
    statements: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const checkout = resolve(options.checkout);
const seconds = Number(options.seconds);
const API_SECONDS = 15;

const cleanups = [];
async function cleanUp() {
  for (const clean of cleanups.splice(0).reverse()) await clean();
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void cleanUp().then(() => process.exit(130)));

const note = (text) => process.stderr.write(`${text}\n`);
if (checkout === resolve(root)) {
  const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-needed'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (built.status !== 0) process.exit(1);
}

/** Starts a PostgreSQL server, with pg_stat_statements if it is available. */
async function startPostgres() {
  const require = createRequire(import.meta.url);
  require('../scripts/typescript.cjs');
  const { PostgresCluster } = require('../test/harness/database/postgres-cluster.ts');
  return PostgresCluster.start({ settings: ['shared_preload_libraries=pg_stat_statements'] }).catch(() =>
    PostgresCluster.start(),
  );
}

/** Statements by purpose. Milliseconds are measured by the server and include waiting. */
const STATEMENTS = {
  summaries: `query LIKE '%INSERT INTO endpoint_summary%'`,
  claims: `query LIKE '%UPDATE endpoint_schedule%claimed_slot =%'`,
};

async function snapshot(client, service, postgres) {
  const { rows } = await client.query(`SELECT pg_current_wal_lsn() - '0/0' AS wal, extract(epoch FROM now()) AS at`);
  const images = await client.query('SELECT wal_fpi AS n FROM pg_stat_wal').catch(() => ({ rows: [{ n: NaN }] }));
  const statements = {};
  for (const [name, condition] of Object.entries(STATEMENTS)) {
    const found = await client
      .query(
        `SELECT coalesce(sum(calls), 0)::float8 AS calls, coalesce(sum(total_exec_time), 0) AS ms FROM pg_stat_statements WHERE ${condition}`,
      )
      .catch(() => ({ rows: [{ calls: NaN, ms: NaN }] }));
    statements[name] = found.rows[0];
  }
  return {
    wal: Number(rows[0].wal),
    images: Number(images.rows[0].n),
    at: Number(rows[0].at),
    service: cpuMs([service.child.pid]),
    database: cpuMs([postgres.pid]),
    statements,
  };
}

/**
 * Records the most expensive statements in the window: µs per check by the server's clock, blocks per check, and calls.
 */
async function noteStatements(client, checks) {
  const { rows } = await client.query(
    `SELECT total_exec_time AS ms, shared_blks_hit + shared_blks_read AS blocks, wal_bytes::float8 AS wal, calls, query
       FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 12`,
  );
  for (const { ms, blocks, wal, calls, query } of rows) {
    const figures = [(1000 * ms) / checks, Number(blocks) / checks, wal / checks].map((value) => value.toFixed(1));
    note(`${figures.join(' ')} ${calls} ${query.replace(/\s+/g, ' ').slice(0, 110)}`);
  }
}

/** Sends requests one at a time to each route in turn, while the checks continue. Returns the milliseconds by route. */
async function measureApi(service, websites) {
  const [large] = websites; // the oldest
  const list = await service.api('GET', `/websites/${large.id}/endpoints?limit=20`);
  const routes = {
    'GET one endpoint': `/endpoints/${list[0].id}`,
    'list 20 endpoints of the large website': `/websites/${large.id}/endpoints?limit=20`,
    'GET /websites': '/websites?limit=20',
    'overview of 1,000': '/overview?limit=1000',
  };
  const took = Object.fromEntries(Object.keys(routes).map((name) => [name, []]));
  const until = performance.now() + API_SECONDS * 1000;
  while (performance.now() < until) {
    for (const [name, path] of Object.entries(routes)) {
      const began = performance.now();
      await service.api('GET', path);
      took[name].push(performance.now() - began);
    }
    await sleep(20);
  }
  return Object.fromEntries(Object.entries(took).map(([name, values]) => [name, quantiles(values)]));
}

async function measure(count) {
  const interval = Math.max(10, Math.round(count / Number(options.rate)));
  const postgres = await startPostgres();
  cleanups.push(() => postgres.remove());
  const env = { DATABASE_URL: postgres.url, BENCH_ENTRY: 'bench/simulated-main.mjs' };
  // The first start migrates the database. It is seeded while no process is running, so that nothing is overdue at the
  // second start.
  const first = await startService(env, checkout);
  await first.stop();
  const began = performance.now();
  const { settled, maintenance } = options;
  await seedMany(postgres.url, { count, interval, checkout, settled, maintenance });
  note(`${count} endpoints seeded in ${Math.round((performance.now() - began) / 1000)} s`);
  const service = await startService({ ...env, BOOTSTRAP_API_KEY: first.key }, checkout);
  cleanups.push(service.stop);
  const client = new pg.Client({ connectionString: postgres.url });
  client.on('error', () => {});
  await client.connect();
  cleanups.push(() => client.end().catch(() => {}));
  await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements').catch(() => {});
  await sleep(Number(options.warm) * 1000);
  if (options.statements) await client.query('SELECT pg_stat_statements_reset()');

  const before = await snapshot(client, service, postgres);
  let memory = 0;
  while ((await client.query('SELECT extract(epoch FROM now()) AS at')).rows[0].at < before.at + seconds) {
    memory = Math.max(memory, pssMb([service.child.pid]));
    await sleep(2000);
  }
  const after = await snapshot(client, service, postgres);
  const { rows } = await client.query(
    `SELECT count(*)::int AS n FROM check_result WHERE checked_at >= to_timestamp($1) AND checked_at < to_timestamp($2)`,
    [before.at, after.at],
  );
  const checks = Math.max(1, rows[0].n);
  if (options.statements) await noteStatements(client, checks);
  const per = (name) => (after[name] - before[name]) / checks;
  const spent = (name) => after.statements[name].ms - before.statements[name].ms;
  const calls = (name) => after.statements[name].calls - before.statements[name].calls;
  const api = await measureApi(service, await service.api('GET', '/websites?limit=20'));
  const summarized = (await client.query('SELECT count(*)::int AS n FROM endpoint_summary')).rows[0].n;
  await cleanUp();
  return {
    endpoints: count,
    interval,
    'checks/s asked': count / interval,
    'checks/s got': checks / (after.at - before.at),
    'CPU ms per check: service': per('service'),
    'CPU ms per check: PostgreSQL': per('database'),
    'CPU ms per check: together': per('service') + per('database'),
    'of it summaries (time of the statements)': spent('summaries') / checks,
    'summaries, mean ms a call': spent('summaries') / calls('summaries'),
    'summaries, calls': calls('summaries'),
    'endpoints with a summary at the end': summarized,
    'claim, mean ms': spent('claims') / calls('claims'),
    'WAL bytes per check': per('wal'),
    'of it whole-page images': (8192 * (after.images - before.images)) / checks,
    'memory of the service (PSS), MB': memory,
    ...Object.fromEntries(Object.entries(api).map(([name, { p50, p99 }]) => [`${name}, p50 / p99 ms`, [p50, p99]])),
  };
}

const text = (value) => {
  if (Array.isArray(value)) return value.map(text).join(' / ');
  if (!Number.isFinite(value)) return '–';
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 3 : value < 100 ? 1 : 0);
};

const columns = [];
try {
  for (const count of options.endpoints.split(',').map(Number)) {
    const column = await measure(count);
    note(JSON.stringify(column));
    columns.push(column);
  }
} finally {
  await cleanUp();
}
if (options.json) console.log(JSON.stringify(columns));
else {
  const names = Object.keys(columns[0]);
  console.log(`|${' |'.repeat(columns.length + 1)}\n|${'---|'.repeat(columns.length + 1)}`);
  for (const name of names) console.log(`| ${name} | ${columns.map((column) => text(column[name])).join(' | ')} |`);
}
process.exit(0);
