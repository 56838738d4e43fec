/** @databases both */
import type { CheckResult } from '../../../src/checker/checker';
import type { CheckView } from '../../../src/history/read/check.dto';
import { HistoryWriter } from '../../../src/history/write/history-writer';
import type { LatencyBucketView } from '../../../src/history/read/latency.dto';
import type { OverviewDownView, OverviewItemView } from '../../../src/history/overview/overview.dto';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import { RollupJob } from '../../../src/history/rollup/rollup.job';
import type { WebsiteHistoryView } from '../../../src/history/website/website-history.dto';
import type { UptimeView } from '../../../src/history/read/uptime.dto';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import type { ProblemView } from '../../../src/platform/problem/problem.view';
import { startApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import { recorded } from '../../harness/app/history';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface Subject {
  public: string;
  website: string;
  id: string;
  key: string;
}

describe('history over HTTP', () => {
  let testApp: TestApp;
  let api: Api;
  let database: Database;
  let subject: Subject;
  const now = Date.now();

  beforeAll(async () => {
    testApp = await startApp({ role: 'api', rawRetentionDays: 100 });
    api = testApp.read;
    database = testApp.app.get(Database);
  });
  afterAll(() => testApp.close());
  beforeEach(async () => {
    subject = await addEndpoint(testApp.write);
  });

  async function addEndpoint(writer: Api): Promise<Subject> {
    const site = await writer.post<{ id: string }>('/websites', { name: 'Shop', url: 'https://shop.example.com' });
    const { body: created } = await writer.post<{ id: string }>(`/websites/${site.body.id}/endpoints`, {
      name: 'Checkout',
      url: 'https://shop.example.com/checkout',
      type: 'HTTPS',
    });
    const id = parseId('endpoint', created.id) ?? '';
    const [row] = await database.query<{ key: string }>('SELECT key FROM endpoint WHERE id = $1', [id]);
    return { public: created.id, website: site.body.id, id, key: row?.key ?? '' };
  }

  const rollUp = (): Promise<void> => testApp.app.get(RollupJob).run();

  /** Writes checks of the past and rolls them up at once, because their hours are late. */
  async function write(checks: readonly FinishedCheck[]): Promise<void> {
    await database.transaction((tx) => testApp.app.get(HistoryWriter).write(tx, checks));
    await rollUp();
  }

  /** Resets the rollups by some days, so that these days are read from single checks. */
  async function forgetRollups(days: number): Promise<void> {
    await database.query(
      `UPDATE history_progress SET done_until = date_trunc('day', now() - $1 * interval '1 day', 'UTC') WHERE name <> 'purge'`,
      [days],
    );
  }

  const check = (
    at: number,
    outcome: 'up' | 'down' | 'unknown' = 'up',
    durationMs = 100,
    change: Partial<CheckResult> = {},
  ) => recorded(subject, new Date(at), outcome, durationMs, change);

  const path = (what: string): string => `/endpoints/${subject.public}/${what}`;

  const overview = async (query = ''): Promise<OverviewItemView[]> =>
    (await api.get<OverviewItemView[]>(`/overview${query}`)).body;
  const mine = async () => (await overview(`?website_id=${subject.website}`))[0];

  const recordState = (set: string) =>
    database.query(`UPDATE endpoint_state SET ${set} WHERE endpoint_key = $1`, [subject.key]);

  describe('checks', () => {
    it('lists a check with its phases, certificate, redirects, error and first error', async () => {
      const certificate = {
        expiresAt: '2027-02-01T00:00:00.000Z',
        issuer: 'CN=Test CA',
        subject: 'CN=shop.example.com',
        names: ['shop.example.com'],
      };
      const failed = check(now - MINUTE, 'down', 83.4126, {
        statusCode: 503,
        certificate,
        redirects: ['https://shop.example.com/'],
        error: { code: 'status_unexpected', phase: 'assertion', message: 'Status 503 is not in 200-299.' },
      });
      await write([
        {
          ...failed,
          attempts: 2,
          firstError: { code: 'connection_reset', phase: 'connect', message: 'The connection was reset.' },
        },
      ]);
      const { status, body } = await api.get<CheckView[]>(path('checks'));
      expect(status).toBe(200);
      expect(body).toEqual([
        {
          id: testApp.app.get(HistoryWriter).checkId(failed),
          endpoint_id: subject.public,
          outcome: 'down',
          location: 'local',
          combined_outcome: 'down',
          checked_at: failed.checkedAt.toISOString(),
          duration_ms: 83.413,
          phases: { dns_ms: 20.853, connect_ms: 20.853, tls_ms: null, first_byte_ms: 41.706, transfer_ms: 0 },
          status_code: 503,
          address: '192.0.2.1',
          certificate: {
            authority: null,
            expires_at: certificate.expiresAt,
            issuer: certificate.issuer,
            subject: certificate.subject,
            names: certificate.names,
          },
          records: null,
          redirects: ['https://shop.example.com/'],
          error: { code: 'status_unexpected', phase: 'assertion', message: 'Status 503 is not in 200-299.' },
          planned: false,
          degraded: false,
          warning: null,
          attempts: 2,
          first_error: { code: 'connection_reset', phase: 'connect', message: 'The connection was reset.' },
        },
      ]);
      expect(body[0]?.id).toMatch(/^ck_[0-9a-z]{26}$/);
    });

    it('lists checks newest first, page by page, each exactly once', async () => {
      const times = Array.from({ length: 25 }, (_, index) => now - index * 7 * HOUR - 1);
      await write(times.map((at) => check(at)));
      const seen: string[] = [];
      let next: string | undefined = `${path('checks')}?limit=10`;
      for (let pages = 0; next !== undefined; pages++) {
        expect(pages).toBeLessThan(3);
        const { body, headers }: Awaited<ReturnType<typeof api.get<CheckView[]>>> = await api.get<CheckView[]>(next);
        seen.push(...body.map((item) => item.checked_at));
        next = /<[^>]*\/api\/v1([^>]+)>; rel="next"/.exec(headers['link'] ?? '')?.[1];
      }
      expect(seen).toEqual(times.map((at) => new Date(at).toISOString()));
    });

    it.each([
      ['outcome=down', [3, 26]],
      ['outcome=unknown', [2]],
      ['outcome=up', [1, 30]],
      ['from={25h}', [1, 2, 3]],
      ['to={2h}', [3, 26, 30]],
      ['from={27h}&to={1h}&outcome=down', [3, 26]],
      ['from={1h}&to={2h}', []],
    ])('selects checks by %s', async (query, hours) => {
      const outcomes = { 1: 'up', 2: 'unknown', 3: 'down', 26: 'down', 30: 'up' } as const;
      await write(Object.entries(outcomes).map(([hour, outcome]) => check(now - Number(hour) * HOUR, outcome)));
      const text = query.replaceAll(/\{(\d+)h\}/g, (_, hour: string) =>
        new Date(now - Number(hour) * HOUR).toISOString(),
      );
      const { body } = await api.get<CheckView[]>(`${path('checks')}?${text}`);
      expect(body.map((item) => Math.round((now - Date.parse(item.checked_at)) / HOUR))).toEqual(hours);
    });

    it('finds checks of one outcome in days that are rolled up and in days that are not', async () => {
      await write([check(now - 10 * DAY, 'down'), check(now - 5 * DAY), check(now, 'down')]);
      const { body } = await api.get<CheckView[]>(`${path('checks')}?outcome=down`);
      expect(body.map((item) => item.checked_at)).toEqual([
        new Date(now).toISOString(),
        new Date(now - 10 * DAY).toISOString(),
      ]);
    });

    it('gives checks of two endpoints at the same millisecond different ids', async () => {
      const other = await addEndpoint(testApp.write);
      const at = new Date(now - 5);
      await write([check(now - 5), recorded(other, at, 'up', 1)]);
      const [mine, theirs] = await Promise.all(
        [subject, other].map(({ public: id }) => api.get<CheckView[]>(`/endpoints/${id}/checks`)),
      );
      expect(mine?.body[0]?.id).not.toBe(theirs?.body[0]?.id);
    });
  });

  describe('uptime', () => {
    it('computes uptime from up and down checks only, and coverage from unknown ones', async () => {
      await write([
        ...[1, 2, 3, 4, 5, 6].map((minutes) => check(now - minutes * MINUTE, 'up', minutes * 10)),
        check(now - 7 * MINUTE, 'down'),
        check(now - 8 * MINUTE, 'down'),
        check(now - 9 * MINUTE, 'unknown', 0),
        check(now - 10 * MINUTE, 'unknown', 0),
        check(now - 26 * HOUR, 'down'),
      ]);
      const { status, body } = await api.get<UptimeView>(path('uptime'));
      expect(status).toBe(200);
      expect(body).toMatchObject({
        endpoint_id: subject.public,
        uptime: 0.75,
        coverage: 0.8,
        checks: 10,
        failures: 2,
        unknown: 2,
        outage_count: 0,
        outages: [],
        latency: { avg: 35, min: 10, max: 60 },
      });
      expect(Math.abs((body.latency.p50 ?? 0) / 30 - 1)).toBeLessThan(0.0445);
      expect(Date.parse(body.from) % HOUR).toBe(0);
    });

    it('reports null for uptime, coverage and latency before the first check', async () => {
      const { body } = await api.get<UptimeView>(`${path('uptime')}?window=90d`);
      expect(body).toMatchObject({ uptime: null, coverage: null, watched: 0, checks: 0, failures: 0, unknown: 0 });
      expect(body.latency).toEqual({ avg: null, p50: null, p95: null, p99: null, min: null, max: null });
    });

    it('reports how little of a range a new endpoint was watched', async () => {
      await write([check(now - 1000)]);
      const { body: day } = await api.get<UptimeView>(path('uptime'));
      const { body: quarter } = await api.get<UptimeView>(`${path('uptime')}?window=90d`);
      expect(day).toMatchObject({ uptime: 1, coverage: 1 });
      expect(day.watched).toBeGreaterThan(0);
      expect(day.watched).toBeLessThan(0.01);
      expect(quarter.watched).toBeLessThan(day.watched);
    });

    it.each([
      ['24h', 1],
      ['7d', 2],
      ['30d', 3],
      ['90d', 4],
    ])('counts the failures of the window %s', async (window, failures) => {
      await write([1, 100, 20 * 24, 80 * 24].map((hours) => check(now - hours * HOUR, 'down')));
      expect((await api.get<UptimeView>(`${path('uptime')}?window=${window}`)).body.failures).toBe(failures);
    });

    it('returns the same uptime before and after the hours are rolled up', async () => {
      await write(
        Array.from({ length: 50 }, (_, index) => check(now - index * HOUR, index % 7 === 0 ? 'down' : 'up', index)),
      );
      const range = `from=${new Date(now - 2 * DAY).toISOString()}&to=${new Date(now).toISOString()}`;
      await forgetRollups(4);
      const before = await api.get<UptimeView>(`${path('uptime')}?${range}`);
      expect(before.body.checks).toBe(48);
      await rollUp();
      expect((await api.get<UptimeView>(`${path('uptime')}?${range}`)).body).toEqual(before.body);
    });

    it('lists outages with their duration and first error, newest first', async () => {
      const opened = [5 * HOUR, 2 * HOUR].map((ago) => ({
        endpointKey: subject.key,
        startedAt: new Date(now - ago),
        error: 'tls_expired' as const,
        message: 'The certificate has expired.',
      }));
      await database.transaction((tx) =>
        testApp.app
          .get(HistoryWriter)
          .outages(tx, opened, [{ endpointKey: subject.key, endedAt: new Date(now - 4 * HOUR) }]),
      );
      const range = `from=${new Date(now - 4.5 * HOUR).toISOString()}&to=${new Date(now - HOUR).toISOString()}`;
      const { body } = await api.get<UptimeView>(`${path('uptime')}?${range}`);
      expect(body.outage_count).toBe(2);
      expect(body.downtime_seconds).toBe(1.5 * 3600);
      expect(body.outages).toMatchObject([
        {
          started_at: new Date(now - 2 * HOUR).toISOString(),
          ended_at: null,
          error: { code: 'tls_expired', message: 'The certificate has expired.' },
        },
        { ended_at: new Date(now - 4 * HOUR).toISOString(), duration_seconds: 3600 },
      ]);
      expect(body.outages[0]?.duration_seconds).toBeGreaterThanOrEqual(2 * 3600);
    });

    it('ends the open outage of an endpoint when it is paused', async () => {
      await database.transaction((tx) =>
        testApp.app
          .get(HistoryWriter)
          .outages(
            tx,
            [{ endpointKey: subject.key, startedAt: new Date(now - HOUR), error: 'internal', message: '' }],
            [],
          ),
      );
      await testApp.write.put(`/endpoints/${subject.public}`, { enabled: false });
      const { body } = await api.get<UptimeView>(path('uptime'));
      expect(body.outages[0]?.ended_at).not.toBeNull();
    });
  });

  describe('latency', () => {
    it('returns latency in equal buckets without gaps, with the mean of each phase', async () => {
      const hour = Math.floor(now / HOUR) * HOUR - HOUR;
      await write([
        check(hour + 10, 'up', 100),
        check(hour + 20, 'up', 300),
        check(hour + 11 * MINUTE, 'down'),
        check(hour + 16 * MINUTE, 'unknown', 0),
      ]);
      const range = `from=${new Date(hour).toISOString()}&to=${new Date(hour + 20 * MINUTE).toISOString()}`;
      const { status, body } = await api.get<LatencyBucketView[]>(`${path('latency')}?${range}&step=300`);
      expect(status).toBe(200);
      expect(body.map(({ start }) => Date.parse(start) - hour)).toEqual([0, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE]);
      expect(body.map(({ count, failures, unknown }) => [count, failures, unknown])).toEqual([
        [2, 0, 0],
        [0, 0, 0],
        [1, 1, 0],
        [1, 0, 1],
      ]);
      expect(body[0]).toMatchObject({
        avg: 200,
        max: 300,
        phases: { dns_ms: 50, connect_ms: 50, tls_ms: null, first_byte_ms: 100, transfer_ms: null },
      });
      expect(body[1]).toMatchObject({ avg: null, p50: null, p95: null, p99: null, max: null, phases: null });
    });

    it('returns the same latency from hourly stats as from single checks', async () => {
      await write(Array.from({ length: 40 }, (_, index) => check(now - index * 40 * MINUTE, 'up', 10 + index)));
      const query = `${path('latency')}?step=3600&to=${new Date(now).toISOString()}`;
      await forgetRollups(4);
      const before = (await api.get<LatencyBucketView[]>(query)).body;
      await rollUp();
      expect((await api.get<LatencyBucketView[]>(query)).body).toEqual(before);
      expect(before.reduce((sum, bucket) => sum + bucket.count, 0)).toBeGreaterThan(30);
    });

    it('returns the latency of the last 24 hours with a default step without parameters', async () => {
      const { body } = await api.get<LatencyBucketView[]>(path('latency'));
      expect(body.length).toBeGreaterThanOrEqual(288);
      expect(body.length).toBeLessThanOrEqual(290);
    });
  });

  describe('the overview', () => {
    it('shows an endpoint without checks in the overview', async () => {
      expect(await mine()).toEqual({
        id: subject.public,
        name: 'Checkout',
        url: 'https://shop.example.com/checkout',
        type: 'HTTPS',
        website: { id: subject.website, name: 'Shop' },
        tags: [],
        status: 'unknown',
        degraded: false,
        locations: null,
        maintenance: null,
        next_expected_at: null,
        acknowledgement: null,
        verifying: false,
        status_since: null,
        last_checked_at: null,
        last_error: null,
        uptime_24h: null,
        coverage_24h: null,
        watched_24h: 0,
        uptime_7d: null,
        watched_7d: 0,
        uptime_30d: null,
        watched_30d: 0,
        uptime_90d: null,
        watched_90d: 0,
        p95_ms: null,
        recent: [],
        certificate_expires_at: null,
        alert_open: false,
      });
    });

    it('shows uptime and latency in the overview before the first full hour', async () => {
      await write([check(now - 1000, 'up', 80), check(now - 2000, 'up', 20), check(now - 3000, 'down')]);
      await recordState(
        `status = 0, last_error = 3, recent = 22, hour_start = date_trunc('hour', now(), 'UTC'), hour_up = 2, hour_down = 1, hour_unknown = 1`,
      );
      expect(await mine()).toMatchObject({
        status: 'down',
        last_error: 'connection_refused',
        uptime_24h: 0.666666,
        coverage_24h: 0.75,
        uptime_90d: 0.666666,
        p95_ms: 80,
        recent: ['up', 'up', 'down'],
      });
    });

    it.each([1, 5, 60])(
      'shows a latency in the overview after %i minutes of checks, before any hour is closed',
      async (n) => {
        const hour = Math.floor(now / HOUR) * HOUR;
        await write(Array.from({ length: n }, (_, index) => check(now - index * MINUTE, 'up', 40 + index)));
        const [inHour, before] = [0, 1].map(
          (ago) =>
            Array.from({ length: n }, (_, index) => now - index * MINUTE).filter(
              (at) => Math.floor(at / HOUR) * HOUR === hour - ago * HOUR,
            ).length,
        );
        await recordState(
          `status = 1, hour_start = '${new Date(hour).toISOString()}', hour_up = ${inHour}, before_up = ${before}`,
        );
        await database.query('DELETE FROM endpoint_summary WHERE endpoint_key = $1', [subject.key]);
        expect((await mine())?.p95_ms).toBe(40 + Math.ceil(0.95 * n) - 1);
      },
    );

    it('reports how little of a window a new endpoint was watched, even if its uptime is high', async () => {
      await write([check(now - 1000)]);
      await recordState(
        `status = 1, last_checked_at = now(), hour_start = date_trunc('hour', now(), 'UTC'), hour_up = 1`,
      );
      const item = await mine();
      expect(item).toMatchObject({ uptime_90d: 1, coverage_24h: 1 });
      expect(item?.watched_24h).toBeLessThan(0.01);
      expect(item?.watched_90d).toBeLessThan(item?.watched_30d ?? 0);
      expect(item?.watched_90d).toBeGreaterThan(0);
    });

    it('adds full hours, the hour before and the current one without counting any twice', async () => {
      const hour = Math.floor(now / HOUR) * HOUR;
      await write([...[2, 3, 4].map((hours) => check(hour - hours * HOUR, 'up', 50)), check(hour - 5 * HOUR, 'down')]);
      await testApp.app.get(RollupJob).run();
      const [summary] = await database.query<{ until: Date }>(
        'SELECT until FROM endpoint_summary WHERE endpoint_key = $1',
        [subject.key],
      );
      const [progress] = await database.query<{ until: Date }>(
        `SELECT done_until AS until FROM history_progress WHERE name = 'hour'`,
      );
      const until = (summary?.until ?? progress?.until ?? new Date(0)).getTime();
      await database.query(
        `INSERT INTO endpoint_summary VALUES ($1, $2, 3, 1, 0, 3, 1, 3, 1, 3, 1, 50000)
         ON CONFLICT (endpoint_key) DO UPDATE SET up_24h = 3, down_24h = 1`,
        [subject.key, new Date(until)],
      );
      await recordState(`hour_start = '${new Date(until).toISOString()}', hour_up = 4, before_up = 100`);
      expect((await mine())?.uptime_24h).toBe(7 / 8);
      await recordState(`hour_start = '${new Date(until + HOUR).toISOString()}', hour_up = 4, before_up = 8`);
      expect((await mine())?.uptime_24h).toBe(15 / 16);
      await recordState(`hour_start = '${new Date(until - HOUR).toISOString()}', hour_up = 4, before_up = 8`);
      expect((await mine())?.uptime_24h).toBe(3 / 4);
    });

    it('shows an endpoint of a paused website as paused', async () => {
      await testApp.write.put(`/websites/${subject.website}`, { enabled: false });
      expect((await mine())?.status).toBe('paused');
    });

    it('pages the overview, oldest endpoint first, with a total count', async () => {
      const second = await addEndpoint(testApp.write);
      const first = await api.get<OverviewItemView[]>('/overview?limit=1');
      expect(first.body).toHaveLength(1);
      expect(Number(first.headers['x-total-count'])).toBeGreaterThanOrEqual(2);
      const rest = await api.get<OverviewItemView[]>(`/overview?cursor=${first.headers['x-next-cursor']}`);
      const ids = [...first.body, ...rest.body].map((item) => item.id);
      expect(ids).toEqual([...ids].sort());
      expect(ids).toEqual(expect.arrayContaining([subject.public, second.public]));
    });

    it('reports how many were down at once in each five minutes of 24 hours, and nothing of other organizations', async () => {
      const own = await testApp.organization('Down');
      const [checkout, search] = [await addEndpoint(own.write), await addEndpoint(own.write)];
      const step = Math.floor(Date.now() / (5 * MINUTE)) * 5 * MINUTE;
      const before = (minutes: number, seconds = 0) => new Date(step - minutes * MINUTE + seconds * 1000);
      const outage = (of: Subject, from: Date, to: Date | null, planned = false) =>
        database.query(
          `INSERT INTO outage (endpoint_key, started_at, ended_at, error, error_message, planned) VALUES ($1, $2, $3, 0, '', $4)`,
          [of.key, from, to, planned],
        );
      // Two failures within a step, then a longer one. The other continues, after a planned outage and one of last
      // week.
      await outage(checkout, before(600, 1), before(600, 2));
      await outage(checkout, before(600, 3), before(600, 4));
      await outage(checkout, before(60, 1), before(50, 1));
      await outage(search, before(7 * 1440), before(7 * 1440 - 5));
      await outage(search, before(200), before(190), true);
      await outage(search, before(55, 1), null);
      await database.query(
        'UPDATE endpoint_state SET status = 0, hour_down = 1 WHERE endpoint_key = ANY ($1::bigint[])',
        [[checkout.key, search.key]],
      );
      const { body } = await own.read.get<OverviewDownView>('/overview/down');
      const at = (date: Date) => Math.floor((date.getTime() - Date.parse(body.from)) / (body.step_seconds * 1000));
      expect([body.step_seconds, body.down.length]).toEqual([300, 288]);
      expect(body.down.slice(0, at(before(60))).filter((n) => n > 0)).toHaveLength(1);
      expect(body.down[at(before(600))]).toBe(1);
      expect(body.down.slice(at(before(60)), at(before(40)))).toEqual([1, 2, 2, 1]);
      expect(body.down.at(-1)).toBe(1);
      const other = await testApp.organization('Other');
      expect((await other.read.get<OverviewDownView>('/overview/down')).body.down.every((n) => n === 0)).toBe(true);
    });

    it('hides endpoints and websites of other organizations from the overview', async () => {
      const other = await testApp.organization('Other');
      expect((await other.read.get<OverviewItemView[]>('/overview')).body).toEqual([]);
      expect((await other.read.get(`/overview?website_id=${subject.website}`)).status).toBe(404);
    });
  });

  describe('a website', () => {
    it('adds up the days of its endpoints, and lists their outages', async () => {
      const fields = { name: 'Search', url: 'https://shop.example.com/search', type: 'HTTPS' };
      const { body: other } = await testApp.write.post<{ id: string }>(
        `/websites/${subject.website}/endpoints`,
        fields,
      );
      const id = parseId('endpoint', other.id) ?? '';
      const [row] = await database.query<{ key: string }>('SELECT key FROM endpoint WHERE id = $1', [id]);
      const second = { id, key: row?.key ?? '' };
      const at = (days: number) => Math.floor(now / DAY) * DAY - days * DAY + HOUR;
      await write([
        check(at(40), 'down'),
        check(at(2)),
        check(at(2) + MINUTE, 'unknown'),
        recorded(second, new Date(at(2)), 'down', 10),
        { ...recorded(second, new Date(at(1)), 'down', 10), planned: true },
      ]);
      const opened = [
        { endpointKey: second.key, startedAt: new Date(at(2)), error: 'tls_expired' as const, message: 'Expired.' },
        { endpointKey: subject.key, startedAt: new Date(at(40)), error: 'internal' as const, message: '' },
      ];
      const ended = [{ endpointKey: subject.key, endedAt: new Date(at(39)) }];
      await database.transaction((tx) => testApp.app.get(HistoryWriter).outages(tx, opened, ended));

      const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);
      const expected = [
        { date: date(at(2)), up: 1, down: 1, unknown: 1, planned: 0 },
        { date: date(at(1)), up: 0, down: 0, unknown: 0, planned: 1 },
      ];
      const of = `/websites/${subject.website}/history`;
      const { status, body } = await api.get<WebsiteHistoryView>(`${of}?days=30`);
      expect([status, body.since, body.days]).toEqual([200, date(at(29)), expected]);
      expect(body.outages).toMatchObject([{ endpoint_id: other.id, endpoint_name: 'Search', ended_at: null }]);
      const whole = (await api.get<WebsiteHistoryView>(of)).body;
      expect([whole.days.length, whole.outages.map(({ endpoint_name }) => endpoint_name)]).toEqual([
        3,
        ['Search', 'Checkout'],
      ]);
    });

    it('of another organization is not found', async () => {
      const { read } = await testApp.organization('Other');
      expect((await read.get(`/websites/${subject.website}/history`)).status).toBe(404);
    });
  });

  describe('deleting an endpoint', () => {
    it('queues the history of a deleted endpoint for removal', async () => {
      await testApp.write.delete(`/endpoints/${subject.public}`);
      expect(await database.query('SELECT 1 FROM history_purge WHERE endpoint_key = $1', [subject.key])).toHaveLength(
        1,
      );
    });
  });

  it.each(['checks', 'uptime', 'latency'])(
    'responds to %s of a foreign, unknown or malformed endpoint id with the same 404',
    async (what) => {
      const other = await testApp.organization('Stranger');
      const ids = [subject.public, 'ep_00000000000000000000000000', 'ep_nonsense', `${subject.public}0`];
      const responses = await Promise.all(ids.map((id) => other.read.get<ProblemView>(`/endpoints/${id}/${what}`)));
      for (const { status, body } of responses) {
        expect(status).toBe(404);
        expect({ ...body, instance: '', request_id: '' }).toEqual({
          ...responses[0]?.body,
          instance: '',
          request_id: '',
        });
      }
    },
  );

  it.each(['checks', 'uptime', 'latency'])('interprets a date without a time as from in %s', async (resource) => {
    const today = new Date().toISOString().slice(0, 10);
    expect((await api.get(path(`${resource}?from=${today}`))).status).toBe(200);
  });

  it('interprets a date without a time as midnight UTC in from and to', async () => {
    const [from, to] = [2, 1].map((days) => new Date(now - days * DAY).toISOString().slice(0, 10));
    const [midnight, end] = [`${from}T00:00:00.000Z`, `${to}T00:00:00.000Z`];
    await write([midnight, end].flatMap((at) => [check(Date.parse(at) - 1), check(Date.parse(at))]));
    const { body: checks } = await api.get<CheckView[]>(path(`checks?from=${from}&to=${to}`));
    expect(checks.map((item) => item.checked_at)).toEqual([new Date(Date.parse(end) - 1).toISOString(), midnight]);
    const { body: uptime } = await api.get<UptimeView>(path(`uptime?from=${from}&to=${to}`));
    expect(uptime).toMatchObject({ from: midnight, to: end, checks: 2 });
    const { body: buckets } = await api.get<LatencyBucketView[]>(path(`latency?from=${from}&to=${to}&step=86400`));
    expect(buckets).toMatchObject([{ start: midnight, count: 2 }]);
  });

  it.each([
    ['checks?limit=0', '?limit', 'out_of_range'],
    ['checks?limit=1001', '?limit', 'out_of_range'],
    ['checks?limit=ten', '?limit', 'wrong_type'],
    ['checks?outcome=UP', '?outcome', 'invalid_format'],
    ['checks?from=yesterday', '?from', 'invalid_format'],
    ['checks?from=2026-02-30', '?from', 'invalid_format'],
    ['checks?from=2026-01-01T00:00:00', '?from', 'invalid_format'],
    ['checks?to=2026-13-01T00:00:00Z', '?to', 'invalid_format'],
    ['checks?to=9999-01-01T00:00:00Z', '?to', 'invalid_format'],
    ['checks?offset=1', '?offset', 'unknown_field'],
    ['uptime?window=1h', '?window', 'invalid_format'],
    ['uptime?to=2026-01-01T00:00:00Z', '?from', 'out_of_range'],
    ['uptime?window=7d&from=2026-01-01T00:00:00Z', '?window', 'out_of_range'],
    ['uptime?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', '?from', 'out_of_range'],
    ['uptime?from=2900-01-01T00:00:00Z', '?from', 'out_of_range'],
    ['latency?step=0', '?step', 'out_of_range'],
    ['latency?step=5000', '?step', 'out_of_range'],
    ['latency?step=1', '?step', 'out_of_range'],
    ['latency?step=1800&from=2026-01-01T00:00:00Z&to=2026-01-09T00:00:01Z', '?step', 'out_of_range'],
    ['latency?step=3600&from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', '?step', 'out_of_range'],
    ['latency?from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z', '?from', 'out_of_range'],
  ])('refuses the query %s', async (query, pointer, code) => {
    const { status, body } = await api.get<ProblemView>(path(query));
    expect({ status, code: body.code, errors: body.errors }).toEqual({
      status: 400,
      code: 'invalid_query',
      errors: [{ pointer, code, message: expect.any(String) as string }],
    });
  });

  it.each([
    ['a damaged cursor', () => 'abc.def'],
    ['the cursor of another list', async () => (await api.get('/overview?limit=1')).headers['x-next-cursor'] ?? ''],
  ])('refuses %s', async (_, cursor) => {
    await addEndpoint(testApp.write);
    const { status, body } = await api.get<ProblemView>(`${path('checks')}?cursor=${await cursor()}`);
    expect([status, body.code]).toEqual([400, 'invalid_cursor']);
  });

  it('refuses a malformed website id in the overview', async () => {
    const { status, body } = await api.get<ProblemView>('/overview?website_id=7');
    expect([status, body.code]).toEqual([400, 'invalid_query']);
  });

  it.each(['/overview', '/endpoints/ep_00000000000000000000000000/checks'])('requires a key for %s', async (route) => {
    expect((await testApp.anonymous.get(route)).status).toBe(401);
  });
});
