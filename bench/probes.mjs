// npm run bench:probes -- [--probes 20] [--endpoints 2000] [--locations 3] [--interval 60] [--seconds 60] [--away 60]
// [--embedded] [--json]
//
// Compares what results from probes cost the service with the cost of the same number of local checks. There are three
// runs, each with a new service on a new PostgreSQL server (or the embedded database), all with the same settings:
//
// 1. N probes whose polls wait and have nothing to do, between two windows without them.
// 2. M endpoints that the service checks without a network, every interval / locations: the same rate as the third run.
// 3. M endpoints that each use L of the N probes: all sync at the same time, followed by an idle window. Then the
//    service is unavailable for `--away` seconds while results are kept, and all probes return at the same moment,
//    without the usual spread.
//
// This process plays the probes (see simulated-probe.mjs). Everything is on 127.0.0.1 and stops automatically.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Exposition } from './overload-probes.mjs';
import { cpuMs, pssMb, threadsMs } from './processes.mjs';
import { quantiles } from './schedule-report.mjs';
import { seed } from './seed.mjs';
import { seedThroughApi } from './seed-api.mjs';
import { startPostgres, startService } from './service.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    probes: { type: 'string', default: '20' },
    endpoints: { type: 'string', default: '2000' },
    locations: { type: 'string', default: '3' },
    interval: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '60' },
    away: { type: 'string', default: '60' },
    embedded: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const [probeCount, endpoints, interval, seconds, away] = ['probes', 'endpoints', 'interval', 'seconds', 'away'].map(
  (name) => Number(options[name]),
);
const locations = Math.min(Number(options.locations), probeCount);
const localInterval = interval / locations;
if (!Number.isInteger(localInterval)) throw new Error('--interval must be a multiple of --locations');
// If a probe receives no response within its lease of 15 minutes, it stops checking. This benchmark doesn't cover that.
if (away > 14 * 60) throw new Error('--away must be at most 840');

const timeout = Math.max(1, Math.min(5, Math.floor((localInterval - 6) / 2)));
/** By then, all endpoints have been checked twice at each location, and the JIT has warmed up. */
const WARM_MS = 2 * interval * 1000 + 5000;
const IDLE_SECONDS = Math.min(30, seconds);
const RETURN_LIMIT_MS = 10 * 60_000;
const KNOWN_LIMIT_MS = 2 * 60_000;

const cleanups = [];
async function cleanUp() {
  for (const clean of cleanups.splice(0).reverse()) await clean();
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void cleanUp().then(() => process.exit(130)));
const note = (text) => process.stderr.write(`${text}\n`);
const sum = (list, of) => list.reduce((total, one) => total + of(one), 0);

const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-needed'], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (built.status !== 0) process.exit(1);
// Imported after the build, because they take their rules from it.
const { SimulatedProbe, Traffic } = await import('./simulated-probe.mjs');
const { locationPhaseMs } = await import(join(root, 'dist/endpoint/endpoint-schedule.js'));

/** Resets what the probes count. */
const begin = () => (SimulatedProbe.traffic = new Traffic());

async function startInstallation() {
  const postgres = options.embedded ? null : await startPostgres();
  if (postgres) cleanups.push(() => postgres.remove());
  const directory = postgres ? null : mkdtempSync(join(tmpdir(), 'uptime-bench-'));
  if (directory) cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const quotas = ['PROBES', 'ENDPOINTS', 'CHECKS_PER_SECOND', 'CHANGED_BYTES_PER_DAY'];
  const service = await startService({
    ...(postgres ? { DATABASE_URL: postgres.url } : { DATA_DIR: directory }),
    ...Object.fromEntries(quotas.map((name) => [`QUOTA_${name}`, name.endsWith('DAY') ? '1000000000' : '10000000'])),
    BENCH_ENTRY: 'bench/simulated-main.mjs',
  });
  cleanups.push(service.stop);
  const client = postgres ? new pg.Client({ connectionString: postgres.url }) : null;
  if (client) {
    await client.connect();
    client.on('error', () => {});
    cleanups.push(() => client.end().catch(() => {}));
  }
  return { service, postgres, client };
}

async function makeProbes({ service }) {
  const probes = [];
  for (let n = 0; n < probeCount; n++) {
    const { token } = await service.api('POST', '/probes', { key: `p${n}` });
    probes.push(new SimulatedProbe(service.url, token));
  }
  cleanups.push(() => Promise.all(probes.map((probe) => probe.disconnect())));
  return probes;
}

/** Returns the probes that endpoint n uses, in rotation, so that all probes have the same number of endpoints. */
const namedBy = (n) => Array.from({ length: locations }, (_, turn) => (n * locations + turn) % probeCount);
const plan = { count: endpoints, timeout, urlOf: (n) => `sim://site/${n}`, type: 'SIM', rule: null, hook: null };

/**
 * Seeds through the API, because only the service itself can open the embedded database. `fields` adds fields to
 * endpoint n.
 */
function seedEmbedded({ api }, every, fields) {
  let n = 0;
  const add = (method, path, body) =>
    api(method, path, path.endsWith('/endpoints') ? { ...body, type: 'SIM', ...fields(n++) } : body);
  return seedThroughApi(add, { ...plan, interval: every });
}

/**
 * Stores endpoints like EndpointService, each with its locations. They don't yet have the number that identifies them
 * to probes.
 */
async function seedLocated({ service, postgres, client }) {
  if (!postgres) return seedEmbedded(service, interval, (n) => ({ locations: namedBy(n).map((probe) => `p${probe}`) }));
  const ids = await seed(postgres.url, { ...plan, interval, active: false });
  const { rows: probes } = await client.query('SELECT number FROM probe ORDER BY number');
  const rows = ids.flatMap((id, n) =>
    namedBy(n).map((probe, turn) => ({
      id,
      number: probes[probe].number,
      turn,
      phase: locationPhaseMs(id, interval, { turn, of: locations }),
    })),
  );
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO endpoint_location (endpoint_id, number, org_id, position, phase_ms)
     SELECT v.id, v.number, e.org_id, v.turn, v.phase
       FROM unnest($1::uuid[], $2::smallint[], $3::smallint[], $4::int[]) AS v(id, number, turn, phase) JOIN endpoint e ON e.id = v.id`,
    ['id', 'number', 'turn', 'phase'].map((name) => rows.map((row) => row[name])),
  );
  await client.query('UPDATE endpoint SET location_count = $1 WHERE id = ANY ($2::uuid[])', [locations, ids]);
  await client.query(
    `UPDATE endpoint_schedule SET located = true, scheduled = false, active = true, next_check_at = 'infinity' WHERE endpoint_id = ANY ($1::uuid[])`,
    [ids],
  );
  await client.query('COMMIT');
  await client.query('ANALYZE');
}

/** Waits until the sweep has numbered all rows. Rows that are sent before that are sent again. */
async function untilNumbered({ client }) {
  if (!client) return sleep(5000);
  const unnumbered = `SELECT EXISTS (SELECT FROM endpoint_location WHERE version IS NULL AND number > 0) AS "any"`;
  while ((await client.query(unnumbered)).rows[0].any) await sleep(50);
}

/**
 * Returns how long it takes until this many endpoints are down, or NaN if only the service itself can read the
 * database.
 */
async function untilKnown(client, count) {
  if (!client) return NaN;
  const began = performance.now();
  const known = async () =>
    (await client.query('SELECT count(*)::int AS n FROM endpoint_state WHERE status = 0')).rows[0].n;
  while ((await known()) < count) {
    if (performance.now() - began > KNOWN_LIMIT_MS) return NaN;
    await sleep(100);
  }
  return performance.now() - began;
}

async function look({ service, postgres, client }) {
  const metrics = await Exposition.read(service.url);
  return {
    at: performance.now(),
    recorded: metrics.value('uptime_record_batch_size_sum') - (metrics.value('uptime_results_dropped_total') ?? 0),
    service: cpuMs([service.child.pid]),
    // For times below a clock tick: accurate to the nanosecond, but without threads that have exited.
    threads: sum([...threadsMs(service.child.pid).values()], ({ ms }) => ms),
    database: postgres ? cpuMs([postgres.pid]) : NaN,
    wal: client ? Number((await client.query(`SELECT pg_current_wal_lsn() - '0/0' AS wal`)).rows[0].wal) : NaN,
    mb: pssMb([service.child.pid]),
  };
}

/** Returns the usage until `isOver` returns true, and the peak memory. */
async function measureWindow(installation, isOver) {
  const before = await look(installation);
  let peakMb = before.mb;
  for (let next = 0; !isOver(performance.now() - before.at); await sleep(100)) {
    if (performance.now() < next) continue;
    peakMb = Math.max(peakMb, pssMb([installation.service.child.pid]));
    next = performance.now() + 1000;
  }
  const after = await look(installation);
  const used = Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]]));
  return { ...used, seconds: used.at / 1000, peakMb: Math.max(peakMb, after.mb), endMb: after.mb };
}
const forSeconds = (length) => (ms) => ms >= length * 1000;

async function measureIdle() {
  const installation = await startInstallation();
  const probes = await makeProbes(installation);
  note(`${probeCount} probes wait for ${IDLE_SECONDS} s, before and after it none …`);
  await sleep(15_000);
  const without = [await measureWindow(installation, forSeconds(IDLE_SECONDS))];
  for (const probe of probes) probe.connect();
  await sleep(3000);
  const traffic = begin();
  const waiting = await measureWindow(installation, forSeconds(IDLE_SECONDS));
  await Promise.all(probes.map((probe) => probe.disconnect()));
  await sleep(3000);
  without.push(await measureWindow(installation, forSeconds(IDLE_SECONDS)));
  await cleanUp();
  const rate = (of, name) => of[name] / of.seconds;
  const perProbe = (name) => (rate(waiting, name) - sum(without, (one) => rate(one, name)) / 2) / probeCount;
  return { service: perProbe('threads'), database: perProbe('database'), polls: traffic.say(/^poll/) };
}

async function measureLocal() {
  const installation = await startInstallation();
  const { service, postgres } = installation;
  note(`${endpoints} endpoints that the service checks itself every ${localInterval} s …`);
  if (postgres) await seed(postgres.url, { ...plan, interval: localInterval });
  else await seedEmbedded(service, localInterval, () => ({}));
  await sleep(WARM_MS);
  const quiet = await measureWindow(installation, forSeconds(seconds));
  await cleanUp();
  return quiet;
}

async function measureRemote() {
  const installation = await startInstallation();
  const { service, client } = installation;
  const probes = await makeProbes(installation);
  note(`${endpoints} endpoints that ${locations} of ${probeCount} probes check every ${interval} s …`);
  await seedLocated(installation);
  const seeded = performance.now();
  await untilNumbered(installation);
  const numberedMs = client ? performance.now() - seeded : NaN;

  const all = [begin()];
  const beforeMb = pssMb([service.child.pid]);
  const began = performance.now();
  const syncMs = await Promise.all(probes.map((probe) => probe.sync().then(() => performance.now() - began)));
  const told = sum(probes, ({ held }) => held.size);
  const checking = setInterval(() => probes.forEach((probe) => probe.check()), 100);
  cleanups.push(() => clearInterval(checking));
  for (const probe of probes) probe.connect();
  await sleep(WARM_MS);
  const inQuiet = begin();
  const quiet = await measureWindow(installation, forSeconds(seconds));

  note(`The service is away for ${away} s …`);
  await Promise.all(probes.map((probe) => probe.disconnect()));
  // From now on, one in a hundred endpoints is down, as seen from every location.
  const ids = [...new Set(probes.flatMap(({ held }) => [...held.keys()]))];
  SimulatedProbe.broken = new Set(ids.filter((_, n) => n % 100 === 0));
  await sleep(away * 1000);
  for (const probe of probes) probe.behind = probe.results.length;
  const kept = sum(probes, ({ behind }) => behind);
  const inReturn = begin();
  for (const probe of probes) probe.connect();
  const known = untilKnown(client, SimulatedProbe.broken.size);
  const isBack = (ms) => probes.every(({ behind }) => behind === 0) || ms > RETURN_LIMIT_MS;
  const back = await measureWindow(installation, isBack);

  all.push(inQuiet, inReturn, begin());
  clearInterval(checking);
  for (const probe of probes) probe.isEnding = true;
  const until = performance.now() + 60_000;
  while (probes.some(({ results }) => results.length > 0) && performance.now() < until) await sleep(100);
  const made = sum(probes, (probe) => probe.made);
  // Counts the rows themselves. If all of an endpoint's locations stop responding, the sweep adds a row without a
  // location, which doesn't count.
  const stored = client
    ? (await client.query('SELECT count(*)::int AS n FROM check_result WHERE location > 0')).rows[0].n
    : (await look(installation)).recorded;
  const knownMs = await known;
  await cleanUp();
  return {
    told,
    numberedMs,
    syncMs,
    beforeMb,
    quiet,
    inQuiet,
    kept,
    back,
    inReturn,
    all,
    made,
    stored,
    knownMs,
  };
}

const round = (value, digits = 1) => (Number.isFinite(value) ? value.toFixed(digits) : '–');
const slashed = (values, digits) => values.map((value) => round(value ?? NaN, digits)).join(' / ');
const spread = (ms) => slashed(Object.values(quantiles(ms)), 0);
/**
 * CPU milliseconds per result for the service, PostgreSQL, and both. On the embedded database, the service uses all of
 * it.
 */
const perResult = ({ service, database, recorded }) =>
  [service, database, service + (database || 0)].map((ms) => ms / recorded);

async function main() {
  const idle = await measureIdle();
  const local = await measureLocal();
  const remote = await measureRemote();
  const { quiet, inQuiet, back, inReturn, all } = remote;
  const [ofRemote, ofLocal] = [perResult(quiet), perResult(local)];
  const inAll = (names) => sum(all, (traffic) => traffic.sum(names));
  const kind = options.embedded ? ', embedded' : '';
  const rows = [
    ['probes, endpoints, locations, interval', `${probeCount}, ${endpoints}, ${locations}, ${interval} s${kind}`],
    ['results/s asked', round((endpoints * locations) / interval)],
    ['results/s got: probes / local', slashed([quiet, local].map((one) => one.recorded / one.seconds))],
    ['CPU ms per result of a probe: service / PostgreSQL / both', slashed(ofRemote, 3)],
    ['CPU ms per local simulated check: the same', slashed(ofLocal, 3)],
    [
      'ratio: the same',
      slashed(
        ofRemote.map((ms, i) => ms / ofLocal[i]),
        2,
      ),
    ],
    [
      'WAL bytes per result: probes / local',
      slashed(
        [quiet, local].map((one) => one.wal / one.recorded),
        0,
      ),
    ],
    ['idle waiting probe, CPU ms per s: service / PostgreSQL', slashed([idle.service, idle.database], 3)],
    ['its polls', idle.polls],
    ['numbering all definitions, ms', round(remote.numberedMs, 0)],
    ['sync of all probes at once: definitions', String(remote.told)],
    ['sync p50 / p99 / last probe, ms', spread(remote.syncMs)],
    ['responses, quiet', inQuiet.say(/ \d+$/)],
    ['responses, return', inReturn.say(/ \d+$/)],
    ['503, other 5xx, no response, in all', [/ 503$/, / 5(?!03)\d\d$/, / 0$/].map(inAll).join(', ')],
    ['a batch p50 / p99 / max, ms: quiet', spread(inQuiet.batchMs)],
    ['a batch p50 / p99 / max, ms: return', spread(inReturn.batchMs)],
    ['results kept while the service was away', String(remote.kept)],
    ['all of them taken after the return within, s', round(back.seconds)],
    ['one in a hundred that broke meanwhile is known to be down within, s', round(remote.knownMs / 1000)],
    ['CPU ms per result of the return: service / PostgreSQL / both', slashed(perResult(back), 3)],
    [options.embedded ? 'recorded, of all results' : 'rows, of all results', `${remote.stored} of ${remote.made}`],
    ['late, sent twice, refused', [/^late$/, /^duplicates$/, /^refused/].map(inAll).join(', ')],
    ['memory (PSS), MB: before / quiet / return', slashed([remote.beforeMb, quiet.endMb, back.peakMb], 0)],
    ['memory growth by the return, MB', round(back.peakMb - quiet.endMb, 0)],
    ['memory with as many local checks (PSS), MB', round(local.endMb, 0)],
  ];
  if (options.json) console.log(JSON.stringify(Object.fromEntries(rows)));
  else console.log(`| | |\n|---|---|\n${rows.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}`);
}

try {
  await main();
} finally {
  await cleanUp();
}
process.exit(process.exitCode ?? 0);
