// node bench/many-hour.mjs [--endpoints 500000] [--checks 1800000] [--earlier 3] [--history] [--seconds 300]
// [--checkout <dir>]
//
// Measures what it costs PostgreSQL and the service to close one hour with a very large number of endpoints that have a
// few checks each. The checks are generated and nothing else is running, so the CPU is used only by the rollups and by
// the idle process.
//   --earlier N   the hour is preceded by N times as many checks from the same day
//   --history     every endpoint has 24 hours and 90 days of stats and a summary of the previous hour, as after months
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { cpuMs } from './processes.mjs';
import { startPostgres, startService } from './service.mjs';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    endpoints: { type: 'string', default: '500000' },
    checks: { type: 'string', default: '1800000' },
    earlier: { type: 'string', default: '3' },
    history: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '300' },
    checkout: { type: 'string', default: root },
  },
});
const checkout = resolve(options.checkout);
const endpoints = Number(options.endpoints);
const checks = Number(options.checks);
const note = (text) => process.stderr.write(`${text}\n`);

const cleanups = [];
async function cleanUp() {
  for (const clean of cleanups.splice(0).reverse()) await clean();
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void cleanUp().then(() => process.exit(130)));

const CHECKS = `
  INSERT INTO check_result
  SELECT (n * 7919::bigint) % $1::bigint + 1, $2::timestamptz + n * ($3::float8 / $4::float8) * interval '1 millisecond', 0,
         5000 + (n % 3000)::int, -1, 1000, -1, 4000, 100, 200, -1, 1
    FROM generate_series(0::bigint, $4::bigint - 1) AS n`;

const STATS = (table, step) => `
  INSERT INTO ${table}
  SELECT key, $2::timestamptz - n * interval '1 ${step}', 2, 0, 0, 12000, 1, 1, 1, 1, 1, 5000, 7000, '{45,47}', '{1,1}'
    FROM generate_series(1, $1::bigint) AS key, generate_series(1, $3::int) AS n`;

async function fill(client, hour) {
  const day = Math.floor(hour / DAY) * DAY;
  const { rows } = await client.query('SELECT id FROM organization WHERE is_default');
  await client.query(
    `INSERT INTO website (id, org_id, name, url) VALUES (gen_random_uuid(), $1, 'Bench', 'http://127.0.0.1/')`,
    [rows[0].id],
  );
  await client.query(
    `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
     SELECT gen_random_uuid(), org_id, id, 'Endpoint', 'http://127.0.0.1/', 'HTTP' FROM website, generate_series(1, $1::int)`,
    [endpoints],
  );
  if (Number(options.earlier) > 0 && hour > day)
    await client.query(CHECKS, [endpoints, new Date(day), hour - day, checks * Number(options.earlier)]);
  await client.query(CHECKS, [endpoints, new Date(hour), HOUR, checks]);
  await client.query(CHECKS, [endpoints, new Date(hour + HOUR), 60_000, Math.ceil(checks / 60)]);
  if (options.history) {
    await client.query(STATS('check_hour', 'hour'), [endpoints, new Date(hour), 25]);
    await client.query(STATS('check_day', 'day'), [endpoints, new Date(day), 90]);
    await client.query('ANALYZE');
    const require = createRequire(join(checkout, 'package.json'));
    const { SUMMARIZE } = require(join(checkout, 'dist/history/rollup/endpoint-summary.js'));
    for (let first = 1; first <= endpoints; first += 5000) {
      const keys = Array.from({ length: Math.min(5000, endpoints - first + 1) }, (_, n) => first + n);
      await client.query(SUMMARIZE, [keys, new Date(hour)]);
    }
  }
  await client.query('VACUUM ANALYZE');
  await client.query(`UPDATE history_progress SET done_until = $1, after_key = 0 WHERE name = 'hour'`, [
    new Date(hour),
  ]);
}

async function main() {
  const postgres = await startPostgres();
  cleanups.push(() => postgres.remove());
  const first = await startService({ DATABASE_URL: postgres.url }, checkout);
  await first.stop();
  const client = new pg.Client({ connectionString: postgres.url });
  client.on('error', () => {});
  await client.connect();
  cleanups.push(() => client.end().catch(() => {}));
  const hour = Math.floor((Date.now() - 150_000) / HOUR) * HOUR - HOUR;
  await fill(client, hour);
  note('filled');
  const service = await startService({ DATABASE_URL: postgres.url, BOOTSTRAP_API_KEY: first.key }, checkout);
  cleanups.push(service.stop);
  const used = () => ({ service: cpuMs([service.child.pid]), database: cpuMs([postgres.pid]) });
  const progress = async () =>
    (await client.query(`SELECT done_until, after_key FROM history_progress WHERE name = 'hour'`)).rows[0];
  const isDone = ({ done_until }) => done_until.getTime() > hour;
  while (Number((await progress()).after_key) === 0 && !isDone(await progress())) await sleep(20);
  const [began, before, from] = [performance.now(), used(), Number((await progress()).after_key)];
  let now = await progress();
  while (!isDone(now) && performance.now() - began < Number(options.seconds) * 1000) {
    await sleep(100);
    now = await progress();
  }
  const [after, seconds] = [used(), (performance.now() - began) / 1000];
  const closed = (isDone(now) ? endpoints : Number(now.after_key)) - from;
  const covered = (checks * closed) / endpoints;
  console.log(
    JSON.stringify({
      endpoints,
      checks,
      closed,
      seconds: Math.round(seconds),
      'CPU µs per check, PostgreSQL': Math.round((1000 * (after.database - before.database)) / covered),
      'CPU µs per check, service': Math.round((1000 * (after.service - before.service)) / covered),
    }),
  );
}

try {
  await main();
} finally {
  await cleanUp();
}
process.exit(0);
