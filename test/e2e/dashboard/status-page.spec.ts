/**
 * @lane slow
 * @databases both
 */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Database } from '../../../src/platform/database/database';
import { Clock } from '../../../src/platform/time/clock';
import { StatusSnapshots } from '../../../src/status-page/status-snapshot';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { eventually } from '../../../packages/testing/eventually';

interface Settings {
  enabled: boolean;
  slug: string | null;
  path: string | null;
  code: string;
}

interface PublicStatus {
  name: string;
  status: string;
  updated_at: string;
  endpoints: {
    name: string;
    status: string;
    uptime_90d: number | null;
    days: { date: string; uptime: number | null; checks: number }[];
  }[];
  outages: { endpoint: string; started_at: string; ended_at: string | null; reason: string | null }[];
}

const at = (base: Date, hours: number): Date => new Date(base.getTime() + hours * 3_600_000);

const HOSTILE = `<img src=x onerror="alert(1)">'&`;

describe('public status pages', () => {
  let app: TestApp;
  let other: ServiceOrganization;
  let target: Server;
  let port: number;

  beforeAll(async () => {
    target = createServer((_, response) => response.writeHead(503).end('a secret text of the target'));
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    ({ port } = target.address() as AddressInfo);
    app = await startOwnApp({ statusRateLimitPerSecond: 0 });
    other = await app.organization('Other');
  });
  afterAll(async () => {
    await app.close();
    target.close();
  });
  afterEach(() => jest.restoreAllMocks());

  const website = async (name: string, api = app.write): Promise<string> =>
    (await api.post<{ id: string }>('/websites', { name, url: 'https://internal.example/' })).body.id;
  const publish = async (id: string, body: object = { enabled: true }, api = app.write) =>
    api.put<Settings>(`/websites/${id}/status-page`, body);
  const show = (path: string, headers: Record<string, string> = {}) => fetch(`${app.url}${path}`, { headers });

  it('has no status page until a website enables it', async () => {
    const id = await website('Quiet shop');
    const { status, body } = await app.read.get<Settings>(`/websites/${id}/status-page`);

    expect([status, body]).toEqual([200, { enabled: false, slug: null, path: null }]);
    expect((await show('/status/quiet-shop')).status).toBe(404);
  });

  it('creates a page that is not public by `enabled: false` alone, and none by the response to a GET', async () => {
    const id = await website('Private shop');
    const { body: none } = await app.read.get<Settings>(`/websites/${id}/status-page`);
    expect((await publish(id, none)).body).toEqual(none);
    expect((await publish(id, {})).body).toEqual(none);
    expect((await publish(id, { enabled: false })).body).toMatchObject({ enabled: false, slug: 'private-shop' });
    expect((await show('/status/private-shop')).status).toBe(404);
  });

  it('publishes a status page under a slug made from the name, and hides it again', async () => {
    const id = await website('Example Shop & Söhne');
    const on = await publish(id);
    expect([on.status, on.body]).toEqual([
      200,
      { enabled: true, slug: 'example-shop-sohne', path: '/status/example-shop-sohne' },
    ]);
    expect((await show('/status/example-shop-sohne')).status).toBe(200);

    await publish(id, { enabled: false });
    expect((await show('/status/example-shop-sohne')).status).toBe(404);
  });

  it('gives the second of two websites with the same name a different slug', async () => {
    const [first, second] = [await publish(await website('Twin')), await publish(await website('Twin'))];
    expect(first.body.slug).toBe('twin');
    expect(second.body.slug).toMatch(/^twin-[0-9a-f]{8}$/);
  });

  it('refuses a slug that another organization uses', async () => {
    await publish(await website('Mine'), { enabled: true, slug: 'the-address' });
    const reply = await publish(
      await website('Theirs', other.write),
      { enabled: true, slug: 'the-address' },
      other.write,
    );
    expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
  });

  it.each([['UPPER'], ['ab'], ['-dash'], ['dash-'], ['dot.json'], ['a/b'], ['x'.repeat(65)]])(
    'refuses the slug %s',
    async (slug) => {
      const reply = await publish(await website('Names'), { slug });
      expect([reply.status, reply.body.code]).toEqual([400, 'validation_failed']);
    },
  );

  it('refuses changes by a read key and hides status page settings from other organizations', async () => {
    const id = await website('Guarded');
    expect((await publish(id, { enabled: true }, app.read)).status).toBe(403);
    expect((await publish(id, { enabled: true }, other.write)).status).toBe(404);
    expect((await other.read.get(`/websites/${id}/status-page`)).status).toBe(404);
  });

  describe('with an endpoint that is down', () => {
    let id: string;
    let slug: string;

    beforeAll(async () => {
      id = await website(HOSTILE);
      const url = `http://127.0.0.1:${port}/secret-path`;
      await app.write.post(`/websites/${id}/endpoints`, {
        name: HOSTILE,
        url,
        type: 'HTTP',
        headers: [{ key: 'X-Token', value: 'header-secret' }],
      });
      slug = (await publish(id, { enabled: true, slug: 'hostile' })).body.slug ?? '';
      const endpoint = async () =>
        (await app.read.get<{ id: string; status: string }[]>(`/websites/${id}/endpoints`)).body[0];
      await eventually('the endpoint is down', async () => (await endpoint())?.status === 'down');
      // Without alert rules, a second failed check confirms the failure.
      await app.write.post(`/endpoints/${(await endpoint())?.id}/checks`);
    });

    it('returns status, days and outages as JSON', async () => {
      const response = await show(`/status/${slug}.json`);
      const page = (await response.json()) as PublicStatus;
      const [endpoint] = page.endpoints;

      expect(page).toMatchObject({ name: HOSTILE, status: 'down' });
      expect(endpoint).toMatchObject({ name: HOSTILE, status: 'down', uptime_90d: 0 });
      expect(endpoint?.days).toHaveLength(90);
      expect(endpoint?.days.at(-1)?.date).toBe(page.updated_at.slice(0, 10));
      // If midnight passes during the test, the newest check may be on the day before.
      expect(endpoint?.days.slice(-2).some(({ checks }) => checks > 0)).toBe(true);
      expect(page.outages).toMatchObject([{ endpoint: HOSTILE, ended_at: null, reason: 'responded with an error' }]);
    });

    it('sends one HTML document whose style and script its policy allows by their hashes, and no other', async () => {
      const response = await show(`/status/${slug}`);
      const text = await response.text();
      const policy = response.headers.get('content-security-policy') ?? '';
      const hashesOf = (tag: string) =>
        [...text.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))].map(
          ([, inside = '']) => `'sha256-${createHash('sha256').update(inside).digest('base64')}'`,
        );

      expect(policy).toContain(`default-src 'none'; style-src ${hashesOf('style').join(' ')}; `);
      expect(policy).toContain(`script-src ${hashesOf('script').join(' ')}; `);
      expect([hashesOf('style').length, hashesOf('script').length]).toEqual([1, 1]);
      expect(text).not.toMatch(/<script\s|<img|onerror="|\sstyle=/i);
      expect(text).toContain('<span>Outage: ');
      expect(text).toMatch(/<svg class="bars" .+ aria-label="90 days: 0\.00% up, 1 day with failures">/);
    });

    it('names the zone of its times, and the numbers of its bars in text', async () => {
      const text = await (await show(`/status/${slug}`)).text();
      expect(text).toContain('Times and days are in UTC.');
      expect(text).toMatch(/<time datetime="[\d-]+T[\d:.]+Z">[\d-]+ [\d:]+ UTC<\/time>/);
      expect(text).toMatch(/<li>\d+ [A-Z][a-z]{2}<span>0\.00%, \d+ of \d+ failed<\/span><\/li>/);
      expect(text).toMatch(/<li>No data<span>8[89] days<\/span><\/li>/);
    });

    it.each(['', '.json', '.svg'])('shows no target, header, id or error text in the form "%s"', async (form) => {
      const text = await (await show(`/status/${slug}${form}`)).text();
      for (const secret of ['secret', '127.0.0.1', String(port), 'internal.example', '503', 'ep_', 'ws_', 'org_']) {
        expect(text).not.toContain(secret);
      }
    });

    it.each([
      ['', 'status', 'down'],
      ['?uptime=30d', 'uptime 30d', '0.00% since '],
    ])('draws a badge for the query "%s"', async (query, label, message) => {
      const response = await show(`/status/${slug}.svg${query}`);
      const text = await response.text();

      expect(response.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
      expect(text).toContain(`<title>${label}: ${message}`);
    });

    it('serves a status page from the cache for 15 seconds, with 304 for a matching ETag', async () => {
      const [database, clock] = [app.app.get(Database), app.app.get(Clock)];
      jest.spyOn(clock, 'monotonic').mockReturnValue(clock.monotonic());
      await show(`/status/${slug}.json`);
      const query = jest.spyOn(database, 'query');
      const first = await show(`/status/${slug}`);
      const etag = first.headers.get('etag') ?? '';
      const second = await show(`/status/${slug}`, { 'If-None-Match': etag });

      expect(first.headers.get('cache-control')).toBe('public, max-age=15');
      expect(second.status).toBe(304);
      expect(query.mock.calls.filter(([sql]) => sql.includes('status_page'))).toEqual([]);
    });

    it.each(['', '.json', '.svg'])('renders the form "%s" once for all requests within 15 seconds', async (form) => {
      const [snapshots, clock] = [app.app.get(StatusSnapshots), app.app.get(Clock)];
      await publish(id, { enabled: true });
      jest.spyOn(clock, 'monotonic').mockReturnValue(clock.monotonic());
      const read = snapshots.read.bind(snapshots);
      let renderings = 0;
      jest.spyOn(snapshots, 'read').mockImplementation(async (page) => {
        const { name, ...rest } = await read(page);
        return Object.defineProperty({ ...rest, name }, 'status', {
          enumerable: true,
          get: () => {
            renderings++;
            return rest.status;
          },
        });
      });
      const etag = (await show(`/status/${slug}${form}`)).headers.get('etag') ?? '';
      const once = renderings;
      const again = await Promise.all([
        ...Array.from({ length: 5 }, () => show(`/status/${slug}${form}`)),
        ...Array.from({ length: 5 }, () => show(`/status/${slug}${form}`, { 'If-None-Match': etag })),
        ...Array.from({ length: 5 }, () => fetch(`${app.url}/status/${slug}${form}`, { method: 'HEAD' })),
      ]);

      expect(once).toBeGreaterThan(0);
      expect(renderings).toBe(once);
      expect(again.map(({ status }) => status)).toEqual([200, 304, 200].flatMap((status) => Array(5).fill(status)));
      expect(new Set(again.map(({ headers }) => headers.get('etag')))).toEqual(new Set([etag]));
    });

    it('sends the length of a page in the response to HEAD', async () => {
      const body = await (await show(`/status/${slug}`)).arrayBuffer();
      const plain = { 'Accept-Encoding': 'identity' };
      const head = await fetch(`${app.url}/status/${slug}`, { method: 'HEAD', headers: plain });
      expect(head.headers.get('content-length')).toBe(String(body.byteLength));
    });

    it('refuses a badge of an unknown window', async () => {
      expect((await show(`/status/${slug}.svg?uptime=1y`)).status).toBe(400);
    });
  });

  it('counts built days, built hours and the current hour of an endpoint, each once', async () => {
    const id = await website('History');
    const { slug } = (await publish(id)).body;
    const made = await app.write.post<{ id: string }>(`/websites/${id}/endpoints`, {
      name: 'Old',
      url: `http://127.0.0.1:${port}/`,
      type: 'HTTP',
      enabled: false,
    });
    expect(made.status).toBe(201);
    const database = app.app.get(Database);
    const [endpoint] = await database.query<{ key: string }>('SELECT max(key)::text AS key FROM endpoint');
    const [progress] = await database.query<{ day: Date; hour: Date }>(
      `SELECT (SELECT done_until FROM history_progress WHERE name = 'day') AS day,
              (SELECT done_until FROM history_progress WHERE name = 'hour') AS hour`,
    );
    if (!endpoint || !progress) throw new Error('there is no endpoint or no progress of rollups');
    const insert = (table: string, start: Date, up: number, down: number) =>
      database.query(
        `INSERT INTO ${table} (endpoint_key, start_at, up, down, unknown, sum_us, dns_us, connect_us, tls_us, first_byte_us, transfer_us, min_us, max_us, buckets, counts)
         VALUES ($1, $2, $3, $4, 0, 0, 0, 0, 0, 0, 0, 0, 0, '{}', '{}')`,
        [endpoint.key, start, up, down],
      );
    await insert('check_day', at(progress.day, -24), 9, 1);
    await insert('check_day', at(progress.day, -48), 10, 0);
    await insert('check_hour', at(progress.day, -20), 500, 500);
    await database.query(
      `UPDATE endpoint_state SET hour_start = $2, hour_up = 3, hour_down = 1 WHERE endpoint_key = $1`,
      [endpoint.key, progress.hour],
    );
    const page = (await (await show(`/status/${slug}.json`)).json()) as PublicStatus;
    const days = page.endpoints[0]?.days.filter((day) => day.checks > 0);

    expect(days).toEqual([
      { date: at(progress.day, -48).toISOString().slice(0, 10), checks: 10, uptime: 1, planned: false },
      { date: at(progress.day, -24).toISOString().slice(0, 10), checks: 10, uptime: 0.9, planned: false },
      { date: progress.hour.toISOString().slice(0, 10), checks: 4, uptime: 0.75, planned: false },
    ]);
  });

  it('refuses an address that sends too many requests, and says when to come back', async () => {
    const limited = await startOwnApp({ statusRateLimitPerSecond: 2 });
    try {
      const clock = limited.app.get(Clock);
      jest.spyOn(clock, 'monotonic').mockReturnValue(clock.monotonic());
      const asked = await Promise.all(Array.from({ length: 5 }, () => fetch(`${limited.url}/status/nobody`)));
      const refused = asked.filter(({ status }) => status === 429);

      expect(asked.filter(({ status }) => status === 404)).toHaveLength(4);
      expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(['1']);
      expect(await refused[0]?.json()).toMatchObject({ code: 'rate_limited' });
    } finally {
      await limited.close();
    }
  });
});

describe('public status pages while a client guesses names', () => {
  let app: TestApp;
  let clock: MovingClock;

  beforeAll(async () => {
    app = await startOwnApp({ statusRateLimitPerSecond: 0 });
    clock = MovingClock.frozenIn(app.app);
    const { body } = await app.write.post<{ id: string }>('/websites', { name: 'Shop', url: 'https://shop.example' });
    await app.write.put(`/websites/${body.id}/status-page`, { enabled: true, slug: 'shop' });
  });
  afterAll(() => app.close());
  beforeEach(() => clock.advance(60_000));
  afterEach(() => jest.restoreAllMocks());

  const show = (name: string) => fetch(`${app.url}/status/${name}`);
  const guess = (count: number) => Promise.all(Array.from({ length: count }, (_, i) => show(`guess-${i}`)));

  it('keep their cache, and send few queries to the database', async () => {
    await show('shop');
    const query = jest.spyOn(app.app.get(Database), 'query');
    const guessed = await guess(150);
    const kept = await show('shop');

    expect(query.mock.calls.filter(([sql]) => sql.includes('status_page')).length).toBeLessThanOrEqual(50);
    expect(new Set(guessed.map(({ status }) => status))).toEqual(new Set([404, 429]));
    expect(kept.status).toBe(200);
    expect(guessed.at(-1)?.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('send no query for a name that is known to have no page', async () => {
    await guess(1);
    const query = jest.spyOn(app.app.get(Database), 'query');
    expect((await guess(1)).map(({ status }) => status)).toEqual([404]);
    expect(query).not.toHaveBeenCalled();
  });

  it('show a page again that is in the cache, also to the address that guesses', async () => {
    await show('shop');
    await guess(80);
    clock.advance(15_000);
    await guess(200);
    const read = jest.spyOn(app.app.get(StatusSnapshots), 'read');

    expect((await show('shop')).status).toBe(200);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('show a page at once that is published under a guessed name', async () => {
    await guess(1);
    const { body } = await app.write.post<{ id: string }>('/websites', { name: 'New', url: 'https://new.example' });
    await app.write.put(`/websites/${body.id}/status-page`, { enabled: true, slug: 'guess-0' });
    expect((await show('guess-0')).status).toBe(200);
    await app.write.put(`/websites/${body.id}/status-page`, { enabled: false });
  });
});
