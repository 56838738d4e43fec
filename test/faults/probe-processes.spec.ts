import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../packages/testing/eventually';
import { Api, type ApiResponse } from '../../packages/testing/service/api';
import { OPERATOR_TOKEN } from '../../packages/testing/service/start-service';
import type { CreatedOrganizationView } from '../../src/identity/organization/organization.dto';
import { Database, type Sql } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import type { CreatedProbeView, ProbeView, RotatedProbeView } from '../../src/probe/probe.dto';
import { newEndpoint, newWebsite } from '../harness/app/resources';
import { numberNow } from '../harness/app/manual-probe';
import { findPostgres } from '../harness/database/postgres-cluster';
import { freePort } from '../harness/machine/free-port';
import { fakeTime, SetClock } from '../harness/machine/set-clock';
import { many } from '../harness/many';
import { checkLocations, watchLocations } from '../harness/probe/location-invariants';
import { FaultBench } from '../harness/processes/fault-bench';
import { KILL_DATABASES, type KillScene } from '../harness/processes/kill-scene';
import { watch } from '../harness/processes/service-process';
import { StartFolder, type StartProcess } from '../harness/processes/start-process';
import { FaultProxy } from '../harness/servers/fault-proxy';
import { SwitchableServer } from '../harness/servers/switchable-server';

/**
 * `PROBE_PARTITIONS=long` cuts probes off for 5 and 20 minutes and stops the service for 10, in real time. Otherwise
 * parts of a minute.
 */
const LONG = process.env['PROBE_PARTITIONS'] === 'long';
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const INTERVAL = 5 * SECOND;
/** A location that has reported nothing for 27 s is stale, and its next results are late. */
const CHECKED = { timeout: 2, interval: INTERVAL / SECOND };
/** Longer than the time after which a location is stale. */
const CUT = LONG ? 5 * MINUTE : 32 * SECOND;
const AWAY = LONG ? 10 * MINUTE : 45 * SECOND;
/** After this time, the recovery is older than the maximum age of a fresh result. */
const HEALED_AFTER = LONG ? 4 * MINUTE : 10 * SECOND;
/** The time that a busy machine may add to a promise. */
const BUSY = 10 * SECOND;
const LEASE = 15 * MINUTE;
const CUT_FOR_LONG = 20 * MINUTE;
const LIMIT = LONG ? 30 * MINUTE : 6 * MINUTE;

interface Slot {
  /** The slot in the grid of the endpoint at the location, counted since the epoch. */
  slot: number;
  /** How long after the slot the check started. */
  lateMs: number;
  atMs: number;
}

/** Returns the recorded checks of a location in the order of recording. */
const slotsOf = (sql: Sql, endpoint: string, key: string): Promise<Slot[]> =>
  sql.query<Slot>(
    `SELECT floor(at / stride)::int AS slot, mod(at, stride)::float8 AS "lateMs", ms::float8 AS "atMs"
       FROM (SELECT r.seq, ms, ms - l.phase_ms AS at, c.interval_seconds * 1000 AS stride
               FROM recorded_check r JOIN endpoint e ON e.key = r.endpoint_key
               JOIN endpoint_location l ON l.endpoint_id = e.id AND l.number = r.location
               LEFT JOIN probe p ON p.number = l.number
               JOIN endpoint_schedule c ON c.endpoint_id = e.id,
                    LATERAL (SELECT round(extract(epoch FROM r.checked_at) * 1000) AS ms) checked
              WHERE e.id = $1 AND coalesce(p.key, 'local') = $2) checks ORDER BY seq`,
    [parseId('endpoint', endpoint), key],
  );

/** The number of slots in a row that a busy machine may skip. `expectAllRecorded` ensures that no result is lost. */
const LEFT_OUT = 2;

/** Returns the places where more slots are missing, or a check came more than an interval late. */
function gapsOf(slots: readonly Slot[]): string[] {
  const gaps: string[] = [];
  let next = Infinity;
  for (const { slot, lateMs } of slots.toReversed()) {
    // It may have started when the next one was due.
    const own = Math.min(slot, next - 1);
    if (next !== Infinity && (own < next - 1 - LEFT_OUT || own < slot - 1))
      gaps.push(`${slot} + ${lateMs} ms before ${next}`);
    next = own;
  }
  return gaps;
}

const eventsOf = (sql: Sql, endpoints: readonly string[]) =>
  sql.query<{ type: string; startedMs: number }>(
    `SELECT type, extract(epoch FROM started_at)::float8 * 1000 AS "startedMs" FROM alert_event WHERE endpoint_id = ANY ($1::uuid[]) ORDER BY id`,
    [endpoints.map((id) => parseId('endpoint', id))],
  );

/** Returns the requests that may be the second of a check, because a check that a stall distorted is repeated. */
const repeatsOf = (requests: readonly { at: number }[]): number =>
  requests.slice(1).filter(({ at }, i) => at - (requests[i]?.at ?? 0) < INTERVAL - SECOND).length;

/** For a probe that exited automatically: each check that a target saw is recorded, and no others are. */
async function expectAllRecorded(
  sql: Sql,
  key: string,
  targets: readonly (readonly [endpoint: string, path: string])[],
  { seen }: SwitchableServer,
): Promise<void> {
  for (const [endpoint, path] of targets) {
    const requests = seen.filter((request) => request.path === path);
    const lost = requests.length - (await slotsOf(sql, endpoint, key)).length;
    expect([path, lost < 0, lost > repeatsOf(requests)]).toEqual([path, false, false]);
  }
}

/** Creates a probe and starts its program as often as needed. */
class ProbeProgram {
  private constructor(
    private readonly folder: StartFolder,
    private env: Readonly<Record<string, string>>,
    private readonly api: Api,
    readonly id: string,
  ) {}

  static async of(
    api: Api,
    key: string,
    folder: StartFolder,
    url: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<ProbeProgram> {
    const { status, body, text } = await api.post<CreatedProbeView>('/probes', { key, allow_private: true });
    if (status !== 201) throw new Error(`no probe was made: ${status} ${text}`);
    return new ProbeProgram(folder, { ROLE: 'probe', PROBE_URL: url, PROBE_TOKEN: body.token, ...more }, api, body.id);
  }

  start(): StartProcess {
    return this.folder.launch({ env: this.env });
  }

  async rotate(): Promise<void> {
    const { body } = await this.api.post<RotatedProbeView>(`/probes/${this.id}/rotate`, {});
    this.env = { ...this.env, PROBE_TOKEN: body.token };
  }

  async view(): Promise<ProbeView> {
    return (await this.api.get<ProbeView>(`/probes/${this.id}`)).body;
  }
}

const kill = async (process: StartProcess): Promise<void> => {
  process.signal('SIGKILL');
  await process.ended();
};

const suite = findPostgres() === null ? describe.skip : describe;

// Each scene mostly waits, so they run in parallel, and each test waits for its own scene.
suite('probe processes and a service (skipped without PostgreSQL’s programs)', () => {
  const folder = new StartFolder();
  const clocks = fakeTime === null ? [] : [new SetClock(), new SetClock()];
  let target: SwitchableServer;
  let hook: SwitchableServer;
  let bench: FaultBench;
  let api: Api;
  let serviceUrl: string;
  /** Endpoints of programs that are never killed, by location. */
  const ended = new Map<string, string[]>();
  let played: Record<
    'killed' | 'twoProcesses' | 'refused' | 'rotated' | 'cutOff' | 'cutForLong' | 'wrongClocks' | 'away',
    Promise<void>
  >;

  beforeAll(async () => {
    [target, hook] = [await SwitchableServer.start(), await SwitchableServer.start()];
    bench = await FaultBench.open();
    ({ api, url: serviceUrl } = await bench.start({ OPERATOR_TOKEN }));
    await watchLocations(bench.witness);
    played = {
      killed: killed(),
      twoProcesses: twoProcesses(),
      refused: refused(),
      rotated: rotated(),
      cutOff: cutOff(),
      cutForLong: LONG ? cutForLong() : Promise.resolve(),
      wrongClocks: wrongClocks(),
      away: away(),
    };
    // Avoids unhandled rejections. Each test awaits its own scene.
    for (const scene of Object.values(played)) scene.catch(() => {});
  }, 180_000);
  afterAll(async () => {
    await Promise.allSettled(Object.values(played));
    await folder.remove();
    await bench.close();
    await target.close();
    await hook.close();
    for (const clock of clocks) clock.remove();
  }, LIMIT);

  /** Creates endpoints that alert at the first failure, under paths with this name. */
  const watched = async (
    by: Api,
    name: string,
    count: number,
    locations: readonly string[],
    more: { interval?: number } = {},
  ): Promise<string[]> => {
    const endpoint = { ...CHECKED, locations, ...more };
    return (await watch(by, count, `${target.url}/${name}`, `${hook.url}/${name}`, { endpoint })).endpoints;
  };
  const toldOf = (name: string) => hook.seen.filter(({ key }) => key === name).map(({ path }) => path);
  const arrived = (name: string) => target.seen.filter(({ key }) => key === name);
  const slots = (endpoint: string, key: string) => slotsOf(bench.witness, endpoint, key);
  /** Retries until the database of a busy machine responds. */
  const slotsOfAll = (endpoints: readonly string[], key: string) =>
    eventually(
      'the database answers',
      () => Promise.all(endpoints.map((id) => slots(id, key))).catch(() => null),
      2 * MINUTE,
    );
  const recorded = (sql: Sql, endpoints: readonly string[], key: string, count: number, since = 0) =>
    eventually(
      `${count} checks of each from ${key} are recorded`,
      async () => {
        const all = await Promise.all(endpoints.map((id) => slotsOf(sql, id, key)));
        return all.every((list) => list.filter(({ atMs }) => atMs > since).length >= count);
      },
      count * INTERVAL + 90 * SECOND,
    );

  async function killed(): Promise<void> {
    const probe = await ProbeProgram.of(api, 'killed', folder, serviceUrl);
    const endpoints = await watched(api, 'killed', 6, ['killed']);
    const first = probe.start();
    await recorded(bench.witness, endpoints, 'killed', 2);
    await kill(first);
    const killedAt = Date.now();
    const again = probe.start();
    await eventually('it runs again', () => again.said.includes('Probe is running'), 60_000);
    const runningAt = Date.now();
    await recorded(bench.witness, endpoints, 'killed', 3, killedAt);
    const late: number[] = [];
    for (const [index, id] of endpoints.entries()) {
      const all = await slots(id, 'killed');
      const after = all.filter(({ atMs }) => atMs > killedAt);
      expect(gapsOf(after)).toEqual([]);
      expect((after[0]?.atMs ?? NaN) - runningAt).toBeLessThan(INTERVAL + BUSY);
      // The target saw no more of them than were recorded or are about to be.
      const requests = arrived('killed').filter(({ path, at }) => path === `/killed/${index}` && at > killedAt);
      expect(requests.length - after.length).toBeLessThanOrEqual(2);
      const passed = (requests.at(-1)?.at ?? NaN) - (requests[0]?.at ?? NaN);
      expect(requests.length).toBeLessThanOrEqual(passed / INTERVAL + 2);
      late.push(after[0]?.lateMs ?? NaN);
    }
    // A busy machine makes a check late, never early.
    expect(Math.min(...late)).toBeLessThan(50);
    expect([await eventsOf(bench.witness, endpoints), toldOf('killed')]).toEqual([[], []]);
  }

  it(
    'killed and started again, continues with the next slot on its millisecond: no burst, no event (Grafana agent #1605)',
    () => played.killed,
    LIMIT,
  );

  async function twoProcesses(): Promise<void> {
    const probe = await ProbeProgram.of(api, 'twice', folder, serviceUrl);
    const endpoints = await watched(api, 'twice', 4, ['twice']);
    const first = probe.start();
    await recorded(bench.witness, endpoints, 'twice', 1);
    const session = async () =>
      (await bench.witness.query<{ session: string }>(`SELECT session FROM probe WHERE key = 'twice'`))[0]?.session;
    const before = await session();
    const second = probe.start();
    await eventually('the second works', () => first.said.includes('Another process uses this token'), 60_000);
    await recorded(bench.witness, endpoints, 'twice', 2, Date.now());
    await kill(second);
    const killedAt = Date.now();
    await eventually('the first works again', async () => (await session()) === before, 90_000);
    expect(Date.now() - killedAt).toBeLessThan(MINUTE + BUSY);
    await recorded(bench.witness, endpoints, 'twice', 2, Date.now());
    expect([await eventsOf(bench.witness, endpoints), toldOf('twice')]).toEqual([[], []]);
  }

  it(
    'that share one token: the second works and the first waits, and takes over within 60 s after the second ends',
    () => played.twoProcesses,
    LIMIT,
  );

  async function refused(): Promise<void> {
    const operator = new Api(serviceUrl, OPERATOR_TOKEN);
    const { body: organization } = await operator.post<CreatedOrganizationView>('/organizations', { name: 'Gone' });
    const theirs = new Api(serviceUrl, organization.api_key.key);
    await Promise.all([
      isRefused('revoked', api, (id) => api.post(`/probes/${id}/rotate`, { grace: 0 })),
      isRefused('disabled', api, (id) => api.put(`/probes/${id}`, { enabled: false })),
      isRefused('deleted', theirs, () => operator.delete(`/organizations/${organization.id}`)),
    ]);
  }

  /** Checks every second until `end` has taken effect. */
  async function isRefused(key: string, by: Api, end: (id: string) => Promise<ApiResponse>): Promise<void> {
    const probe = await ProbeProgram.of(by, key, folder, serviceUrl);
    const fields = { ...CHECKED, type: 'HTTP', url: `${target.url}/${key}`, interval: 1, locations: [key] };
    const endpoint = await newEndpoint(by, await newWebsite(by), fields);
    const program = probe.start();
    await eventually('it checks', () => arrived(key).length > 2, 90_000);
    expect((await end(probe.id)).status).toBeLessThan(300);
    const endedAt = Date.now();
    await eventually('it is refused', () => program.said.includes('The service rejects the token'), 90_000);
    const accepted = (await slots(endpoint, key)).length;
    const last = () => arrived(key).at(-1)?.at ?? NaN;
    await eventually('nothing is checked for several intervals', () => Date.now() - last() > 4 * SECOND, 90_000);
    expect(last() - endedAt).toBeLessThan(30 * SECOND);
    expect((await slots(endpoint, key)).length).toBe(accepted);
  }

  it(
    'whose token is revoked, that are disabled, or whose organization is deleted: nothing is accepted any more, and nothing is checked after 30 s',
    () => played.refused,
    LIMIT,
  );

  async function rotated(): Promise<void> {
    const probe = await ProbeProgram.of(api, 'rotated', folder, serviceUrl);
    const endpoints = await watched(api, 'rotated', 3, ['rotated']);
    ended.set('rotated', endpoints);
    const first = probe.start();
    await recorded(bench.witness, endpoints, 'rotated', 1);
    await probe.rotate();
    await recorded(bench.witness, endpoints, 'rotated', 1, Date.now());
    await first.stop();
    probe.start();
    await recorded(bench.witness, endpoints, 'rotated', 2, Date.now());
    for (const id of endpoints) expect(gapsOf(await slots(id, 'rotated'))).toEqual([]);
    expect([await eventsOf(bench.witness, endpoints), toldOf('rotated')]).toEqual([[], []]);
  }

  it(
    'whose token is rotated continues with the old one, and with the new one from its restart on: no gap, no event',
    () => played.rotated,
    LIMIT,
  );

  async function cutOff(): Promise<void> {
    const relay = bench.keep(await FaultProxy.to(Number(new URL(serviceUrl).port)));
    const probe = await ProbeProgram.of(api, 'cut', folder, `http://127.0.0.1:${relay.port}`);
    const endpoints = await watched(api, 'cut', 3, ['cut']);
    ended.set('cut', endpoints);
    const shared = await watched(api, 'shared', 2, ['local', 'cut']);
    const all = [...endpoints, ...shared];
    probe.start();
    await recorded(bench.witness, all, 'cut', 1);
    // The connection is half-open. Its pending data arrives when this ends, after the probe has sent it again.
    relay.set('silent');
    await delay(CUT);
    relay.set('none');
    await recorded(bench.witness, all, 'cut', 2, Date.now());
    for (const id of all) expect(gapsOf(await slots(id, 'cut'))).toEqual([]);
    expect((await slots(all[0] ?? '', 'cut')).length).toBeGreaterThan(CUT / INTERVAL);
    expect(await probe.view()).toMatchObject({ status: 'online', dropped: 0 });
    expect([await eventsOf(bench.witness, all), toldOf('cut'), toldOf('shared')]).toEqual([[], [], []]);
  }

  it(
    'disconnected and reconnected, has each slot recorded, once and in its order: no event',
    () => played.cutOff,
    LIMIT,
  );

  async function cutForLong(): Promise<void> {
    const relay = bench.keep(await FaultProxy.to(Number(new URL(serviceUrl).port)));
    const probe = await ProbeProgram.of(api, 'long', folder, `http://127.0.0.1:${relay.port}`);
    const endpoints = await watched(api, 'long', 3, ['long']);
    probe.start();
    await recorded(bench.witness, endpoints, 'long', 3);
    relay.set('reset');
    const cutAt = Date.now();
    await delay(CUT_FOR_LONG);
    const before = await slotsOfAll(endpoints, 'long');
    const checks = arrived('long');
    relay.set('none');
    const backAt = Date.now();
    await recorded(bench.witness, endpoints, 'long', 2, backAt);
    // The lease was renewed by the last response, at most one poll before the cut.
    const lastCheck = Math.max(...checks.map(({ at }) => at));
    expect(lastCheck - cutAt).toBeGreaterThan(LEASE - 30 * SECOND);
    expect(lastCheck - cutAt).toBeLessThan(LEASE + INTERVAL);
    let found = 0;
    for (const [index, id] of endpoints.entries()) {
      const list = await slots(id, 'long');
      const kept = list.slice(before[index]?.length ?? 0).filter(({ atMs }) => atMs < backAt);
      expect(gapsOf(kept)).toEqual([]);
      expect(gapsOf(list)).toHaveLength(2);
      // Results of the last 15 minutes are kept.
      expect(Math.abs((kept[0]?.atMs ?? NaN) - (backAt - LEASE))).toBeLessThan(20 * SECOND);
      found += list.filter(({ atMs }) => atMs <= lastCheck).length;
    }
    const repeats = endpoints.map((_, i) => repeatsOf(checks.filter(({ path }) => path === `/long/${i}`)));
    const least = checks.length - found - repeats.reduce((sum, count) => sum + count, 0);
    // Results that were dropped between the first poll and the first batch are reported with the next poll.
    const { dropped } = await eventually(
      'it is told',
      async () => {
        const view = await probe.view();
        return (view.dropped ?? 0) >= least && view;
      },
      60_000,
    );
    expect(dropped).toBeLessThanOrEqual(checks.length - found);
    expect([await eventsOf(bench.witness, endpoints), toldOf('long')]).toEqual([[], []]);
  }

  if (LONG)
    it(
      'disconnected for 20 minutes, checks for 15, keeps the newest 15 and counts what it dropped: gaps are gaps',
      () => played.cutForLong,
      LIMIT,
    );

  /** The seconds that each clock is ahead, before and after it was set. */
  const AHEAD = [
    [400 * 86_400, -300],
    [-400 * 86_400, 300],
  ] as const;

  async function wrongClocks(): Promise<void> {
    await Promise.all(clocks.map((clock, index) => wrongClock(clock, index)));
  }

  async function wrongClock(clock: SetClock, index: number): Promise<void> {
    const [first, later] = AHEAD[index] ?? [NaN, NaN];
    const name = `clock-${index}`;
    clock.set(first);
    const probe = await ProbeProgram.of(api, name, folder, serviceUrl, clock.env);
    const endpoints = await watched(api, name, 4, [name]);
    ended.set(name, endpoints);
    const program = probe.start();
    const isOff = (seconds: number) =>
      eventually(
        `its clock is seen to be off by ${seconds} s`,
        async () => Math.abs(((await probe.view()).clock_offset_ms ?? NaN) - seconds * SECOND) < 2000,
        90_000,
      );
    await recorded(bench.witness, endpoints, name, 2);
    await isOff(first);
    clock.set(later);
    await isOff(later);
    await recorded(bench.witness, endpoints, name, 2, Date.now());
    const offsets: number[] = [];
    for (const [i, id] of endpoints.entries()) {
      const all = await slots(id, name);
      expect(gapsOf(all)).toEqual([]);
      // Measured by a correct clock. The first of them may be an immediate check.
      const [{ slot, lateMs, atMs } = { slot: NaN, lateMs: NaN, atMs: NaN }] = all;
      const phase = atMs - lateMs - slot * INTERVAL;
      offsets.push(
        ...arrived(name)
          .filter(({ path }) => path === `/${name}/${i}`)
          .slice(1)
          .map(({ at }) => at - phase - Math.round((at - phase) / INTERVAL) * INTERVAL),
      );
    }
    expect(Math.abs(Math.min(...offsets))).toBeLessThan(50);
    const [, url = ''] = /running at (\S+)/.exec(program.said) ?? [];
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('uptime_results_sent_total{kind="refused"} 0');
    expect([await eventsOf(bench.witness, endpoints), toldOf(name)]).toEqual([[], []]);
  }

  const withClocks = fakeTime === null ? it.skip : it;
  withClocks(
    'with a wall clock 400 days or 5 minutes off, set back while it runs, checks by the time of the service (Icinga #9790, #3274; skipped without faketime)',
    () => played.wrongClocks,
    LIMIT,
  );

  async function away(): Promise<void> {
    const other = await FaultBench.open();
    const programs = new StartFolder();
    try {
      const PORT = String(await freePort());
      const service = await other.start({ PORT });
      await watchLocations(other.witness);
      const probe = await ProbeProgram.of(service.api, 'away', programs, service.url);
      const well = await watched(service.api, 'well', 3, ['away']);
      const [broken = ''] = await watched(service.api, 'broken', 1, ['away']);
      const [healed = ''] = await watched(service.api, 'healed', 1, ['away']);
      const all = [...well, broken, healed];
      probe.start();
      await recorded(other.witness, all, 'away', 2);
      await service.kill();
      const brokenAt = Date.now();
      target.switch('broken', 'error');
      target.switch('healed', 'error');
      await delay(HEALED_AFTER);
      target.switch('healed', 'ok');
      const healedAt = Date.now();
      await delay(AWAY - HEALED_AFTER);
      const { api: again } = await other.start({ PORT });
      await eventually('what is still down is told', () => toldOf('broken').length > 0, 60_000);
      await recorded(other.witness, all, 'away', 2, Date.now());
      for (const id of all) expect(gapsOf(await slotsOf(other.witness, id, 'away'))).toEqual([]);
      const [event, ...more] = await eventsOf(other.witness, all);
      expect([event?.type, more, toldOf('broken')]).toEqual(['triggered', [], ['/broken/0']]);
      expect((event?.startedMs ?? NaN) - brokenAt).toBeLessThan(INTERVAL + BUSY);
      expect([toldOf('well'), toldOf('healed')]).toEqual([[], []]);
      const { body } = await again.get<{ outages: { started_at: string; ended_at: string | null }[] }>(
        `/endpoints/${healed}/uptime`,
      );
      const [outage] = body.outages;
      expect(body.outages).toHaveLength(1);
      expect(Date.parse(outage?.started_at ?? '') - brokenAt).toBeLessThan(INTERVAL + BUSY);
      expect(Math.abs(Date.parse(outage?.ended_at ?? '') - healedAt)).toBeLessThan(INTERVAL + BUSY);
      expect((await probe.view()).dropped).toBe(0);
      await programs.stop();
      const paths = [...well.map((_, i) => `/well/${i}`), '/broken/0', '/healed/0'];
      await expectAllRecorded(
        other.witness,
        'away',
        all.map((id, i) => [id, paths[i] ?? '']),
        target,
      );
      await checkLocations(other.witness);
    } finally {
      await programs.remove();
      await other.close();
    }
  }

  it(
    'whose service is killed and comes back: nothing is lost, an endpoint that is still down triggers with its first new failure, a recovered one has an outage and no event',
    () => played.away,
    LIMIT,
  );

  it(
    'check an endpoint with an interval of 300 s as soon as one of them sees a failure: the trigger is sent within 5 s, with the locations',
    async () => {
      await Promise.allSettled([played.killed, played.twoProcesses, played.cutOff]);
      const [alerted = ''] = await watched(api, 'opinion', 1, ['killed', 'twice', 'cut'], { interval: 300 });
      for (const key of ['killed', 'twice', 'cut']) await recorded(bench.witness, [alerted], key, 1);
      target.switch('opinion', 'error');
      const began = performance.now();
      expect(await api.post(`/endpoints/${alerted}/checks?location=killed`)).toMatchObject({ status: 201 });
      const sent = await eventually('it is told', () => hook.seen.find(({ key }) => key === 'opinion'));
      expect(performance.now() - began).toBeLessThan(5 * SECOND + BUSY);
      const { data } = JSON.parse(sent.body) as { data: { event: { locations: { outcome: string }[] } } };
      expect(data.event.locations.filter(({ outcome }) => outcome === 'down').length).toBeGreaterThanOrEqual(2);
    },
    LIMIT,
  );

  it(
    'lose no result, and leave no slot of a location twice and no verdict that differs from the results',
    async () => {
      await Promise.allSettled(Object.values(played));
      await folder.stop();
      for (const [key, endpoints] of ended)
        await expectAllRecorded(
          bench.witness,
          key,
          endpoints.map((id, i) => [id, `/${key}/${i}`]),
          target,
        );
      await checkLocations(bench.witness);
    },
    LIMIT,
  );
});

describe('kill -9 of a service between the intake of results and their commit', () => {
  let played: Promise<void>[];
  beforeAll(() => {
    played = KILL_DATABASES.map(([, open]) => killedAtIntake(open));
    for (const scene of played) scene.catch(() => {});
  });

  afterAll(() => Promise.allSettled(played), LIMIT);

  it.each(KILL_DATABASES.map(([name], index) => [name, index] as const))(
    'loses no result on %s and counts none twice: the probe sends uncommitted results again',
    (_, index) => played[index],
    LIMIT,
  );

  async function killedAtIntake(open: () => Promise<KillScene>): Promise<void> {
    const [scene, folder, target] = [await open(), new StartFolder(), await SwitchableServer.start()];
    const living = () => scene.survivor();
    const portOf = ({ url }: { url: string }) => Number(new URL(url).port);
    const relay = await FaultProxy.to(portOf(await living()));
    const sql: Sql = { query: async (...words) => (await living()).app.get(Database).query(...words) };
    try {
      await watchLocations(sql);
      const { admin, write } = await living();
      const probe = await ProbeProgram.of(admin, 'fra', folder, `http://127.0.0.1:${relay.port}`);
      const website = await newWebsite(write);
      const fields = { ...CHECKED, type: 'HTTP', locations: ['fra'] };
      const endpoints = await Promise.all(
        many(4, (i) => newEndpoint(write, website, { ...fields, url: `${target.url}/${i}` })),
      );
      await numberNow(await living());
      const recorded = (since: number) =>
        eventually(
          'each is recorded',
          async () => {
            const all = await Promise.all(endpoints.map((id) => slotsOf(sql, id, 'fra')));
            return all.every((slots) => slots.some(({ atMs }) => atMs > since)) && all;
          },
          90 * SECOND,
        );
      probe.start();
      await recorded(0);
      relay.set('reset');
      const victim = await scene.launch('api', 'recorder.before_commit=kill');
      relay.repoint(portOf(victim));
      const takenFrom = Date.now();
      relay.set('none');
      await victim.killed();
      const since = 'SELECT FROM recorded_check WHERE recorded_at > to_timestamp($1 / 1000.0)';
      expect(await sql.query(since, [takenFrom])).toEqual([]);
      relay.repoint(portOf(await living()));
      for (const all of await recorded(Date.now() + INTERVAL)) expect(gapsOf(all)).toEqual([]);
      await folder.stop();
      await expectAllRecorded(
        sql,
        'fra',
        endpoints.map((id, i) => [id, `/${i}`]),
        target,
      );
      await checkLocations(sql);
    } finally {
      await folder.remove();
      await relay.close();
      await target.close();
      await scene.end();
      await scene.remove();
    }
  }
});
