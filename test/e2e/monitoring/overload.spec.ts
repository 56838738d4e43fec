/** @lane timed */
import { Logger, Module } from '@nestjs/common';
import { down, resultOf } from '../../../src/checker/check-failure';
import { Checker, type CheckRequest, type CheckResult } from '../../../src/checker/checker';
import { CheckRecorder } from '../../../src/monitoring/record/check-recorder';
import { Overload, type OverloadState } from '../../../src/engine/dispatch/overload';
import { SlotClaimer } from '../../../src/monitoring/source/scheduled/slot-claimer';
import { Database } from '../../../src/platform/database/database';
import { armFailpoints } from '../../../src/platform/observability/failpoints';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import { eventually } from '../../../packages/testing/eventually';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

/** Takes this long without a network, so the number of places determines the number of checks a second. */
const CHECK_MS = 100;
const UP: CheckResult = { ...resultOf(down('internal', 'internal', '')), outcome: 'up', error: null };
const DOWN = resultOf(down('connection_refused', 'connect', 'refused'));

/** Maps endpoint URLs to the start times of their checks (monotonic). */
const begun = new Map<string, number[]>();
const broken = new Set<string>();

@Checker('TIMED')
class TimedChecker implements Checker<string> {
  readonly targetForm = 'timed://name';
  readonly assertionSources = [] as const;

  parseTarget(url: string): string {
    return url;
  }

  hostsOf(): string[] {
    return [];
  }

  async check({ target }: CheckRequest<string>): Promise<CheckResult> {
    begun.set(target, [...(begun.get(target) ?? []), performance.now()]);
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
    return broken.has(target) ? DOWN : UP;
  }
}

@Module({ providers: [TimedChecker] })
class TimedModule {}

/** Adds endpoints `timed://<name>/0 …` and returns their URLs. */
async function add(by: Api, name: string, count: number, interval: number): Promise<string[]> {
  const site = await newWebsite(by);
  const urls = Array.from({ length: count }, (_, index) => `timed://${name}/${index}`);
  for (const url of urls) await newEndpoint(by, site, { type: 'TIMED', url, interval, timeout: 2 });
  return urls;
}

/** Returns how many checks of each started since `from`. */
const countsOf = (urls: readonly string[], from = 0): number[] =>
  urls.map((url) => (begun.get(url) ?? []).filter((at) => at >= from).length);
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

describe('a process with more checks than it can run', () => {
  let app: TestApp;
  const logged: string[] = [];

  beforeEach(() => {
    begun.clear();
    broken.clear();
    logged.length = 0;
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: unknown) => logged.push(String(message)));
  });
  afterEach(async () => {
    armFailpoints([]);
    await app.close();
    jest.restoreAllMocks();
  });

  const start = async (maxConcurrentChecks: number) => {
    app = await startOwnApp({ maxConcurrentChecks }, { extensions: [{ name: 'test', modules: [TimedModule] }] });
  };
  const state = () => app.app.get(Overload).state;
  const overloaded = () => eventually('an overload', () => state(), 30_000);
  const calm = () => eventually('the end of the overload', () => state() === null, 30_000);
  const lines = (word: string) => logged.filter((line) => line.startsWith(`Overload ${word}`));

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );
  }

  it('skips slots before they are run, evenly, spares the rare ones, notifies everyone, and recovers when the load ends', async () => {
    await start(2);
    const heard: [string, OverloadState][] = [];
    app.app.get(Overload).onChange((news, kind) => heard.push([kind, news]));
    const rare = await add(app.write, 'rare', 1, 5);
    const crowd = await add(app.write, 'crowd', 40, 1);
    const site = await newWebsite(app.write);
    const victim = 'timed://victim';
    const victimId = await newEndpoint(app.write, site, { type: 'TIMED', url: victim, interval: 1, timeout: 2 });
    await newAlert(app.write, victimId, { failure_threshold: 1 });
    await overloaded();
    const from = performance.now();
    await eventually('four checks of each', () => Math.min(...countsOf(crowd, from)) >= 4, 40_000);

    // Each one loses about half of its slots, all of them about equally. An endpoint with a long interval loses no
    // slots.
    const counts = countsOf(crowd, from);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
    const seconds = (performance.now() - from) / 1000;
    expect(sum(countsOf(rare, from))).toBeGreaterThanOrEqual(Math.floor(seconds / 5) - 1);
    expect(sum(counts)).toBeLessThan(0.8 * crowd.length * seconds);

    // The service is alive and ready, and reports the overload.
    const ready = await fetch(`${app.url}/health/ready`);
    expect([(await fetch(`${app.url}/health/live`)).status, ready.status]).toEqual([200, 200]);
    const { details } = (await ready.json()) as { details: Record<string, { detail: string }> };
    expect(details['scheduler']?.detail).toMatch(
      /overloaded for \d+ s: \d+\.\d times the capacity; \d+ slots\/s skipped$/,
    );
    expect(await metric('uptime_slots_skipped_total{why="overload"}')).toBeGreaterThan(100);
    expect(await metric('uptime_results_lost_total')).toBe(0);
    expect(await metric('uptime_overload_ratio')).toBeGreaterThan(1.2);

    // A failure of a site during the overload is still reported.
    broken.add(victim);
    await eventually('the event', async () => {
      const { text } = await app.read.get('/alerts/events');
      return text.includes('triggered');
    });
    expect(state()).not.toBeNull();

    // Instances report their load to each other.
    const load = await eventually('the heartbeat', async () => {
      const [row] = await app.app
        .get(Database)
        .query<Record<string, unknown>>('SELECT * FROM monitoring_load WHERE overloaded_since IS NOT NULL');
      return row;
    });
    expect(load).toMatchObject({ instances: 1, overloaded_since: expect.any(Date) as Date });
    expect(load['overload_ratio']).toBeGreaterThan(1.2);
    expect(load['skipped_per_second']).toBeGreaterThan(1);
    expect(load['checks_per_second']).toBeGreaterThan(5);

    // Skipped slots reduce the coverage. All recorded checks were up.
    const outcomes = await app.app
      .get(Database)
      .query(
        `SELECT DISTINCT s.status FROM endpoint_state s JOIN endpoint e ON e.id = s.endpoint_id WHERE e.url LIKE 'timed://crowd/%'`,
      );
    expect(outcomes).toHaveLength(1);

    // Most of the load ends.
    await app.app.get(Database).query(`UPDATE endpoint_schedule SET active = false WHERE endpoint_id IN (
      SELECT id FROM endpoint WHERE url LIKE 'timed://crowd/%' ORDER BY url LIMIT 36)`);
    await calm();
    expect([lines('started'), lines('ended')].map((found) => found.length)).toEqual([1, 1]);
    expect(lines('ended')[0]).toMatch(/^Overload ended after \d+ s: \d+ slots skipped, 0 results lost/);
    expect(heard.map(([kind]) => kind)).toEqual(['began', 'ended']);
    expect(heard[1]?.[1].skipped).toBeGreaterThan(100);
    expect(await metric('uptime_overload_ratio')).toBe(1);
    expect(await metric('uptime_slots_waiting')).toBeLessThanOrEqual(20);
  }, 120_000);

  it('checks every slot of a small organization while a large one requests more than there is', async () => {
    await start(8);
    const large = await app.organization('Large');
    const few = await add(app.write, 'few', 4, 1);
    const many = await add(large.write, 'many', 60, 1);
    await overloaded();
    const claimed = jest.spyOn(app.app.get(SlotClaimer), 'claimDue');
    const from = performance.now();
    await eventually('eight checks of the small one', () => Math.min(...countsOf(few, from)) >= 8, 40_000);
    // Slots are claimed once a second. A longer stall of the machine or the database takes slots from every
    // organization.
    const claims = claimed.mock.calls.length;
    for (const count of countsOf(few, from)) expect(count).toBeGreaterThanOrEqual(claims - 2);
    // The large one may use four of eight places, and the small one needs half a place.
    expect(sum(countsOf(many, from))).toBeGreaterThan(sum(countsOf(few, from)));
    const counts = countsOf(many, from);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(3);
    expect(await metric('uptime_results_lost_total')).toBe(0);
  }, 120_000);

  it('checks no more than it can record, and loses nothing', async () => {
    await start(20);
    const recorder = app.app.get(CheckRecorder);
    // Less than the places can run, and twice the number that is recorded while each transaction takes three seconds.
    const crowd = await add(app.write, 'crowd', 160, 1);
    armFailpoints(['recorder.before_commit=slow']);
    await overloaded();
    const from = performance.now();
    const backlogs: number[] = [];
    await eventually(
      'two checks of each',
      () => {
        backlogs.push(recorder.backlog);
        return Math.min(...countsOf(crowd, from)) >= 2;
      },
      40_000,
    );
    // The limit between claim and recording is eight times the places. Before the service noticed that recording is
    // slow, some seconds of checks had finished: two, or more if this process gets little CPU. Without a limit, the
    // backlog would keep growing.
    expect(Math.max(...backlogs)).toBeLessThanOrEqual(160 + 5 * 160);
    expect(await metric('uptime_results_lost_total')).toBe(0);
    expect((await fetch(`${app.url}/health/live`)).status).toBe(200);
    armFailpoints([]);
    await calm();
    await eventually('an empty backlog', () => recorder.lagMs < 2000);
  }, 120_000);
});
