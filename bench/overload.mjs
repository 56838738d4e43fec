// npm run bench -- --overload [--capacity 4000] [--interval 5] [--seconds 30] [--organizations 2] [--checkout dir]
//
// Shows what happens beyond the limit. One process with its own PostgreSQL server gets 0.5, 1, 1.5, 2, and 3 times the
// load that it can handle, then 0.5 again, and one table is printed. The load changes in place: endpoints are enabled
// and disabled in the schedule. An external target is the witness for checks and notifications. Everything else is read
// from /metrics. If the version under test doesn't have a metric, it is shown as –.
//   --capacity N        the checks per second that it can handle; by default, a ramp on a separate process finds it
//   --seconds N         how long each step is measured, starting when the load changes
//   --steps a,b,…       the multiples, by default 0.5,1,1.5,2,3,0.5
//   --organizations 2   a second organization has 90 % of the load; the first has the rest and the API requests
//   --endpoints N       the maximum number of endpoints    --breaks K    sites that fail in the first half of each step
//   --delay ms          the target's response time (5)     --json        one line instead of the table
//   --checkout dir      another built tree, to compare two versions
//   --slow-recorder     each batch of results takes 3 s longer (a failpoint): overload at a low rate, on any machine
//   --simulated         checks without a network: the engine alone, without notifications
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { apiProbe, Exposition, healthProbe } from './overload-probes.mjs';
import { overloadTable } from './overload-report.mjs';
import { cpuMs, machineMs, pssMb } from './processes.mjs';
import { quantiles } from './schedule-report.mjs';
import { seed } from './seed.mjs';
import { prototypeRule, startPostgres, startService, uuidOf } from './service.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const OPERATOR_TOKEN = 'bench-operator-token-of-this-run';
/** The rates in the ramp: the first rate, the factor for each following rate, and how long each one lasts. */
const RAMP = { from: 400, growth: 1.3, seconds: 6, upTo: 8000 };

const note = (text) => process.stderr.write(`${text}\n`);

/** Measures and prints. `cleanups` collects what must be undone, even after an error. */
export async function runOverload(args, cleanups) {
  const flag = { type: 'boolean', default: false };
  const { values } = parseArgs({
    args,
    options: {
      overload: flag,
      simulated: flag,
      json: flag,
      'slow-recorder': flag,
      capacity: { type: 'string' },
      interval: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '30' },
      steps: { type: 'string', default: '0.5,1,1.5,2,3,0.5' },
      organizations: { type: 'string', default: '1' },
      endpoints: { type: 'string', default: '100000' },
      breaks: { type: 'string', default: '20' },
      delay: { type: 'string', default: '5' },
      checkout: { type: 'string', default: root },
    },
  });
  const settings = {
    ...values,
    interval: Number(values.interval),
    seconds: Number(values.seconds),
    steps: values.steps.split(',').map(Number),
    endpoints: Number(values.endpoints),
    breaks: values.simulated ? 0 : Number(values.breaks),
    checkout: resolve(values.checkout),
    capacity: values.capacity === undefined ? null : Number(values.capacity),
    bigShare: values.organizations === '2' ? 0.9 : 0,
  };
  const most = Math.max(...settings.steps) * (settings.capacity ?? RAMP.upTo / 2) * settings.interval;
  const count = Math.min(settings.endpoints, Math.ceil(most));

  const target = await startTarget(count, settings, cleanups);
  const postgres = await startPostgres();
  cleanups.push(() => postgres.remove());
  let service = await startService(environmentOf(settings, postgres.url), settings.checkout);
  cleanups.push(() => service.stop());
  note(`Seeding ${count} endpoints every ${settings.interval} s …`);
  const groups = await seedGroups(service, postgres, target, count, settings);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  client.on('error', () => {});
  cleanups.push(() => client.end().catch(() => {}));
  const bench = { settings, target, postgres, client, groups, count, service };

  if (settings.capacity === null) {
    settings.capacity = await findCapacity(bench);
    note(`Capacity: ${settings.capacity} checks a second. A fresh process is asked more than that …`);
    await load(bench, 0);
    await service.stop();
    service = await startService(environmentOf(settings, postgres.url, service.key), settings.checkout);
    bench.service = service;
  }
  // During its first seconds, a process mostly compiles.
  await load(bench, 0.5 * settings.capacity);
  await sleep(15_000);

  const probe = apiProbe(service, await endpointOf(service));
  cleanups.push(() => probe.stop());
  const steps = [];
  for (const [i, factor] of settings.steps.entries()) {
    const step = await measure(bench, probe, { factor, number: i, isReturn: i > 0 && factor < settings.steps[i - 1] });
    note(`${factor} × : asked ${step.asked.toFixed(0)}/s, got ${step.got.toFixed(0)}/s`);
    steps.push(step);
    if (service.child.exitCode !== null || service.child.signalCode !== null) break;
  }
  const facts = {
    capacity: settings.capacity,
    interval: settings.interval,
    count,
    groups,
    checkout: settings.checkout,
  };
  console.log(
    settings.json ? JSON.stringify({ ...facts, groups: undefined, steps }, finite) : overloadTable(facts, steps),
  );
}

/** JSON has no infinity. Steps that never finished are `"never"`. */
const finite = (_, value) => (value === Infinity ? 'never' : value);

const environmentOf = (settings, databaseUrl, key) => ({
  DATABASE_URL: databaseUrl,
  OPERATOR_TOKEN,
  EGRESS_PRIVATE: 'allow',
  QUOTA_ENDPOINTS: '10000000',
  QUOTA_ALERTS: '10000000',
  QUOTA_CHECKS_PER_SECOND: '10000000',
  ...(key ? { BOOTSTRAP_API_KEY: key } : {}),
  ...(settings.simulated ? { BENCH_ENTRY: 'bench/simulated-main.mjs' } : {}),
  ...(settings['slow-recorder'] ? { FAILPOINTS: 'recorder.before_commit=slow' } : {}),
});

async function startTarget(count, settings, cleanups) {
  const script = fileURLToPath(new URL('overload-target.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, '--sites', String(count), '--delay', settings.delay], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanups.push(() => child.kill('SIGTERM'));
  const [line] = await once(child.stdout, 'data');
  const [sites, control] = String(line).trim().split(' ');
  const url = `http://127.0.0.1:${control}`;
  return {
    pid: child.pid,
    sites: `http://127.0.0.1:${sites}`,
    hook: `${url}/hook`,
    control: async (path, method = 'POST') => (await fetch(`${url}/control/${path}`, { method })).json(),
  };
}

/** Creates each organization's endpoints, all disabled: `{ name, share, first, ids }`, numbered like their sites. */
async function seedGroups(service, postgres, target, count, settings) {
  const urlOf = (n) => (settings.simulated ? `sim://site/${n}` : `${target.sites}/site/${n}`);
  const type = settings.simulated ? 'SIM' : 'HTTP';
  const groups = [];
  const add = async (name, share, organization, api) => {
    const first = groups.reduce((sum, { ids }) => sum + ids.length, 0);
    const rule = settings.breaks > 0 ? await prototypeRule(api, target.hook) : null;
    const ids = await seed(postgres.url, {
      count: Math.floor(count * share),
      interval: settings.interval,
      timeout: Math.max(1, Math.min(5, Math.floor((settings.interval - 6) / 2))),
      urlOf: (n) => urlOf(first + n),
      type,
      rule,
      organization,
      active: false,
      checkout: settings.checkout,
    });
    groups.push({ name, share, first, ids });
  };
  await add(settings.bigShare > 0 ? 'small' : 'all', 1 - settings.bigShare, null, service.api);
  if (settings.bigShare > 0) {
    const big = await createOrganization(service);
    await add('big', settings.bigShare, big.uuid, big.api);
  }
  return groups;
}

async function createOrganization(service) {
  const ask = async (path, token, body) => {
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const created = await ask('/organizations', OPERATOR_TOKEN, { name: 'Big' });
  const { key } = created.api_key;
  return { uuid: uuidOf(created.id), api: (_, path, body) => ask(path, key, body) };
}

/** Returns an endpoint in the first organization to send GET requests for. */
async function endpointOf(service) {
  for (const website of await service.api('GET', '/websites')) {
    if (website.name !== 'Bench') continue;
    const [endpoint] = await service.api('GET', `/websites/${website.id}/endpoints?limit=1`);
    return endpoint.id;
  }
  throw new Error('nothing was seeded');
}

/** Enables as many endpoints in each group as `perSecond` needs, starting with their next slot. */
async function load(bench, perSecond) {
  const { client, groups, settings } = bench;
  for (const { ids, share } of groups) {
    const active = Math.min(ids.length, Math.round(perSecond * settings.interval * share));
    await client.query(
      `UPDATE endpoint_schedule SET active = v.on, next_check_at = CASE WHEN active THEN next_check_at ELSE
              date_bin(make_interval(secs => interval_seconds), now(), timestamptz 'epoch' + make_interval(secs => phase_ms / 1000.0)) + make_interval(secs => interval_seconds) END
         FROM unnest($1::uuid[], $2::bool[]) AS v(id, "on") WHERE endpoint_id = v.id AND active <> v.on`,
      [ids, ids.map((_, n) => n < active)],
    );
    bench.active = { ...bench.active, [share]: active };
  }
  return activeOf(bench) / settings.interval;
}

const activeOf = ({ groups, active }) => groups.reduce((sum, { share }) => sum + active[share], 0);

/** Returns the highest rate in a ramp at which checks are started and recorded in time. */
async function findCapacity(bench) {
  let found = null;
  await load(bench, RAMP.from);
  await sleep(10_000);
  for (let rate = RAMP.from; rate <= RAMP.upTo; rate *= RAMP.growth) {
    const asked = await load(bench, rate);
    if (found !== null && asked <= found) break;
    await sleep((bench.settings.interval / 2) * 1000);
    const before = await snapshot(bench);
    await sleep(RAMP.seconds * 1000);
    const now = await snapshot(bench);
    const seconds = (now.at - before.at) / 1000;
    const got = now.metrics.since(before.metrics, 'uptime_checks_total') / seconds;
    const recorded = now.metrics.since(before.metrics, 'uptime_record_batch_size_sum') / seconds;
    const late = now.metrics.quantile(before.metrics, 'uptime_check_lateness_seconds', 0.99);
    note(
      `asked ${asked.toFixed(0)}/s: ${got.toFixed(0)}/s checked, ${recorded.toFixed(0)}/s recorded, p99 ${late} s late`,
    );
    // The recorder lags by up to a second's worth of results.
    if (got < 0.96 * asked || recorded < 0.85 * asked || waitingOf(now.metrics) > 2 * asked || late > 1) break;
    found = asked;
  }
  if (found === null) throw new Error(`less than ${RAMP.from} checks a second: say what it can do with --capacity`);
  return Math.round(found);
}

async function snapshot({ service, target, postgres, settings }) {
  const metrics = await Exposition.read(service.url);
  return {
    at: performance.now(),
    metrics,
    serviceMs: cpuMs([service.child.pid]),
    databaseMs: cpuMs([postgres.pid]),
    targetMs: cpuMs([target.pid]),
    machineMs: machineMs(),
    total: settings.simulated ? null : (await target.control('count', 'GET')).total,
  };
}

/** Runs one step: changes the load, breaks sites in the first half of the step, and returns the result. */
async function measure(bench, probe, { factor, number, isReturn }) {
  const { settings, target, service } = bench;
  const before = await snapshot(bench);
  await target.control('begin');
  probe.reset();
  const changed = performance.now();
  const asked = await load(bench, factor * settings.capacity);
  const changedMs = performance.now() - changed;
  const health = healthProbe(service.url);
  const broken = breakSites(bench, number);
  const watch = { peakMb: 0, ratio: null, waiting: 0, recoveredMs: null };
  const ends = before.at + settings.seconds * 1000;
  const recovery = isReturn ? recoveryWatch(asked, changed) : null;
  while (performance.now() < ends) {
    await sleep(Math.max(10, Math.min(500, ends - performance.now())));
    if (service.child.exitCode !== null || service.child.signalCode !== null) break;
    const now = await snapshot(bench).catch(() => null);
    watch.peakMb = Math.max(watch.peakMb, pssMb([service.child.pid]));
    if (now === null) continue;
    watch.waiting = Math.max(watch.waiting, waitingOf(now.metrics));
    const ratio = now.metrics.value('uptime_overload_ratio');
    if (ratio !== null) watch.ratio = Math.max(watch.ratio ?? 0, ratio);
    recovery?.see(now, health.isReady());
  }
  const after = await snapshot(bench).catch(() => null);
  const seen = await target.control('step', 'GET');
  await target.control('heal');
  const healthSeen = await health.stop();
  if (after === null) throw new Error('the service no longer responds to /metrics');
  const seconds = (after.at - before.at) / 1000;
  const since = (name) => after.metrics.since(before.metrics, name);
  const sum = (list) => list.reduce((total, value) => total + value, 0);
  const got = settings.simulated ? since('uptime_checks_total') : after.total - before.total;
  return {
    factor,
    asked,
    seconds,
    got: got / seconds,
    recorded: (since('uptime_record_batch_size_sum') - (since('uptime_results_dropped_total') ?? 0)) / seconds,
    lost: since('uptime_results_lost_total'),
    skipped: since('uptime_slots_skipped_total'),
    waiting: watch.waiting,
    historyLost: since('uptime_history_lost_total'),
    ratio: watch.ratio,
    told: quantiles(seen.told.map(([, ms]) => ms)),
    toldCount: seen.told.length,
    failing: seen.failing,
    broken: broken.length,
    untrue: seen.untrue,
    late: [0.5, 0.99].map((q) => after.metrics.quantile(before.metrics, 'uptime_check_lateness_seconds', q)),
    claimLag: after.metrics.value('uptime_scheduler_lag_seconds'),
    api: probe.report(),
    health: healthSeen,
    peakMb: watch.peakMb,
    cpu: ['serviceMs', 'databaseMs', 'targetMs', 'machineMs'].map((key) => (after[key] - before[key]) / 1000 / seconds),
    changedMs,
    recoveredMs: recovery?.recoveredMs() ?? null,
    isReturn,
    perEndpoint: settings.simulated ? null : spreadOf(bench, seen.counts),
    groups: bench.groups.map(({ name, share, first, ids }) => ({
      name,
      asked: (bench.active[share] / settings.interval) * seconds,
      got: settings.simulated ? null : sum(seen.counts.slice(first, first + ids.length)),
      told: seen.told.filter(([n]) => n >= first && n < first + ids.length).length,
      broken: broken.filter((n) => n >= first && n < first + ids.length).length,
    })),
  };
}

/** Returns the number of results that have been neither recorded nor given up. */
const waitingOf = (metrics) =>
  Math.max(
    0,
    metrics.value('uptime_checks_total') -
      metrics.value('uptime_record_batch_size_sum') -
      (metrics.value('uptime_results_lost_total') ?? 0),
  );

/** Returns the lowest, median, and highest number of checks among the active endpoints. */
function spreadOf(bench, counts) {
  const active = bench.groups.flatMap(({ first, share }) => counts.slice(first, first + bench.active[share]));
  const { p50, max } = quantiles(active);
  return { least: active.reduce((least, value) => Math.min(least, value), Infinity), p50, most: max };
}

/** Breaks sites that every step checks. Each step breaks different sites, spread evenly over the organizations. */
function breakSites({ settings, target, groups }, number) {
  const each = Math.floor(settings.breaks / groups.length);
  const always = Math.min(...settings.steps) * settings.capacity * settings.interval;
  const sites = groups.flatMap(({ first, share }) => {
    const stride = (Math.floor(always * share) - settings.steps.length) / each;
    return Array.from({ length: each }, (_, i) => first + Math.floor(i * stride) + number);
  });
  for (const [i, site] of sites.entries())
    setTimeout(() => void target.control(`break?site=${site}`), (i / sites.length) * settings.seconds * 500).unref();
  return sites;
}

/**
 * Recovered means ready, with no start a second late, all requested checks done, and at most a second's worth of
 * results waiting.
 */
function recoveryWatch(asked, changed) {
  let last = null;
  let goodSince = null;
  return {
    see(now, isReady) {
      if (last !== null) {
        const seconds = (now.at - last.at) / 1000;
        const late = now.metrics.quantile(last.metrics, 'uptime_check_lateness_seconds', 0.99) ?? 0;
        const got = now.metrics.since(last.metrics, 'uptime_checks_total') / seconds;
        const isGood = isReady && late <= 1 && got >= 0.8 * asked && waitingOf(now.metrics) <= asked * 1.5 + 50;
        goodSince = isGood ? (goodSince ?? now.at) : null;
      }
      last = now;
    },
    recoveredMs: () => (goodSince === null ? Infinity : goodSince - changed),
  };
}
