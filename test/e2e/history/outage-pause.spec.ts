/**
 * @lane slow
 * @databases both
 */
import * as fc from 'fast-check';
import type { Outcome } from '../../../src/checker/checker';
import type { CheckDefinition } from '../../../src/engine/check-definition';
import { CheckDefinitions } from '../../../src/endpoint/check-definitions';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import type { OverviewItemView } from '../../../src/history/overview/overview.dto';
import type { UptimeView } from '../../../src/history/read/uptime.dto';
import { CheckRecorder } from '../../../src/monitoring/record/check-recorder';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { recorded } from '../../harness/app/history';
import { checkInvariants, findOutageViolations } from '../../harness/app/invariants';
import { newRecorder } from '../../harness/app/recorder';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

const RUNS = 12;

describe('an outage of an endpoint that is paused and resumed', () => {
  let app: TestApp;
  let database: Database;
  let websiteId: string;
  let id: string;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', statusRateLimitPerSecond: 0 }, { durable: true });
    database = app.app.get(Database);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    websiteId = await newWebsite(app.write);
    id = await newEndpoint(app.write, websiteId);
  });

  const uuid = (): string => parseId('endpoint', id) ?? '';
  async function definitionOf(endpointId: string): Promise<CheckDefinition> {
    const loaded = await app.app.get(CheckDefinitions).loadOne(database, parseId('endpoint', endpointId) ?? '');
    if (!loaded) throw new Error('there is no such endpoint');
    return loaded;
  }

  let newestMs = 0;
  /** Returns a finished check that starts now by the database's clock, later than the previous one. */
  async function checkNow(outcome: Outcome, change: Partial<FinishedCheck> = {}): Promise<FinishedCheck> {
    const { endpointId, endpointKey, orgId, revision } = await definitionOf(id);
    const [row] = await database.query<{ ms: number }>(
      'SELECT ceil(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
    );
    newestMs = Math.max(newestMs + 1, row?.ms ?? 0);
    const finished = recorded({ id: endpointId, key: endpointKey }, new Date(newestMs), outcome, 12.5);
    return { ...finished, orgId, revision, ...change };
  }
  /** Records one check for each outcome. Returns when the last one started. */
  async function record(...outcomes: Outcome[]): Promise<string> {
    let last = '';
    for (const outcome of outcomes) {
      const finished = await checkNow(outcome);
      expect(await app.app.get(CheckRecorder).record(finished)).toBe('recorded');
      last = finished.checkedAt.toISOString();
    }
    return last;
  }
  const pause = () => app.write.put(`/endpoints/${id}`, { enabled: false });
  const resume = () => app.write.put(`/endpoints/${id}`, { enabled: true });
  const uptime = async () => (await app.read.get<UptimeView>(`/endpoints/${id}/uptime`)).body;
  const inOverview = async () => (await app.read.get<OverviewItemView[]>(`/overview?website_id=${websiteId}`)).body[0];

  it('continues as a new outage with the first failure after the pause, and the pause belongs to neither', async () => {
    const first = await record('up', 'down', 'down');
    await pause();
    await resume();
    const again = await record('down');
    await record('down');

    const { outages, outage_count, downtime_seconds } = await uptime();
    expect(outage_count).toBe(2);
    expect(outages.map(({ started_at, ended_at }) => [started_at, ended_at === null])).toEqual([
      [again, true],
      [expect.any(String), false],
    ]);
    const pausedAt = outages[1]?.ended_at ?? '';
    expect(pausedAt >= first && pausedAt <= again).toBe(true);
    expect(downtime_seconds).toBeLessThanOrEqual(
      outages.reduce((sum, { duration_seconds }) => sum + duration_seconds, 1),
    );
    expect(await inOverview()).toMatchObject({ status: 'down', status_since: again });
    expect(await findOutageViolations(database)).toEqual([]);
  });

  it('continues in the same way when its website was switched off and on', async () => {
    await record('down');
    await app.write.put(`/websites/${websiteId}`, { enabled: false });
    await app.write.put(`/websites/${websiteId}`, { enabled: true });
    const again = await record('down');
    expect(
      (await uptime()).outages.map(({ started_at, ended_at }) => [started_at === again, ended_at === null]),
    ).toEqual([
      [true, true],
      [false, false],
    ]);
    expect(await inOverview()).toMatchObject({ status: 'down', status_since: again });
    expect(await findOutageViolations(database)).toEqual([]);
  });

  it('is over with the pause when the endpoint is up afterwards', async () => {
    await record('down');
    await pause();
    await resume();
    const up = await record('up');
    const { outages } = await uptime();
    expect(outages).toHaveLength(1);
    expect((outages[0]?.ended_at ?? up) < up).toBe(true);
    expect(await inOverview()).toMatchObject({ status: 'up', status_since: up });
    await record('down');
    expect((await uptime()).outage_count).toBe(2);
  });

  it('is open on the public page as long as the page shows that the endpoint is down', async () => {
    await record('down');
    await pause();
    await resume();
    const again = await record('down');
    const slug = `paused-${uuid().slice(-12)}`;
    // By default, a page needs two failed checks, and doesn't list short outages of the past.
    const atOnce = { title: 'Paused', enabled: true, groups: [{ endpoints: [id] }], down_after_minutes: 0 };
    expect((await app.write.post('/status-pages', { ...atOnce, slug })).status).toBe(201);
    const page = (await (await fetch(`${app.url}/status/${slug}.json`)).json()) as {
      status: string;
      endpoints: { status: string }[];
      outages: { started_at: string; ended_at: string | null }[];
    };
    expect(page).toMatchObject({ status: 'down', endpoints: [{ status: 'down' }] });
    expect(page.outages.map(({ started_at, ended_at }) => [started_at === again, ended_at === null])).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it('is not known to continue until a check has failed again', async () => {
    await record('down');
    await pause();
    expect(await inOverview()).toMatchObject({ status: 'paused' });
    await resume();
    expect(await inOverview()).toMatchObject({ status: 'unknown' });
    await record('unknown');
    expect(await inOverview()).toMatchObject({ status: 'unknown' });
    expect((await uptime()).outages.map(({ ended_at }) => ended_at === null)).toEqual([false]);
  });

  it('starts with the first failure after the pause although the streak that alerts count continues', async () => {
    await newAlert(app.write, id, { failure_threshold: 3 });
    await record('down', 'down');
    await pause();
    await resume();
    const again = await record('down');
    const { body } = await app.read.get<object[]>(`/alerts/events?endpoint_id=${id}`);
    expect(body).toMatchObject([{ type: 'triggered', failure_count: 3, started_at: again }]);
    expect((await uptime()).outages[0]?.started_at).toBe(again);
  });

  it('does not start with a check that was running when the endpoint was paused', async () => {
    await record('down');
    const late = await checkNow('down', { slotMs: newestMs });
    await database.query(
      'UPDATE endpoint_schedule SET claimed_slot = to_timestamp($2 / 1000.0) WHERE endpoint_id = $1',
      [uuid(), newestMs],
    );
    await pause();
    await resume();
    expect(await app.app.get(CheckRecorder).record({ ...late, slotMs: late.checkedAt.getTime() })).toBe('dropped');
    expect((await uptime()).outages.map(({ ended_at }) => ended_at === null)).toEqual([false]);
  });

  it('ends when the endpoint gets another target', async () => {
    await record('down');
    await app.write.put(`/endpoints/${id}`, { url: 'https://shop.example.com/elsewhere' });
    expect((await uptime()).outages.map(({ ended_at }) => ended_at === null)).toEqual([false]);
    const again = await record('down');
    expect((await uptime()).outages[0]).toMatchObject({ started_at: again, ended_at: null });
    expect(await findOutageViolations(database)).toEqual([]);
  });

  it('continues in a process that was started between the pause and the resume', async () => {
    await record('down');
    await pause();
    await app.stop();
    await app.restart();
    database = app.app.get(Database);
    await resume();
    const again = await record('down');
    expect(
      (await uptime()).outages.map(({ started_at, ended_at }) => [started_at === again, ended_at === null]),
    ).toEqual([
      [true, true],
      [false, false],
    ]);
    expect(await findOutageViolations(database)).toEqual([]);
  });

  it('is open exactly while the newest known outcome is a failure, after any history of checks and changes by two instances', async () => {
    const step = fc.constantFrom(
      'd',
      'd',
      'd',
      'u',
      'u',
      '?',
      'pause',
      'resume',
      'resume',
      'off',
      'on',
      'on',
      'retarget',
    );
    let targets = 0;
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      websiteId = await newWebsite(app.write);
      id = await newEndpoint(app.write, websiteId);
      const instances = [newRecorder(app), newRecorder(app)];
      let [enabled, on] = [true, true];
      let status = 'unknown';
      let isOpen = false;
      let count = 0;
      for (const [index, one] of steps.entries()) {
        if (one === 'pause' || one === 'resume') await (one === 'pause' ? pause() : resume());
        else if (one === 'off' || one === 'on')
          await app.write.put(`/websites/${websiteId}`, { enabled: one === 'on' });
        else if (one === 'retarget')
          await app.write.put(`/endpoints/${id}`, { url: `https://shop.example.com/${++targets}` });
        else {
          const outcome: Outcome = one === 'u' ? 'up' : one === 'd' ? 'down' : 'unknown';
          await instances[index % 2]?.record(await checkNow(outcome));
          if (!enabled || !on) continue;
          status = outcome;
          if (outcome === 'down' && !isOpen) count++;
          if (outcome !== 'unknown') isOpen = outcome === 'down';
          continue;
        }
        if (one === 'pause' || one === 'off' || one === 'retarget') [isOpen, status] = [false, 'unknown'];
        if (one === 'pause' || one === 'resume') enabled = one === 'resume';
        if (one === 'off' || one === 'on') on = one === 'on';
      }
      const { outages } = await uptime();
      expect(outages.map(({ ended_at }) => ended_at === null)).toEqual(
        Array.from({ length: count }, (_, index) => isOpen && index === 0),
      );
      expect((await inOverview())?.status).toBe(enabled && on ? status : 'paused');
      expect(await findOutageViolations(database)).toEqual([]);
      await checkInvariants(database);
    });
    await fc.assert(property, { numRuns: RUNS });
  }, 240_000);
});
