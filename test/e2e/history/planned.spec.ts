import type { CheckView } from '../../../src/history/read/check.dto';
import type { LatencyBucketView } from '../../../src/history/read/latency.dto';
import type { UptimeView } from '../../../src/history/read/uptime.dto';
import { RollupJob } from '../../../src/history/rollup/rollup.job';
import { HistoryWriter } from '../../../src/history/write/history-writer';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import type { Occurrence } from '../../../src/endpoint/suppression/cover';
import { Database } from '../../../src/platform/database/database';
import { firstUuidAt, formatId, parseId } from '../../../src/platform/ids/id';
import type { ProblemView } from '../../../src/platform/problem/problem.view';
import { startApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { recorded } from '../../harness/app/history';
import { addOccurrence, EVERYTHING, NO_SCOPE } from '../../harness/app/occurrences';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WARNING = { code: 'assertion_failed', phase: 'assertion', message: 'The certificate ends in 10 days.' } as const;

describe('planned and degraded checks', () => {
  let app: TestApp;
  let own: ServiceOrganization;
  let database: Database;
  let subject: { id: string; key: string; public: string };
  const now = Date.now();

  beforeAll(async () => {
    app = await startApp({ role: 'api', rawRetentionDays: 100 });
    database = app.app.get(Database);
    own = await app.organization('Own');
  });
  afterAll(() => app.close());

  /** An endpoint that was created a year ago. */
  beforeEach(async () => {
    const site = await own.write.post<{ id: string }>('/websites', { name: 'Shop', url: 'https://shop.example.com' });
    const id = firstUuidAt(new Date(now - 365 * DAY)).slice(0, 24) + crypto.randomUUID().slice(24);
    const [row] = await database.query<{ key: string }>(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
       VALUES ($1, $2, $3, 'Checkout', 'https://shop.example.com/', 'HTTPS') RETURNING key`,
      [id, own.orgId, parseId('website', site.body.id)],
    );
    subject = { id, key: row?.key ?? '', public: formatId('endpoint', id) };
    await database.query('INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) VALUES ($1, $2, $3)', [
      id,
      subject.key,
      own.orgId,
    ]);
  });

  const check = (
    ago: number,
    outcome: 'up' | 'down' | 'unknown',
    mark: 'planned' | 'degraded' | 'both' | 'none' = 'none',
    durationMs = 100,
  ): FinishedCheck => ({
    ...recorded(subject, new Date(now - ago), outcome, durationMs, {
      warning: mark === 'degraded' || mark === 'both' ? WARNING : null,
    }),
    planned: mark === 'planned' || mark === 'both',
  });

  const rollUp = () => app.app.get(RollupJob).run();
  const write = async (checks: readonly FinishedCheck[]): Promise<void> => {
    await database.transaction((tx) => app.app.get(HistoryWriter).write(tx, checks));
    await rollUp();
  };
  const get = async <T>(path: string): Promise<T> =>
    (await own.read.get<T>(`/endpoints/${subject.public}/${path}`)).body;
  const range = (fromAgo: number, toAgo: number): string =>
    `from=${new Date(now - fromAgo).toISOString()}&to=${new Date(now - toAgo).toISOString()}`;

  /** Writes a window over the endpoint, with times relative to now. */
  const plant = (fromAgo: number, toAgo: number, more: Partial<Occurrence> = {}) =>
    addOccurrence(database, {
      orgId: own.orgId,
      startsAt: new Date(now - fromAgo),
      endsAt: new Date(now - toAgo),
      ...NO_SCOPE,
      endpointIds: [subject.id],
      ...more,
    });

  /** Writes outages, oldest first, with start and end relative to now. */
  const outages = (...drawn: { from: number; to: number | null; planned: boolean }[]) =>
    database.transaction((tx) =>
      app.app.get(HistoryWriter).outages(
        tx,
        drawn.map(({ from, planned }) => ({
          endpointKey: subject.key,
          startedAt: new Date(now - from),
          planned,
          error: 'connection_refused',
          message: 'The connection was refused.',
        })),
        drawn.flatMap(({ to }) => (to === null ? [] : [{ endpointKey: subject.key, endedAt: new Date(now - to) }])),
      ),
    );

  describe('uptime', () => {
    const CHECKS = (): FinishedCheck[] => [
      ...[1, 2, 3].map((hours) => check(hours * HOUR, 'up', 'none', 10 * hours)),
      check(4 * HOUR, 'up', 'degraded', 40),
      check(5 * HOUR, 'down'),
      check(6 * HOUR, 'unknown'),
      check(7 * HOUR, 'up', 'planned', 9_000),
      check(8 * HOUR, 'down', 'planned'),
      check(9 * HOUR, 'unknown', 'planned'),
      check(10 * HOUR, 'up', 'both', 1),
    ];

    it('counts planned checks among all, and in no other number, regardless of their result', async () => {
      await write(CHECKS());
      expect(await get('uptime')).toMatchObject({
        uptime: 0.8,
        coverage: 5 / 6,
        checks: 10,
        failures: 1,
        unknown: 1,
        planned: 4,
        degraded: 1,
        latency: { avg: 25, min: 10, max: 40 },
      });
    });

    it('gives the same result from single checks, from hours, and from days', async () => {
      const checks = CHECKS().flatMap((each) => [
        each,
        { ...each, checkedAt: new Date(each.checkedAt.getTime() - 2 * DAY) },
      ]);
      await write(checks);
      await database.query(
        `UPDATE history_progress SET done_until = date_trunc('day', now() - interval '4 days', 'UTC') WHERE name <> 'purge'`,
      );
      const path = `uptime?${range(3 * DAY, 0)}`;
      const before = await get<UptimeView>(path);
      expect(before).toMatchObject({ checks: 20, planned: 8, degraded: 2 });
      await rollUp();
      expect(await get(path)).toEqual(before);
    });

    it('counts a day with nothing but planned checks as monitored', async () => {
      await write([...[1, 2, 4].map((days) => check(days * DAY, 'up')), check(3 * DAY, 'unknown', 'planned')]);
      const { watched, uptime } = await get<UptimeView>(`uptime?${range(4.5 * DAY, 0.5 * DAY)}`);
      expect([watched, uptime]).toEqual([1, 1]);
    });

    it('shows planned checks separately in each bucket of latency', async () => {
      const start = Math.floor((now - 3 * HOUR) / HOUR) * HOUR;
      await write([
        check(now - start - 1, 'up'),
        check(now - start - 2, 'down', 'planned'),
        check(now - start - 3, 'up', 'planned', 9_000),
      ]);
      const [bucket] = await get<LatencyBucketView[]>(`latency?step=3600&${range(now - start, now - start - HOUR)}`);
      expect(bucket).toMatchObject({ count: 3, planned: 2, failures: 0, unknown: 0, avg: 100, max: 100 });
    });
  });

  describe('outages', () => {
    it('lists planned outages and counts neither them nor their time', async () => {
      await outages(
        { from: 5 * HOUR, to: 4 * HOUR, planned: false },
        { from: 3 * HOUR, to: 2 * HOUR, planned: true },
        { from: HOUR, to: null, planned: true },
      );
      const uptime = await get<UptimeView>(`uptime?${range(6 * HOUR, 0)}`);
      expect(uptime).toMatchObject({ outage_count: 1, downtime_seconds: 3600, planned_seconds: 0 });
      expect(uptime.outages.map(({ planned, duration_seconds: seconds }) => [planned, seconds > 0])).toEqual([
        [true, true],
        [true, true],
        [false, true],
      ]);
    });

    it('leaves out the planned part of an outage if a window starts between two checks', async () => {
      await plant(4.5 * HOUR, 2 * HOUR);
      await plant(3 * HOUR, 1.5 * HOUR);
      await outages(
        { from: 5 * HOUR, to: 4 * HOUR, planned: false },
        { from: 4 * HOUR, to: 1.75 * HOUR, planned: true },
        { from: 1.75 * HOUR, to: HOUR, planned: false },
      );
      expect(await get(`uptime?${range(6 * HOUR, 0.5 * HOUR)}`)).toMatchObject({
        outage_count: 2,
        downtime_seconds: 3600,
        planned_seconds: 3 * 3600,
      });
    });

    it('counts an outage that continues, and one that started before the range, only inside the range', async () => {
      await outages({ from: 5 * HOUR, to: 4 * HOUR, planned: false }, { from: 2 * HOUR, to: null, planned: false });
      expect(await get(`uptime?${range(4.5 * HOUR, HOUR)}`)).toMatchObject({
        outage_count: 2,
        downtime_seconds: 1.5 * 3600,
      });
    });
  });

  describe('planned_seconds', () => {
    const planned = async (query: string) => (await get<UptimeView>(`uptime?${query}`)).planned_seconds;
    it('is the time of all windows that covered the endpoint, each moment once, inside the range', async () => {
      await plant(10 * HOUR, 8 * HOUR);
      await plant(9 * HOUR, 7 * HOUR);
      await plant(3 * HOUR, -HOUR);
      await plant(6 * HOUR, 5 * HOUR, { excludeFromUptime: false });
      await plant(6 * HOUR, 5 * HOUR, { endpointIds: [firstUuidAt(new Date(now))] });
      expect(await planned(range(9.5 * HOUR, HOUR))).toBe((2.5 + 2) * 3600);
    });

    it('reaches a window that covers the endpoint by a tag of its website', async () => {
      await plant(3 * HOUR, 2 * HOUR, { endpointIds: [], tags: ['night-patch'] });
      expect(await planned(range(4 * HOUR, HOUR))).toBe(0);
      await database.query(
        `UPDATE website SET tags = '{night-patch}' WHERE id = (SELECT website_id FROM endpoint WHERE id = $1)`,
        [subject.id],
      );
      expect(await planned(range(4 * HOUR, HOUR))).toBe(3600);
    });

    it('starts at the creation of the endpoint', async () => {
      const site = await own.write.post<{ id: string }>('/websites', { name: 'New', url: 'https://new.example.com' });
      const { body } = await own.write.post<{ id: string }>(`/websites/${site.body.id}/endpoints`, {
        name: 'New',
        url: 'https://new.example.com/',
        type: 'HTTPS',
      });
      await plant(10 * HOUR, -HOUR, { endpointIds: [parseId('endpoint', body.id) ?? ''] });
      const { body: uptime } = await own.read.get<UptimeView>(`/endpoints/${body.id}/uptime`);
      expect(uptime.planned_seconds).toBeLessThan(HOUR / 1000);
    });

    it('counts no window of another organization', async () => {
      const other = await app.organization('Other');
      await plant(3 * HOUR, 2 * HOUR, { orgId: other.orgId, ...EVERYTHING });
      expect(await planned(range(4 * HOUR, HOUR))).toBe(0);
    });
  });

  describe('the list of checks', () => {
    it('shows for each check whether it was planned or degraded, and why', async () => {
      await write([check(1000, 'up', 'both'), check(2000, 'up', 'degraded'), check(3000, 'down', 'planned')]);
      expect(await get<CheckView[]>('checks')).toMatchObject([
        { outcome: 'up', planned: true, degraded: true, warning: WARNING, error: null },
        { outcome: 'up', planned: false, degraded: true, warning: WARNING, error: null },
        { outcome: 'down', planned: true, degraded: false, warning: null, error: { code: 'connection_refused' } },
      ]);
    });

    it('still shows that a check was degraded when its details are no longer kept', async () => {
      await write([check(1000, 'up', 'degraded')]);
      await database.query('DELETE FROM check_detail WHERE endpoint_key = $1', [subject.key]);
      expect((await get<CheckView[]>('checks'))[0]).toMatchObject({
        degraded: true,
        warning: { code: 'internal', message: 'The details of this check have been deleted.' },
      });
    });

    it.each([
      ['outcome=down', [2, 4]],
      ['outcome=up', [1, 3, 5]],
      ['planned=true', [3, 4, 5, 6]],
      ['planned=false', [1, 2]],
      ['degraded=true', [1, 5]],
      ['degraded=false', [2, 3, 4, 6]],
      ['outcome=down&planned=true', [4]],
      ['degraded=true&planned=false', [1]],
      ['degraded=true&outcome=down', []],
    ])('selects checks by %s in days that are rolled up', async (query, days) => {
      const kinds = [
        ['up', 'degraded'],
        ['down', 'none'],
        ['up', 'planned'],
        ['down', 'planned'],
        ['up', 'both'],
        ['unknown', 'planned'],
      ] as const;
      await write(kinds.map(([outcome, mark], index) => check((index + 1) * DAY, outcome, mark)));
      const checks = await get<CheckView[]>(`checks?${query}`);
      expect(checks.map(({ checked_at: at }) => Math.round((now - Date.parse(at)) / DAY))).toEqual(days);
    });

    it.each(['planned=1', 'degraded=yes', 'planned='])('refuses the query %s', async (query) => {
      const { status, body } = await own.read.get<ProblemView>(`/endpoints/${subject.public}/checks?${query}`);
      const pointer = `?${query.split('=')[0]}`;
      expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ pointer }] });
    });
  });
});
