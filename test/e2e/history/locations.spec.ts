/** @databases both */
import type { Outcome } from '../../../src/checker/checker';
import { OUTCOME_CODE } from '../../../src/endpoint/outcome-code';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import type { CheckView } from '../../../src/history/read/check.dto';
import type { LatencyBucketView } from '../../../src/history/read/latency.dto';
import type { UptimeView } from '../../../src/history/read/uptime.dto';
import type { OverviewItemView } from '../../../src/history/overview/overview.dto';
import { RollupJob } from '../../../src/history/rollup/rollup.job';
import { HistoryWriter } from '../../../src/history/write/history-writer';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import type { ProblemView } from '../../../src/platform/problem/problem.view';
import type { ApiResponse } from '../../../packages/testing/service/api';
import { startApp, type TestApp } from '../../harness/app/app';
import { recorded } from '../../harness/app/history';
import { readPrometheusText } from '../../harness/app/prometheus-text';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A full hour of yesterday or today that was closed long ago. */
const HOUR_AT = Math.floor(Date.now() / HOUR) * HOUR - 5 * HOUR;

describe('history of several locations over HTTP', () => {
  let app: TestApp;
  let database: Database;
  let website: string;
  /** Numbers of locations by name. */
  const numbers = new Map([['local', 0]]);
  let endpoint: { public: string; id: string; key: string };

  beforeAll(async () => {
    app = await startApp({ role: 'api', rawRetentionDays: 100 });
    database = app.app.get(Database);
    for (const key of ['fra', 'use']) expect((await app.admin.post('/probes', { key })).status).toBe(201);
    const rows = await database.query<{ key: string; number: number }>(
      'SELECT key, number FROM probe WHERE org_id = $1',
      [app.orgId],
    );
    for (const { key, number } of rows) numbers.set(key, number);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    website = await newWebsite(app.write);
    endpoint = await made({ locations: ['local', 'fra', 'use'] });
  });

  async function made(fields: object): Promise<typeof endpoint> {
    const id = await newEndpoint(app.write, website, fields);
    const uuid = parseId('endpoint', id) ?? '';
    const [row] = await database.query<{ key: string }>('SELECT key FROM endpoint WHERE id = $1', [uuid]);
    return { public: id, id: uuid, key: row?.key ?? '' };
  }

  const seen = (
    location: string,
    minute: number,
    own: Outcome,
    counted: Outcome | 'late',
    durationMs = 10,
  ): FinishedCheck => ({
    ...recorded(endpoint, new Date(HOUR_AT + minute * MINUTE), own, durationMs),
    location: numbers.get(location) ?? 0,
    counted: counted === 'late' ? null : { outcome: counted, degraded: false },
  });
  const ONE_OF_THREE = () => [
    seen('local', 1, 'up', 'up', 10),
    seen('fra', 1, 'down', 'up'),
    seen('use', 1, 'up', 'up', 30),
    seen('fra', 2, 'down', 'up'),
    seen('fra', 3, 'up', 'late', 50),
  ];

  /** Writes checks of closed hours, which are rolled up at once. */
  async function write(checks: readonly FinishedCheck[]): Promise<void> {
    await database.transaction((tx) => app.app.get(HistoryWriter).write(tx, checks));
    await app.app.get(RollupJob).run();
  }

  const get = async <Body>(what: string, query = ''): Promise<Body> =>
    (await app.read.get<Body>(`/endpoints/${endpoint.public}/${what}${query}`)).body;
  const listed = async (query = ''): Promise<string[]> =>
    (await get<CheckView[]>('checks', query)).map(
      ({ location, outcome, combined_outcome: all }) => `${location ?? ''} ${outcome} ${all ?? 'late'}`,
    );
  const see = (states: Record<string, Outcome>) =>
    database.query(
      `UPDATE endpoint_location l SET status = s.status, last_checked_at = now(), last_known_at = now(), last_duration_us = 2500
         FROM unnest($2::smallint[], $3::smallint[]) AS s (number, status) WHERE l.endpoint_id = $1 AND l.number = s.number`,
      [
        endpoint.id,
        Object.keys(states).map((name) => numbers.get(name)),
        Object.values(states).map((outcome) => OUTCOME_CODE[outcome]),
      ],
    );

  it("lists each location's result and the verdict, newest first, and page by page none twice", async () => {
    await write(ONE_OF_THREE());
    const all = ['fra up late', 'fra down up', 'use up up', 'fra down up', 'local up up'];
    expect(await listed()).toEqual(all);
    const paged: CheckView[] = [];
    let path: string | null = `/endpoints/${endpoint.public}/checks?limit=1`;
    while (path !== null) {
      const { body, headers }: ApiResponse<CheckView[]> = await app.read.get<CheckView[]>(path);
      paged.push(...body);
      const next: string | undefined = headers['x-next-cursor'];
      path = next === undefined ? null : `/endpoints/${endpoint.public}/checks?limit=1&cursor=${next}`;
    }
    expect(paged.map(({ location, outcome }) => `${location ?? ''} ${outcome}`)).toEqual(
      all.map((line) => line.split(' ').slice(0, 2).join(' ')),
    );
    expect(new Set(paged.map(({ id }) => id)).size).toBe(all.length);
  });

  it("names no probe of another organization whose number once belonged to the organization's own probe", async () => {
    const other = await app.organization('Elsewhere');
    expect((await other.admin.post('/probes', { key: 'theirs' })).status).toBe(201);
    const [theirs] = await database.query<{ number: number }>(`SELECT number FROM probe WHERE key = 'theirs'`);
    await write([{ ...seen('fra', 1, 'up', 'up'), location: theirs?.number ?? 0 }, seen('use', 2, 'up', 'up')]);
    expect(await listed()).toEqual(['use up up', ' up up']);
  });

  it("filters checks by location and by the location's outcome", async () => {
    await write(ONE_OF_THREE());
    expect(await listed('?location=use')).toEqual(['use up up']);
    expect(await listed('?outcome=down')).toEqual(['fra down up', 'fra down up']);
    expect(await listed('?outcome=up&location=fra')).toEqual(['fra up late']);
  });

  it("has one verdict in the numbers of the endpoint, and each location's numbers by its own results, without outages", async () => {
    await write(ONE_OF_THREE());
    await database.query(
      `INSERT INTO outage (endpoint_key, started_at, ended_at, error, error_message) VALUES ($1, $2, $3, 0, 'x')`,
      [endpoint.key, new Date(HOUR_AT), new Date(HOUR_AT + MINUTE)],
    );
    const range = `from=${new Date(HOUR_AT).toISOString()}&to=${new Date(HOUR_AT + HOUR).toISOString()}`;
    expect(await get<UptimeView>('uptime', `?${range}`)).toMatchObject({
      uptime: 1,
      checks: 4,
      failures: 0,
      outage_count: 1,
      downtime_seconds: 60,
      latency: { avg: 20 },
    });
    expect(await get<UptimeView>('uptime', `?${range}&location=fra`)).toMatchObject({
      uptime: 1 / 3,
      checks: 3,
      failures: 2,
      outage_count: null,
      downtime_seconds: null,
      outages: [],
      latency: { avg: 50 },
    });
    const buckets = async (query: string) =>
      (await get<LatencyBucketView[]>('latency', `?${range}&step=3600${query}`)).map(({ count, failures, avg }) => [
        count,
        failures,
        avg,
      ]);
    expect(await buckets('')).toEqual([[4, 0, 20]]);
    expect(await buckets('&location=fra')).toEqual([[3, 2, 50]]);
  });

  it.each(['checks', 'uptime', 'latency'])(
    'responds 404 for %s of a location that the endpoint does not have',
    async (what) => {
      endpoint = await made({ locations: ['fra'] });
      const status = async (location: string) =>
        (await app.read.get<ProblemView>(`/endpoints/${endpoint.public}/${what}?location=${location}`)).status;
      expect([await status('fra'), await status('local'), await status('use'), await status('shared/fra')]).toEqual([
        200, 404, 404, 404,
      ]);
      endpoint = await made({});
      expect([await status('local'), await status('fra')]).toEqual([200, 404]);
    },
  );

  it('shows in the overview and in metrics how many locations see it down, and one verdict', async () => {
    await database.query('UPDATE endpoint_state SET status = 1, last_checked_at = now() WHERE endpoint_id = $1', [
      endpoint.id,
    ]);
    await see({ local: 'up', fra: 'down' });
    const { body } = await app.read.get<OverviewItemView[]>(`/overview?website_id=${website}`);
    const own = body.find(({ id }) => id === endpoint.public);
    expect([own?.status, own?.locations]).toEqual(['up', { down: 1, reporting: 2, total: 3 }]);

    const samples = readPrometheusText((await app.read.get('/metrics')).text);
    const told = (name: string, label: string) =>
      samples.flatMap((sample) =>
        sample.name === name && [endpoint.public, undefined].includes(sample.labels['id'])
          ? `${sample.labels[label] ?? ''} ${sample.value}`
          : [],
      );
    expect(told('uptime_endpoint_up', 'type')).toEqual(['HTTPS 1']);
    expect(told('uptime_endpoint_location_up', 'location')).toEqual(['local 1', 'fra 0']);
    expect(told('uptime_endpoint_location_duration_seconds', 'location')).toEqual(['local 0.0025', 'fra 0.0025']);
    expect(told('uptime_probe_up', 'key')).toEqual(['fra 0', 'use 0']);
  });

  it('has one verdict on the status page, its badge and its feed', async () => {
    await write(ONE_OF_THREE());
    await database.query('UPDATE endpoint_state SET status = 1, last_checked_at = now() WHERE endpoint_id = $1', [
      endpoint.id,
    ]);
    await see({ local: 'up', fra: 'down', use: 'up' });
    const { path } = (await app.write.put<{ path: string }>(`/websites/${website}/status-page`, { enabled: true }))
      .body;
    const shown = async (form: string) => (await fetch(`${app.url}${path}${form}`)).text();
    const page = JSON.parse(await shown('.json')) as {
      endpoints: { status: string; days: { uptime: number | null }[] }[];
      outages: unknown[];
    };
    expect(page.endpoints.flatMap(({ days }) => days.filter(({ uptime }) => uptime !== null && uptime < 1))).toEqual(
      [],
    );
    expect(page.endpoints.filter(({ status }) => status === 'down')).toEqual([]);
    expect(page.outages).toEqual([]);
    expect(await shown('.svg')).not.toContain('down');
    expect(await shown('/feed.atom')).not.toContain('<entry>');
  });
});
