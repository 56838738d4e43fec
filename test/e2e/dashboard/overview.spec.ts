import type { OverviewItemView } from '../../../src/history/overview/overview.dto';
import { Database } from '../../../src/platform/database/database';
import { formatId, parseId } from '../../../src/platform/ids/id';
import type { ProblemView } from '../../../src/platform/problem/problem.view';
import { startApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { addOccurrence, NO_SCOPE } from '../../harness/app/occurrences';
import { madeBefore } from '../../web/showcase';

const HOUR = 3_600_000;

describe('maintenance, acknowledgements, warnings, and tags on the overview', () => {
  let app: TestApp;
  let database: Database;
  let own: ServiceOrganization;
  let organizations = 0;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    database = app.app.get(Database);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    own = await app.organization(`Own ${++organizations}`);
  });

  const between = (from: number, to: number) => ({ startsAt: new Date(from), endsAt: new Date(to) });
  const uuidOf = (publicId: string): string => parseId('endpoint', publicId) ?? '';

  async function addWebsite(tags: string[] = []): Promise<string> {
    const { body } = await own.write.post<{ id: string }>('/websites', {
      name: 'Shop',
      url: 'https://shop.example.com',
      tags,
    });
    return body.id;
  }

  async function addEndpoint(website: string, name: string, tags: string[] = []): Promise<string> {
    const { body } = await own.write.post<{ id: string }>(`/websites/${website}/endpoints`, {
      name,
      url: 'https://shop.example.com/',
      type: 'HTTPS',
      tags,
    });
    return body.id;
  }

  const overview = (query = '') => own.read.get<OverviewItemView[]>(`/overview${query}`);
  const only = async (): Promise<OverviewItemView | undefined> => (await overview()).body[0];
  const setState = (endpoint: string, set: string) =>
    database.query(`UPDATE endpoint_state SET ${set} WHERE endpoint_id = $1`, [uuidOf(endpoint)]);

  describe('degraded in the overview', () => {
    it('is shown in addition to up, and in the newest outcomes', async () => {
      const endpoint = await addEndpoint(await addWebsite(), 'Checkout');
      await setState(endpoint, 'status = 1, degraded_since = now(), recent = 22, recent_degraded = 5');
      expect(await only()).toMatchObject({ status: 'up', degraded: true, recent: ['degraded', 'up', 'down'] });
    });

    it.each([
      ['is down', 'status = 0, degraded_since = now()', 'down'],
      ['has no failed warning', 'status = 1, degraded_since = NULL', 'up'],
    ])('is not shown for an endpoint that %s', async (_, state, status) => {
      await setState(await addEndpoint(await addWebsite(), 'Checkout'), state);
      expect(await only()).toMatchObject({ status, degraded: false });
    });
  });

  describe('the uptime of the windows', () => {
    it('leaves out the planned checks of the newest hours, and counts degraded ones as up', async () => {
      const endpoint = await addEndpoint(await addWebsite(), 'Checkout');
      await setState(
        endpoint,
        `status = 1, last_checked_at = now(), hour_start = date_trunc('hour', now(), 'UTC'), hour_up = 3, hour_down = 1,
         hour_unknown = 1, hour_planned = 50, hour_degraded = 2, before_planned = 50`,
      );
      const [uptime, coverage] = [0.75, 0.8];
      expect(await only()).toMatchObject({ uptime_24h: uptime, coverage_24h: coverage, uptime_90d: uptime });
    });
  });

  describe('the latency by the hour', () => {
    it('is the mean of each of the last 24 full hours, the same for every role, without filling gaps', async () => {
      const [shop, other] = [await addWebsite(), await addWebsite()];
      const endpoint = await addEndpoint(shop, 'Checkout');
      await addEndpoint(other, 'Never checked');
      await database.query(
        `INSERT INTO check_hour (endpoint_key, start_at, up, down, unknown, sum_us, dns_us, connect_us, tls_us, first_byte_us,
                                 transfer_us, min_us, max_us, buckets, counts)
         SELECT e.key, date_trunc('hour', now(), 'UTC') - make_interval(hours => h.ago), h.up, 1, 0, h.up * 123456, 0, 0, 0, 0, 0,
                1, 1, CASE WHEN h.up > 0 THEN '{1}'::smallint[] ELSE '{}' END, CASE WHEN h.up > 0 THEN ARRAY[h.up] ELSE '{}' END
           FROM endpoint e, (VALUES (0, 2), (1, 2), (2, 0), (24, 1), (25, 1)) AS h (ago, up) WHERE e.id = $1`,
        [uuidOf(endpoint)],
      );
      expect((await only())?.latency_24h).toBeUndefined();
      const { body } = await overview('?latency=hourly');
      const none = Array.from({ length: 22 }, () => null);
      expect(body.map(({ latency_24h }) => latency_24h)).toEqual([
        [120, ...none, 120],
        [...none, null, null],
      ]);
      expect((await overview('?latency=daily')).status).toBe(400);
    });
  });

  describe('the half hours', () => {
    it('show outages to the half hour, and hours without checks', async () => {
      const made = await addEndpoint(await addWebsite(), 'Checkout');
      const endpoint = await madeBefore(database, made, 48 * HOUR);
      await database.query(
        `INSERT INTO check_hour (endpoint_key, start_at, up, down, unknown, sum_us, dns_us, connect_us, tls_us, first_byte_us,
                                 transfer_us, min_us, max_us, buckets, counts)
         SELECT key, date_trunc('hour', now(), 'UTC') - make_interval(hours => ago), 60, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, '{}', '{}'
           FROM endpoint, generate_series(1, 30) AS ago WHERE id = $1 AND ago <> 10`,
        [uuidOf(endpoint)],
      );
      // In two half hours, and over an hour before the current one.
      await database.query(
        `INSERT INTO outage (endpoint_key, started_at, ended_at, error, error_message)
         SELECT key, half.start - interval '2 hours', half.start - interval '1 hour 1 minute', 0, ''
           FROM endpoint, (SELECT date_bin('30 minutes', now(), 'epoch') AS start) half WHERE id = $1`,
        [uuidOf(endpoint)],
      );
      await setState(endpoint, 'status = 0, last_checked_at = now()');
      expect((await only())?.half_hours).toBeUndefined();
      const { body } = await overview('?history=half_hours');
      const letters = body[0]?.half_hours ?? '';
      expect(letters).toHaveLength(48);
      expect(letters.slice(43, 45)).toBe('dd');
      expect(letters.match(/-/g)).toHaveLength(2);
      expect((await overview('?history=hours')).status).toBe(400);
    });
  });

  describe('maintenance in the overview', () => {
    const now = Date.now();

    it('shows the current windows, with the end of all that follow each other', async () => {
      const endpoint = await addEndpoint(await addWebsite(), 'Checkout');
      const covered = { orgId: own.orgId, ...NO_SCOPE, endpointIds: [uuidOf(endpoint)] };
      const shift = { ...between(now - HOUR, now + HOUR), mute: false, name: 'First shift' };
      const window = await addOccurrence(database, { ...covered, ...shift });
      await addOccurrence(database, { ...covered, ...between(now + HOUR, now + 2 * HOUR), name: 'Second shift' });
      await addOccurrence(database, { ...covered, ...between(now + 3 * HOUR, now + 4 * HOUR), name: 'Later' });
      expect((await only())?.maintenance).toEqual({
        id: formatId('maintenanceWindow', window),
        name: 'First shift',
        until: new Date(now + 2 * HOUR).toISOString(),
        mute: false,
        exclude_from_uptime: true,
      });
    });

    it('is shown for endpoints that a window covers directly, by their website, or by a tag of either, and for no others', async () => {
      const [shop, blog, wiki] = [await addWebsite(), await addWebsite(['public']), await addWebsite()];
      const ids = [
        await addEndpoint(shop, 'by website'),
        await addEndpoint(blog, 'by the tag of its website'),
        await addEndpoint(wiki, 'by its tag', ['db']),
        await addEndpoint(wiki, 'by itself'),
      ];
      await addEndpoint(wiki, 'not', ['web']);
      const inForce = { orgId: own.orgId, ...NO_SCOPE, ...between(now - HOUR, now + HOUR) };
      await addOccurrence(database, {
        ...inForce,
        websiteIds: [parseId('website', shop) ?? ''],
        endpointIds: [uuidOf(ids[3] ?? '')],
        tags: ['public', 'db'],
      });
      const covered = (await overview()).body.filter(({ maintenance }) => maintenance !== null);
      expect(covered.map(({ name }) => name)).toEqual([
        'by website',
        'by the tag of its website',
        'by its tag',
        'by itself',
      ]);
    });

    it.each([
      ['has ended', -2, -1],
      ['has not started', 1, 2],
    ])('is not shown for a window that %s', async (_, from, to) => {
      await addEndpoint(await addWebsite(), 'Checkout');
      await addOccurrence(database, { orgId: own.orgId, ...between(now + from * HOUR, now + to * HOUR) });
      expect((await only())?.maintenance).toBeNull();
    });

    it('is not shown for a window of another organization', async () => {
      await addEndpoint(await addWebsite(), 'Checkout');
      const other = await app.organization('Other');
      await addOccurrence(database, { orgId: other.orgId, ...between(now - HOUR, now + HOUR) });
      expect((await only())?.maintenance).toBeNull();
    });
  });

  describe('an acknowledgement in the overview', () => {
    const acknowledge = (endpoint: string, until: Date | null) =>
      database.query(
        `INSERT INTO acknowledgement (endpoint_id, org_id, by_name, at, note, until)
         VALUES ($1, $2, 'on-call laptop', '2026-11-20T10:04:00Z', 'I am on it.', $3)`,
        [uuidOf(endpoint), own.orgId, until],
      );

    it.each([
      ['without an end', null],
      ['with an end', new Date('2999-01-01T00:00:00.000Z')],
    ])('is shown %s', async (_, until) => {
      await acknowledge(await addEndpoint(await addWebsite(), 'Checkout'), until);
      expect((await only())?.acknowledgement).toEqual({
        by: 'on-call laptop',
        at: '2026-11-20T10:04:00.000Z',
        note: 'I am on it.',
        until: until?.toISOString() ?? null,
      });
    });

    it('is not shown when its time is over', async () => {
      await acknowledge(await addEndpoint(await addWebsite(), 'Checkout'), new Date(Date.now() - 1000));
      expect((await only())?.acknowledgement).toBeNull();
    });
  });

  describe('the filter by tag', () => {
    /**
     * Creates two websites with three endpoints each. One website has the tag, and so does one endpoint of the other.
     */
    async function tagged(): Promise<{ shop: string; blog: string }> {
      const [shop, blog] = [await addWebsite(['production']), await addWebsite()];
      for (const name of ['a', 'b', 'c']) await addEndpoint(shop, `shop ${name}`);
      for (const name of ['a', 'b', 'c']) await addEndpoint(blog, `blog ${name}`, name === 'b' ? ['production'] : []);
      return { shop, blog };
    }
    const names = ({ body }: { body: OverviewItemView[] }) => body.map(({ name }) => name);

    it("finds endpoints by their own tags and by their website's tags, in any case, with a total", async () => {
      await tagged();
      const found = await overview('?tag=Production');
      expect(names(found)).toEqual(['shop a', 'shop b', 'shop c', 'blog b']);
      expect(found.headers['x-total-count']).toBe('4');
      expect(found.body.map(({ tags }) => tags)).toEqual([[], [], [], ['production']]);
    });

    it('finds them page by page', async () => {
      await tagged();
      const first = await overview('?tag=production&limit=3');
      expect(names(first)).toEqual(['shop a', 'shop b', 'shop c']);
      const cursor = first.headers['x-next-cursor'] ?? '';
      const rest = await overview(`?tag=production&cursor=${cursor}`);
      expect(names(rest)).toEqual(['blog b']);
      expect(rest.headers['x-total-count']).toBe('4');
      const { status, body } = await own.read.get<ProblemView>(`/overview?cursor=${cursor}`);
      expect([status, body.code]).toEqual([400, 'invalid_cursor']);
    });

    it('may be one of a website as well', async () => {
      const { shop, blog } = await tagged();
      expect(names(await overview(`?tag=production&website_id=${blog}`))).toEqual(['blog b']);
      expect(names(await overview(`?tag=production&website_id=${shop}`))).toEqual(['shop a', 'shop b', 'shop c']);
    });

    it('finds nothing of other organizations and nothing by an unknown tag', async () => {
      await tagged();
      const other = await app.organization('Other');
      expect((await other.read.get<OverviewItemView[]>('/overview?tag=production')).body).toEqual([]);
      const none = await overview('?tag=staging');
      expect([none.body, none.headers['x-total-count']]).toEqual([[], '0']);
    });

    it('finds no endpoint of a website that is being deleted', async () => {
      const { shop } = await tagged();
      await database.query('UPDATE website SET deleted_at = now() WHERE id = $1', [parseId('website', shop)]);
      expect(names(await overview('?tag=production'))).toEqual(['blog b']);
    });

    it.each(['', '-x', 'a b', 'x'.repeat(51)])('refuses the tag %p', async (tag) => {
      const { status, body } = await own.read.get<ProblemView>(`/overview?tag=${encodeURIComponent(tag)}`);
      expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ pointer: '?tag' }] });
    });
  });
});
