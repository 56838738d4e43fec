/**
 * @lane slow
 * @databases both
 */
import { Database } from '../../../src/platform/database/database';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import { newWebsite } from '../../harness/app/resources';
import {
  DAY,
  HOUR,
  hoursOf,
  inventLife,
  type Life,
  MINUTE,
  naiveDays,
  outagesOf,
} from '../../harness/report/naive-report';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';

interface Figures {
  availability: number | null;
  coverage: number | null;
  downtime_seconds: number;
  allowed_seconds: number;
  budget_left_seconds: number;
  budget_used: number | null;
  planned_seconds: number;
  outages: number;
  verdict: string;
}
interface Report {
  from: string;
  to: string;
  until: string;
  total: Figures & { incidents: number; longest_incident_seconds: number | null; acknowledge_seconds: number | null };
  endpoints: (Figures & {
    id: string;
    name: string;
    checks: number;
    failures: number;
    unknown: number;
    days: { date: string; availability: number | null; downtime_seconds: number; planned_seconds: number }[];
  })[];
  outages: { endpoint_id: string; started_at: string; planned: boolean }[];
}

const TARGET = 0.999;
const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** Each number of a report is compared with what looking at every minute and every check of the month yields. */
describe('the numbers of a report', () => {
  let app: TestApp;
  let organization: ServiceOrganization;
  let website: string;
  let organizations = 0;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    organizations += 1;
    organization = await app.organization(`Reporting ${organizations}`);
    website = await newWebsite(organization.write, 'Shop');
  });

  /** Stores an endpoint with its hours, outages, and maintenance, as months of running would have. Returns its UUID. */
  async function live(name: string, life: Life): Promise<string> {
    const database = app.app.get(Database);
    const id = uuidAt(life.madeMs);
    await database.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type, interval_seconds)
       VALUES ($1, $2, $3, $4, 'https://a.example', 'HTTPS', $5)`,
      [id, organization.orgId, parseId('website', website), name, life.intervalMinutes * 60],
    );
    const hours = hoursOf(life);
    await database.query(
      `INSERT INTO check_hour (endpoint_key, start_at, up, down, unknown, planned, sum_us, dns_us, connect_us, tls_us,
                               first_byte_us, transfer_us, min_us, max_us, buckets, counts)
       SELECT e.key, h.at, h.up, h.down, h.unknown, h.planned, 0, 0, 0, 0, 0, 0, 0, 0, '{}', '{}'
         FROM endpoint e, unnest($2::timestamptz[], $3::int[], $4::int[], $5::int[], $6::int[]) AS h (at, up, down, unknown, planned)
        WHERE e.id = $1`,
      [
        id,
        hours.map(({ at }) => new Date(at)),
        ...(['up', 'down', 'unknown', 'planned'] as const).map((kind) => hours.map((hour) => hour[kind])),
      ],
    );
    const outages = outagesOf(life);
    await database.query(
      `INSERT INTO outage (endpoint_key, started_at, ended_at, error, error_message, planned)
       SELECT e.key, o.since, o.until, 1, 'secret', false
         FROM endpoint e, unnest($2::timestamptz[], $3::timestamptz[]) AS o (since, until) WHERE e.id = $1`,
      [id, outages.map(({ from }) => new Date(from)), outages.map(({ to }) => (to === null ? null : new Date(to)))],
    );
    for (const { from, to } of life.windows) {
      const scope = newUuid();
      await database.query(
        `INSERT INTO maintenance_scope (id, org_id, covers_all, website_ids, endpoint_ids, tags)
         VALUES ($1, $2, false, '{}', $3, '{}')`,
        [scope, organization.orgId, [id]],
      );
      await database.query(
        `INSERT INTO maintenance_occurrence (window_id, starts_at, ends_at, org_id, scope_id, name, mute, exclude_from_uptime, public)
         VALUES ($1, $2, $3, $4, $5, 'Work', true, true, true)`,
        [newUuid(), new Date(from), new Date(to), organization.orgId, scope],
      );
    }
    return id;
  }

  const report = async (query: string): Promise<Report> => {
    const { status, body, text } = await organization.read.get<Report>(`/reports/uptime?${query}`);
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    return body;
  };

  it.each([
    ['2026-03', 'Europe/Berlin', 'with a day of 23 hours'],
    ['2026-10', 'Europe/Berlin', 'with a day of 25 hours'],
    ['2025-11', 'America/New_York', 'with a day of 25 hours, west of Greenwich'],
    ['2026-02', 'Asia/Kolkata', 'with days that start within an hour'],
    ['2026-04', 'Australia/Lord_Howe', 'with a change of half an hour'],
    ['2026-01', 'UTC', 'in UTC'],
  ])('in %s, %s, %s, equal a count of every single minute and check', async (month, zone) => {
    const start = Date.parse(`${month}-01T00:00:00Z`);
    const range = { from: start - 3 * DAY, to: start + 35 * DAY };
    const intervals = [10, 10, 120, 1440];
    const lives = intervals.map((interval, at) => inventLife(range, interval, at * 97 + month.charCodeAt(6) * 13 + 1));
    const ids: string[] = [];
    for (const [at, life] of lives.entries()) ids.push(await live(`Endpoint ${at}`, life));
    const shown = await report(`month=${month}&timezone=${encodeURIComponent(zone)}`);
    const [from, to] = [Date.parse(shown.from), Date.parse(shown.to)];
    expect(shown.until).toBe(shown.to);
    const isIn = (at: number) => Math.floor(at / HOUR) * HOUR >= from && Math.floor(at / HOUR) * HOUR < to;
    const all = { counted: 0, down: 0, planned: 0 };
    for (const [at, life] of lives.entries()) {
      const days = naiveDays(life, month, zone, { from, to });
      const [counted, down, planned] = (['counted', 'down', 'planned'] as const).map((kind) =>
        sum([...days.values()].map((day) => day[kind])),
      ) as [number, number, number];
      const own = shown.endpoints.find(({ id }) => id === formatId('endpoint', ids[at] ?? ''));
      const checks = life.checks.filter((check) => isIn(check.at) && !check.planned);
      const allowed = (1 - TARGET) * counted;
      expect(own).toMatchObject({
        downtime_seconds: down,
        planned_seconds: planned,
        outages: outagesOf(life).filter((outage) => outage.from < to && (outage.to ?? Infinity) > from).length,
        checks: checks.filter(({ outcome }) => outcome !== 'unknown').length,
        failures: checks.filter(({ outcome }) => outcome === 'down').length,
        unknown: checks.filter(({ outcome }) => outcome === 'unknown').length,
        verdict: counted === 0 ? 'no_data' : down > allowed ? 'missed' : 'met',
      });
      expect(own?.availability).toBeCloseTo(1 - down / counted, 9);
      expect(own?.coverage).toBeCloseTo(Math.min(1, counted / ((to - from) / 1000 - planned)), 9);
      expect(own?.allowed_seconds).toBeCloseTo(allowed, 2);
      expect(own?.budget_left_seconds).toBeCloseTo(allowed - down, 2);
      expect(own?.budget_used).toBeCloseTo(down / allowed, 6);
      expect(
        own?.days.map(({ date, downtime_seconds, planned_seconds }) => [date, downtime_seconds, planned_seconds]),
      ).toEqual([...days.values()].map((day) => [day.date, day.down, day.planned]));
      for (const { date, availability } of own?.days ?? []) {
        const day = days.get(date);
        if (!day || day.counted === 0) expect(availability).toBeNull();
        else expect(availability).toBeCloseTo(1 - day.down / day.counted, 9);
      }
      all.counted += counted;
      all.down += down;
      all.planned += planned;
    }
    expect(all.down).toBeGreaterThan(0);
    expect(all.planned).toBeGreaterThan(0);
    expect(shown.total).toMatchObject({ downtime_seconds: all.down, planned_seconds: all.planned, verdict: 'missed' });
    expect(shown.total.availability).toBeCloseTo(1 - all.down / all.counted, 9);
    expect(shown.total.coverage).toBeCloseTo(all.counted / ((lives.length * (to - from)) / 1000 - all.planned), 9);
    expect(shown.total.allowed_seconds).toBeCloseTo((1 - TARGET) * all.counted, 1);
    expect(shown.total.outages).toBe(sum(shown.endpoints.map(({ outages }) => outages)));
  });

  it('of the current month end now, include the hours that are not summed up yet, and allow the budget of the whole month', async () => {
    const now = Date.now();
    const made = Math.floor((now - 2 * DAY) / MINUTE) * MINUTE;
    const id = await live('New', { madeMs: made, intervalMinutes: 10, windows: [], pauses: [], checks: [] });
    const database = app.app.get(Database);
    const [{ until } = { until: new Date() }] = await database.query<{ until: Date }>(
      `SELECT done_until AS until FROM history_progress WHERE name = 'hour'`,
    );
    const hour = Math.floor(now / HOUR) * HOUR;
    await database.query(
      `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id, website_id, hour_start, hour_up, hour_down,
                                   hour_unknown, hour_planned, before_up, before_down)
       SELECT id, key, org_id, website_id, $2, 5, 1, 2, 3, 4, 2 FROM endpoint WHERE id = $1`,
      [id, new Date(hour)],
    );
    const started = new Date(Math.floor((now - 30 * MINUTE) / 1000) * 1000);
    await database.query(
      `INSERT INTO outage (endpoint_key, started_at, ended_at, error, error_message)
       SELECT key, $2, NULL, 1, '' FROM endpoint WHERE id = $1`,
      [id, started],
    );
    const shown = await report('timezone=UTC&target=99');
    const [own] = shown.endpoints;
    const end = Date.parse(shown.until);
    expect(end).toBeGreaterThanOrEqual(now);
    expect(Date.parse(shown.to)).toBeGreaterThan(end);
    const from = Math.max(started.getTime(), Date.parse(shown.from));
    expect(own?.downtime_seconds).toBeCloseTo((end - from) / 1000, 2);
    const remaining = (Date.parse(shown.to) - end) / 1000;
    expect(own?.allowed_seconds).toBeGreaterThan(0.01 * remaining);
    expect(['on_track', 'missed']).toContain(own?.verdict);
    const isBuilt = until.getTime() >= hour || hour === Date.parse(shown.from);
    expect(own).toMatchObject({ checks: isBuilt ? 6 : 12, failures: isBuilt ? 1 : 3, unknown: 2 });
    expect(own?.days.at(-1)).toMatchObject(
      new Date(now).getUTCDate() === own?.days.length ? {} : { availability: null, downtime_seconds: 0 },
    );
  });

  it('of an endpoint that was not monitored say so, instead of a met target', async () => {
    await live('Silent', {
      madeMs: Date.parse('2026-01-01T00:00:00Z'),
      intervalMinutes: 10,
      windows: [],
      pauses: [],
      checks: [],
    });
    const shown = await report('month=2026-02&timezone=UTC');
    expect(shown.endpoints).toMatchObject([{ availability: null, coverage: 0, verdict: 'no_data', budget_used: null }]);
  });

  it('count the incidents that started in the month, with the longest, and the median time to acknowledge', async () => {
    const id = await live('Login', {
      madeMs: Date.parse('2026-01-01T00:00:00Z'),
      intervalMinutes: 10,
      windows: [],
      pauses: [],
      checks: [],
    });
    const other = await live('Mail', {
      madeMs: Date.parse('2026-01-01T00:00:00Z'),
      intervalMinutes: 10,
      windows: [],
      pauses: [],
      checks: [],
    });
    const incident = async (of: string, at: string, minutes: number, acknowledged: number | null) => {
      const incidentId = newUuid();
      const started = Date.parse(at);
      const database = app.app.get(Database);
      await database.query(
        `INSERT INTO incident (id, org_id, number, kind, severity, cause, started_at, opened_at, joined_at, ended_at, ack_at,
                               created_at, updated_at)
         VALUES ($1, $2, $3, 'detected', 'down', 'single', $4, $4, $4, $5, $6, $4, $4)`,
        [
          incidentId,
          organization.orgId,
          started % 1_000_000,
          new Date(started),
          new Date(started + minutes * MINUTE),
          acknowledged === null ? null : new Date(started + acknowledged * MINUTE),
        ],
      );
      await database.query(
        `INSERT INTO incident_member (incident_id, endpoint_id, org_id, website_id, endpoint_name, website_name, started_at, ended_at)
         SELECT $1, e.id, e.org_id, e.website_id, e.name, 'Shop', $3, $4 FROM endpoint e WHERE e.id = $2`,
        [incidentId, of, new Date(started), new Date(started + minutes * MINUTE)],
      );
    };
    await incident(id, '2026-01-31T23:59:00Z', 600, 1);
    await incident(id, '2026-02-01T00:00:00Z', 5, 2);
    await incident(id, '2026-02-11T07:13:00Z', 19, 6);
    await incident(id, '2026-02-28T23:59:00Z', 10, null);
    await incident(other, '2026-02-12T08:17:00Z', 90, 30);
    await app.app.get(Database).query(`UPDATE endpoint SET tags = '{login}' WHERE id = $1`, [id]);
    expect((await report('month=2026-02&timezone=UTC&tag=login')).total).toMatchObject({
      incidents: 3,
      longest_incident_seconds: 19 * 60,
      acknowledge_seconds: 4 * 60,
    });
    expect((await report('month=2026-02&timezone=UTC')).total).toMatchObject({
      incidents: 4,
      longest_incident_seconds: 90 * 60,
      acknowledge_seconds: 6 * 60,
    });
    expect((await report('month=2025-12&timezone=UTC')).total).toMatchObject({
      incidents: 0,
      longest_incident_seconds: null,
      acknowledge_seconds: null,
    });
  });
});

/** Returns a UUID of that time. `newUuid` never goes back. */
const uuidAt = (ms: number): string => {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}${newUuid().slice(13)}`;
};
