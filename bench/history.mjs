// npm run bench:history [-- --endpoints 1000 --days 90 --keep]: measures how much disk space history takes up and how
// fast it is read. Starts its own PostgreSQL server, seeds hourly and daily stats, writes individual checks through the
// real writer, and measures the real queries. Prints one table and exits with code 1 if a target is missed.
import { createRequire } from 'node:module';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';

const require = createRequire(import.meta.url);
require('reflect-metadata');
require('../scripts/typescript.cjs');
require('@nestjs/common').Logger.overrideLogger(false);
const { PostgresCluster } = require('../test/harness/database/postgres-cluster.ts');
const { HistoryBench, recorded } = require('../test/harness/app/history.ts');
const { Cursors } = require('../src/platform/http/cursors.ts');
const { LatencyService } = require('../src/history/read/latency.service.ts');
const { OverviewService } = require('../src/history/overview/overview.service.ts');
const { UptimeService } = require('../src/history/read/uptime.service.ts');
const { OutageReader } = require('../src/history/read/outage-reader.ts');

const { values: options } = parseArgs({
  options: {
    endpoints: { type: 'string', default: '1000' },
    days: { type: 'string', default: '90' },
    checks: { type: 'string', default: '600' },
  },
});
const ENDPOINTS = Number(options.endpoints);
const DAYS = Number(options.days);
/** The number of checks per endpoint that go through the writer, one per minute. */
const CHECKS = Number(options.checks);
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

const table = [];
const show = (what, value, unit, target) => {
  table.push({ what, measured: `${value} ${unit}`, target: target === undefined ? '' : `≤ ${target} ${unit}` });
  if (target !== undefined && value > target) process.exitCode = 1;
};
const note = (text) => process.stderr.write(`${text}\n`);

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Returns the best time, p50, and p99 in milliseconds after a warm-up. The best is close to the result on an otherwise
 * idle machine.
 */
async function times(rounds, work) {
  for (let round = 0; round < 5; round++) await work(round);
  const all = [];
  for (let round = 0; round < rounds; round++) all.push(await timed(() => work(round)));
  all.sort((a, b) => a - b);
  const at = (q) => Number(all[Math.min(Math.floor(q * all.length), all.length - 1)].toFixed(1));
  return { best: at(0), p50: at(0.5), p99: at(0.99) };
}

/** Seeds random values around a separate latency for every endpoint, in about ten buckets per hour. */
async function seedRollups(database, keys, newestHour) {
  for (const [name, stepMs, count] of [
    ['check_hour', HOUR, DAYS * 24],
    ['check_day', DAY, DAYS],
  ]) {
    const last = Math.floor(newestHour / stepMs) * stepMs;
    for (let index = count; index > 0; index -= 200) {
      await database.query(
        `INSERT INTO ${name} (endpoint_key, start_at, up, down, unknown, sum_us, dns_us, connect_us, tls_us, first_byte_us,
                              transfer_us, min_us, max_us, buckets, counts)
         SELECT k, start_at, n, 1, 0, n * 80000, n * 5000, n * 10000, n * 30000, n * 33000, n * 2000, 50000, 200000,
                ARRAY(SELECT (b + k % 20)::smallint FROM generate_series(70, 79) AS b), array_fill((n / 10)::integer, ARRAY[10])
           FROM generate_series($1::timestamptz, $2::timestamptz, make_interval(secs => $3)) AS t (start_at),
                unnest($4::bigint[]) AS k, (SELECT $5::integer AS n) AS n`,
        [
          new Date(last - index * stepMs),
          new Date(last - Math.max(index - 199, 1) * stepMs),
          stepMs / 1000,
          keys,
          60 * (stepMs / HOUR),
        ],
      );
    }
  }
  await database.query(`UPDATE history_progress SET done_until = $1 WHERE name = 'hour'`, [new Date(newestHour)]);
  await database.query(`UPDATE history_progress SET done_until = $1 WHERE name = 'day'`, [
    new Date(Math.floor(newestHour / DAY) * DAY),
  ]);
}

/** Writes the last hours, with one check per minute and endpoint, in the same order and batches as a recorder. */
async function writeChecks(bench, endpoints, until) {
  const start = until - CHECKS * MINUTE;
  let batch = [];
  let elapsed = 0;
  const cpu = process.cpuUsage();
  for (let minute = 0; minute < CHECKS; minute++) {
    for (const [index, endpoint] of endpoints.entries()) {
      const at = new Date(start + minute * MINUTE + Math.floor((index * MINUTE) / endpoints.length));
      const outcome = (index * 7 + minute) % 500 === 0 ? 'down' : 'up';
      batch.push(recorded(endpoint, at, outcome, 40 + ((index * 31 + minute * 17) % 900) / 10));
      if (batch.length < 250) continue;
      const checks = batch;
      batch = [];
      elapsed += await timed(() => bench.write(checks));
    }
  }
  if (batch.length > 0) await bench.write(batch);
  const { user, system } = process.cpuUsage(cpu);
  return { elapsed, cpuUs: user + system, count: CHECKS * endpoints.length };
}

const bytes = async (database, sql, parameters = []) => Number((await database.query(sql, parameters))[0].bytes);
const RAW_BYTES = `SELECT sum(pg_total_relation_size(inhrelid)) + pg_total_relation_size('check_detail') AS bytes
                     FROM pg_inherits WHERE inhparent = 'check_result'::regclass`;

async function measure(bench) {
  const { database } = bench;
  const now = bench.clock.now().getTime();
  const hour = Math.floor(now / HOUR) * HOUR;
  const endpoints = await bench.addEndpoints(ENDPOINTS);
  const keys = endpoints.map((endpoint) => endpoint.key);
  await bench.partitions.createAhead();

  note(`seeding ${DAYS} days of stats of ${ENDPOINTS} endpoints …`);
  const oldestRaw = Math.floor((now - CHECKS * MINUTE) / HOUR) * HOUR;
  await seedRollups(database, keys, oldestRaw);

  note(`writing ${CHECKS * ENDPOINTS} checks …`);
  const emptyBytes = await bytes(database, RAW_BYTES);
  const [{ lsn }] = await database.query('SELECT pg_current_wal_lsn() AS lsn');
  const written = await writeChecks(bench, endpoints, now);
  const wal = await bytes(database, 'SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), $1) AS bytes', [lsn]);
  await database.query('DELETE FROM history_late');
  const rawBytes = (await bytes(database, RAW_BYTES)) - emptyBytes;
  show('single check on disk with indexes and details', Number((rawBytes / written.count).toFixed(1)), 'B', 100);
  show('WAL per check, history only', Number((wal / written.count).toFixed(0)), 'B', 700);
  show(
    'writing a check, wall clock in batches of 250',
    Number(((written.elapsed * 1000) / written.count).toFixed(1)),
    'µs',
  );

  const hours = (hour - oldestRaw) / HOUR;
  const checksIn = ((hour - (now - CHECKS * MINUTE)) / MINUTE) * ENDPOINTS;
  const rollupMs = await timed(() => bench.rollup.run());
  show(`rolling up, per check (${hours} hours)`, Number(((rollupMs * 1000) / checksIn).toFixed(1)), 'µs');
  await database.query('VACUUM ANALYZE');
  const hourRow = await bytes(
    database,
    `SELECT pg_total_relation_size('check_hour') / count(*) AS bytes FROM check_hour`,
  );
  show('hour of one endpoint on disk', hourRow, 'B');
  return { endpoints, now };
}

async function read(bench, { endpoints, now }) {
  const { database, clock, config } = bench;
  const owner = { require: async (_, id) => ({ key: endpoints.find((endpoint) => endpoint.id === id).key }) };
  const latency = new LatencyService(owner, bench.stats, clock);
  const uptime = new UptimeService(owner, bench.stats, new OutageReader(database), clock, config);
  const overview = new OverviewService(database, {}, new Cursors(bench.secrets), clock);
  const [{ org_id: orgId }] = await database.query('SELECT DISTINCT org_id FROM endpoint');
  await database.query(
    `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id, status, recent, hour_start, hour_up, last_checked_at)
     SELECT id, key, org_id, 1, 384307168202282325, $1, 20, now() FROM endpoint`,
    [new Date(Math.floor(now / HOUR) * HOUR)],
  );
  await database.query('VACUUM ANALYZE endpoint_state');

  const any = (round) => endpoints[(round * 7919) % endpoints.length].id;
  const from = new Date(now - DAYS * DAY);
  const chart = await times(300, (round) => latency.series(orgId, any(round), { from, step: 86_400 }));
  show('90-day chart of one endpoint, best', chart.best, 'ms');
  show('90-day chart of one endpoint, p50', chart.p50, 'ms', 5);
  show('90-day chart of one endpoint, p99', chart.p99, 'ms');
  const month = await times(100, (round) =>
    latency.series(orgId, any(round), { from: new Date(now - 30 * DAY), step: 3600 }),
  );
  show('30-day chart by the hour, p50', month.p50, 'ms');
  const phases = await times(100, (round) => latency.series(orgId, any(round), { step: 300 }));
  show('24-hour chart by 5 minutes from single checks, p50', phases.p50, 'ms');
  for (const window of ['24h', '90d']) {
    const stats = await times(200, (round) => uptime.read(orgId, any(round), { window }));
    show(`uptime over ${window}, p50`, stats.p50, 'ms');
  }
  const page = await times(50, async () => JSON.stringify(await overview.list(orgId, {})));
  show(`overview of ${endpoints.length} endpoints, best`, page.best, 'ms');
  show(`overview of ${endpoints.length} endpoints, p50`, page.p50, 'ms', 50);
  show(`overview of ${endpoints.length} endpoints, p99`, page.p99, 'ms');
}

/** Drops a day with as many checks as an installation records at 50 checks per second. */
async function dropDay(bench, { endpoints, now }) {
  note('filling a day to drop …');
  const day = new Date(Math.floor(now / DAY) * DAY - 40 * DAY);
  await bench.database.transaction((tx) => bench.partitions.ensure(tx, [day.getTime() / DAY]));
  for (let hour = 0; hour < 24; hour++) {
    await bench.database.query(
      `INSERT INTO check_result
       SELECT ($2::bigint[])[1 + n % $3], $1::timestamptz + n * interval '20 milliseconds', 1, 80000, 1, 1, 1, 1, 1, 200, -1, 1
         FROM generate_series(0, 179999) AS n`,
      [new Date(day.getTime() + hour * HOUR), endpoints.map((endpoint) => endpoint.key), endpoints.length],
    );
  }
  // In production, a day is dropped a month after its last check was written. By then, it has been vacuumed, and all of
  // its pages are on disk.
  await bench.database.query('VACUUM ANALYZE check_result');
  await bench.database.query('CHECKPOINT');
  const dropped = await timed(() => bench.partitions.dropBefore(day.getTime() / DAY + 1));
  show('dropping a day of 4,320,000 checks', Number(dropped.toFixed(0)), 'ms', 200);
}

const cluster = await PostgresCluster.start({ settings: ['shared_buffers=256MB', 'max_wal_size=4GB'] });
try {
  // Long before the real time, so that it doesn't close an hour.
  const now = new Date(Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR + 20 * MINUTE);
  const bench = await HistoryBench.open(now, { url: cluster.url, drop: async () => {} });
  try {
    const seeded = await measure(bench);
    await read(bench, seeded);
    await dropDay(bench, seeded);
  } finally {
    await bench.close();
  }
} finally {
  await cluster.remove();
}
console.table(table);
console.log(`load average ${loadavg()[0].toFixed(1)} on ${availableParallelism()} cores`);
