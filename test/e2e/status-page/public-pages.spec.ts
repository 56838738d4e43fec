/**
 * @lane slow
 * @databases both
 */
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Database } from '../../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { eventually } from '../../../packages/testing/eventually';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface PublicPage {
  id: string;
  website_id: string | null;
  slug: string;
  path: string;
  title: string | null;
  description: string;
  logo_url: string | null;
  accent: string | null;
  domain: string | null;
  groups: { name: string; endpoints: string[]; websites: string[] }[];
  enabled: boolean;
  code: string;
  errors: { pointer: string; message: string }[];
}
interface Shown {
  name: string;
  status: string;
  endpoints: { name: string; group: string }[];
  outages: { id: string; started_at: string; ended_at: string | null }[];
}
interface Reply {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const PICTURE = `data:image/png;base64,${PNG.toString('base64')}`;
const SVG = `data:image/svg+xml;base64,${Buffer.from('<svg onload="alert(1)"/>').toString('base64')}`;
const AS_BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('independent status pages', () => {
  let app: TestApp;
  let other: ServiceOrganization;
  let target: Server;
  let isUp = false;
  let website: string;
  let endpoint: string;

  beforeAll(async () => {
    target = createServer((_, response) => response.writeHead(isUp ? 200 : 503).end('a secret text of the target'));
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    app = await startOwnApp({ statusRateLimitPerSecond: 0 });
    other = await app.organization('Other');
    website = await newWebsite(app.write, 'Shop');
    endpoint = await checked(website, 'Checkout');
  });
  afterAll(async () => {
    await app.close();
    target.close();
  });

  const checked = (of: string, name: string): Promise<string> =>
    newEndpoint(app.write, of, {
      name,
      type: 'HTTP',
      url: `http://127.0.0.1:${(target.address() as AddressInfo).port}/secret`,
      interval: 1,
    });
  const make = (body: object, by: Api = app.admin) =>
    by.post<PublicPage>('/status-pages', { title: 'Status', groups: [], ...body });
  const change = (id: string, body: object, by: Api = app.admin) => by.put<PublicPage>(`/status-pages/${id}`, body);
  const shown = async (slug: string): Promise<Shown> =>
    (await (await fetch(`${app.url}/status/${slug}.json`)).json()) as Shown;
  const statusOf = async (path: string): Promise<number> => (await fetch(app.url + path)).status;

  /** Sends a request with another host name, which `fetch` does not allow. */
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const sent = request(app.url + path, { headers, method }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (part: string) => (body += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      });
      sent.on('error', reject).end();
    });

  describe('their settings', () => {
    it('are created with a slug from the title, not public, and read, listed, changed, and deleted', async () => {
      const { status, body, headers } = await make({ title: 'Example Status & Söhne' });
      expect([status, body]).toEqual([
        201,
        {
          id: expect.stringMatching(/^sp_/) as string,
          website_id: null,
          title: 'Example Status & Söhne',
          slug: 'example-status-sohne',
          path: '/status/example-status-sohne',
          description: '',
          logo_url: null,
          accent: null,
          down_after_minutes: null,
          domain: null,
          indexed: true,
          support_url: null,
          groups: [],
          enabled: false,
          key: null,
          owner: null,
          updated_at: expect.any(String) as string,
        },
      ]);
      expect(headers['location']).toBe(`/api/v1/status-pages/${body.id}`);
      expect(await statusOf(body.path)).toBe(404);
      expect((await app.read.get<PublicPage[]>('/status-pages')).body).toContainEqual(body);

      const changed = await change(body.id, { ...body, enabled: true, accent: '#7A3FF2', description: 'All of it.' });
      expect([changed.status, changed.body.accent]).toEqual([200, '#7a3ff2']);
      expect((await app.read.get(`/status-pages/${body.id}`)).body).toEqual(changed.body);
      expect(await statusOf(body.path)).toBe(200);

      expect((await app.write.delete(`/status-pages/${body.id}`)).status).toBe(204);
      expect([await statusOf(body.path), (await app.read.get(`/status-pages/${body.id}`)).status]).toEqual([404, 404]);
    });

    it('are listed page by page', async () => {
      await make({});
      await make({});
      const first = await app.read.get<PublicPage[]>('/status-pages?limit=1');
      const cursor = first.headers['x-next-cursor'] ?? '';
      const second = await app.read.get<PublicPage[]>(`/status-pages?limit=1&cursor=${cursor}`);
      expect([first.body.length, second.body.length]).toEqual([1, 1]);
      expect(second.body[0]?.id).not.toBe(first.body[0]?.id);
      expect(Number(first.headers['x-total-count'])).toBeGreaterThanOrEqual(2);
    });

    it('name every wrong field at once', async () => {
      const { status, body } = await make({
        title: '',
        slug: 'No',
        accent: 'red',
        logo: SVG,
        domain: 'https://x.example',
        description: 'a\u202eb',
        groups: [{ name: 'x'.repeat(101), endpoints: ['nonsense'], websites: [endpoint] }],
      });
      expect([status, body.errors.map(({ pointer }) => pointer).sort()]).toEqual([
        400,
        [
          '/accent',
          '/description',
          '/domain',
          '/groups/0/endpoints',
          '/groups/0/name',
          '/groups/0/websites',
          '/logo',
          '/slug',
          '/title',
        ],
      ]);
      expect(body.errors.find(({ pointer }) => pointer === '/logo')?.message).toBe(
        'logo must be a PNG, JPEG or WebP image',
      );
    });

    it('refuse resources of another organization in the same way as unknown ones', async () => {
      const theirs = await newEndpoint(other.write, await newWebsite(other.write));
      const nobodys = 'ep_01jd3k6q7be5y9x4v2m8n0r1st';
      const { status, body } = await make({ groups: [{ endpoints: [endpoint, theirs, nobodys] }] });
      const message = 'this endpoint does not exist; choose one that exists';
      expect([status, body.errors]).toEqual([
        400,
        [
          { pointer: '/groups/0/endpoints/1', code: 'invalid_format', message },
          { pointer: '/groups/0/endpoints/2', code: 'invalid_format', message },
        ],
      ]);
    });

    it("refuse a slug that any page has, including a website's page", async () => {
      await app.write.put(`/websites/${website}/status-page`, { slug: 'shop-page' });
      const reply = await make({ slug: 'shop-page' }, other.write);
      expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
      await make({ slug: 'taken-page' }, other.write);
      const back = await app.write.put<PublicPage>(`/websites/${website}/status-page`, { slug: 'taken-page' });
      expect([back.status, back.body.code]).toEqual([409, 'conflict']);
    });

    it('count in the quota of status pages', async () => {
      const { write } = await app.organization('Full');
      await app.app.get(Database).query(`UPDATE organization SET quotas = '{"status_pages": 1}' WHERE name = 'Full'`);
      expect((await make({}, write)).status).toBe(201);
      const second = await make({}, write);
      expect([second.status, second.body.code]).toEqual([409, 'quota_exceeded']);
    });

    it('are deleted with their organization', async () => {
      const gone = await app.organization('Gone');
      const { body } = await make({ enabled: true }, gone.write);
      expect(await statusOf(body.path)).toBe(200);
      const { body: list } = await app.operator.get<{ id: string; name: string }[]>('/organizations');
      const id = list.find(({ name }) => name === 'Gone')?.id ?? '';
      expect((await app.operator.delete(`/organizations/${id}`)).status).toBe(204);
      expect(await statusOf(body.path)).toBe(404);
      const rows = await app.app.get(Database).query('SELECT 1 FROM status_page WHERE org_id = $1', [gone.orgId]);
      expect(rows).toEqual([]);
    });
  });

  describe('of a website', () => {
    it('are the same resource: one row, in both places, deleted with the website', async () => {
      const id = await newWebsite(app.write, 'Blog');
      await newEndpoint(app.write, id, { name: 'Front', enabled: false });
      await app.write.put(`/websites/${id}/status-page`, { enabled: true });
      const list = await app.read.get<PublicPage[]>('/status-pages');
      const page = list.body.find(({ website_id }) => website_id === id);
      expect(page).toMatchObject({
        title: null,
        slug: 'blog',
        groups: [{ name: '', endpoints: [], websites: [id] }],
        enabled: true,
      });

      await change(page?.id ?? '', { title: 'Our blog', slug: 'our-blog' });
      expect(await shown('our-blog')).toMatchObject({ name: 'Our blog', endpoints: [{ name: 'Front', group: '' }] });
      expect((await app.read.get(`/websites/${id}/status-page`)).body).toEqual({
        enabled: true,
        slug: 'our-blog',
        path: '/status/our-blog',
      });

      await app.write.delete(`/websites/${id}`);
      expect((await app.read.get(`/status-pages/${page?.id}`)).status).toBe(404);
    });
  });

  describe('their content', () => {
    it('is the chosen endpoints and websites in their groups and order, once each', async () => {
      const second = await newWebsite(app.write, 'Mail');
      const names = ['IMAP', 'SMTP', 'Web'];
      const [imap = '', smtp = ''] = await Promise.all(
        names.map((name) => newEndpoint(app.write, second, { name, enabled: false })),
      );
      const { body } = await make({
        slug: 'grouped',
        title: 'Everything',
        description: 'Line one.\n\nLine two.',
        enabled: true,
        groups: [
          { name: 'Sending', endpoints: [smtp, imap] },
          { name: 'Rest of mail', websites: [second] },
          { name: 'Shop', websites: [website], endpoints: [smtp] },
        ],
      });
      expect((await shown('grouped')).endpoints).toMatchObject([
        { name: 'SMTP', group: 'Sending' },
        { name: 'IMAP', group: 'Sending' },
        { name: 'Web', group: 'Rest of mail' },
        { name: 'Checkout', group: 'Shop' },
      ]);
      const html = await (await fetch(`${app.url}/status/grouped`)).text();
      expect(html).toContain('<p class="lead">Line one.</p>\n<p class="lead">Line two.</p>');
      expect([...html.matchAll(/<h3 class="group">([^<]+)/g)].map(([, name]) => name)).toEqual([
        'Sending',
        'Rest of mail',
        'Shop',
      ]);

      await app.write.delete(`/endpoints/${smtp}`);
      await change(body.id, { enabled: true });
      expect((await shown('grouped')).endpoints.map(({ name }) => name)).toEqual(['IMAP', 'Web', 'Checkout']);
      const left = (await app.read.get<PublicPage>(`/status-pages/${body.id}`)).body.groups;
      expect(left[0]).toEqual({ name: 'Sending', endpoints: [imap], websites: [] });
      expect((await change(body.id, { groups: left })).status).toBe(200);
    });

    it('is a logo that is served here, and a color that the policy allows', async () => {
      const { body } = await make({ slug: 'branded', enabled: true, logo: PICTURE, accent: '#ffff00' });
      expect(body.logo_url).toBe('/status/branded/logo');
      const logo = await fetch(app.url + body.logo_url);
      expect([logo.status, logo.headers.get('content-type'), logo.headers.get('x-content-type-options')]).toEqual([
        200,
        'image/png',
        'nosniff',
      ]);
      expect(Buffer.from(await logo.arrayBuffer()).equals(PNG)).toBe(true);
      const etag = logo.headers.get('etag') ?? '';
      expect((await fetch(app.url + body.logo_url, { headers: { 'If-None-Match': etag } })).status).toBe(304);

      const page = await fetch(`${app.url}/status/branded`);
      const html = await page.text();
      expect(html).toContain('<img class="logo" src="/status/branded/logo" alt="">');
      expect(html).toContain('<style>:root{--link:#737300;');
      expect(page.headers.get('content-security-policy')).toMatch(/style-src '[^']+' '[^']+';/);

      expect((await change(body.id, { logo: null })).body.logo_url).toBeNull();
      expect(await statusOf('/status/branded/logo')).toBe(404);
    });

    it('leaves the logo unchanged if the response of a GET is sent back', async () => {
      const { body } = await make({ logo: PICTURE });
      expect((await change(body.id, body)).body.logo_url).toBe(body.logo_url);
    });
  });

  describe('the feed', () => {
    it('has an entry per outage, whose id stays when it ends; it changes only when something happens', async () => {
      const { body } = await make({
        slug: 'with-feed',
        title: 'Tom & <b>Jerry</b>',
        enabled: true,
        groups: [{ endpoints: [endpoint] }],
      });
      const feed = async () => {
        await change(body.id, { enabled: true });
        return fetch(`${app.url}/status/with-feed/feed.atom`);
      };
      const text = await eventually('the outage is in the feed', async () => {
        const now = await (await feed()).text();
        return now.includes('<entry>') ? now : null;
      });
      const [, id] = /<entry>\n<id>(urn:uuid:[0-9a-f-]{36})<\/id>/.exec(text ?? '') ?? [];
      expect(text).toContain('<title>Tom &amp; &lt;b&gt;Jerry&lt;/b&gt;</title>');
      expect(text).toContain('<title>Checkout is down</title>');
      expect(text).toMatch(
        /<content type="text">Down since [\d-]+ [\d:]+ UTC: responded with an error\. Ongoing\.<\/content>/,
      );
      expect(text).not.toMatch(/secret|127\.0\.0\.1|ep_|ws_|sp_/);
      expect((await shown('with-feed')).outages[0]?.id).toBe(id?.slice('urn:uuid:'.length));

      isUp = true;
      const ended = await eventually('the outage has ended', async () => {
        const now = await (await feed()).text();
        return now.includes('<title>Checkout was down</title>') ? now : null;
      });
      expect(ended).toContain(`<id>${id}</id>`);
      expect(ended).toMatch(/Recovered at [\d-]+ [\d:]+ UTC\./);

      const first = await fetch(`${app.url}/status/with-feed/feed.atom`);
      expect(first.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
      const etag = first.headers.get('etag') ?? '';
      const again = await fetch(`${app.url}/status/with-feed/feed.atom`, { headers: { 'If-None-Match': etag } });
      expect([again.status, first.headers.get('cache-control')]).toEqual([304, 'public, max-age=15']);
      expect(await (await fetch(`${app.url}/status/with-feed`)).text()).toContain(
        '<link rel="alternate" type="application/atom+xml" title="Incidents, outages and maintenance" href="/status/with-feed/feed.atom">',
      );
    });

    it('is empty and valid before the first outage', async () => {
      await make({ slug: 'quiet-feed', enabled: true });
      const text = await (await fetch(`${app.url}/status/quiet-feed/feed.atom`)).text();
      expect(text).toMatch(/^<\?xml version="1\.0" encoding="utf-8"\?>\n<feed [^>]+>\n<id>urn:uuid:/);
      expect(text).toMatch(/<updated>[^<]+<\/updated>\n<author>/);
      expect(text).not.toContain('<entry>');
    });
  });

  describe('at a URL without a page', () => {
    const paths = ['/status/never-was', '/status/hidden-page', '/status/hidden-page/feed.atom', '/status/UPPER'];
    beforeAll(() => make({ slug: 'hidden-page' }));

    it('people get the same page, unknown or not published, with status 404', async () => {
      const replies = await Promise.all(paths.map((path) => ask(path, AS_BROWSER)));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([404]));
      expect(new Set(replies.map(({ body }) => body)).size).toBe(1);
      expect(replies[0]?.body).toContain('Status page not found');
      expect(replies[0]?.headers['content-security-policy']).not.toContain('script-src');
      expect(replies[0]?.headers['vary']).toContain('Accept');
    });

    it.each([[{}], [{ accept: '*/*' }], [{ accept: 'application/json' }]])(
      'programs that send %j get the problem',
      async (headers: Record<string, string>) => {
        const replies = await Promise.all(paths.map((path) => ask(path, headers)));
        for (const { status, body } of replies) {
          expect([status, (JSON.parse(body) as { code: string }).code]).toEqual([404, 'not_found']);
        }
      },
    );
  });

  describe('under a separate host name', () => {
    const host = { host: 'Status.Example.com:8443' };
    let page: PublicPage;
    beforeAll(async () => {
      page = (await make({ slug: 'hosted', title: 'Hosted', domain: 'status.example.com', enabled: true })).body;
    });

    it.each([
      ['/', 'text/html; charset=utf-8', '<h1>Hosted</h1>'],
      ['/?utm_source=mail', 'text/html; charset=utf-8', '<h1>Hosted</h1>'],
      ['/status.json', 'application/json; charset=utf-8', '"name":"Hosted"'],
      ['/badge.svg', 'image/svg+xml; charset=utf-8', 'status: unknown'],
      ['/badge.svg?uptime=7d', 'image/svg+xml; charset=utf-8', 'uptime 7d: no data'],
      ['/feed.atom', 'application/atom+xml; charset=utf-8', 'href="https://status.example.com/"'],
      ['/calendar.ics', 'text/calendar; charset=utf-8', 'BEGIN:VTIMEZONE'],
      ['/icon.svg', 'image/svg+xml; charset=utf-8', '<svg'],
      ['/robots.txt', 'text/plain; charset=utf-8', 'User-agent: *\nAllow: /\n'],
      ['/', 'text/html; charset=utf-8', '<link rel="canonical" href="https://status.example.com/">'],
      ['/', 'text/html; charset=utf-8', '<a href="/history">'],
      ['/history', 'text/html; charset=utf-8', '<p class="soft">No incidents or outages in this month.</p>'],
      ['/history.json?month=2026-01', 'application/json; charset=utf-8', '"month":"2026-01"'],
      ['/status/hosted', 'text/html; charset=utf-8', '<h1>Hosted</h1>'],
      ['/status/hosted/history?month=2026-01', 'text/html; charset=utf-8', 'History of January 2026'],
      ['/status/hosted/feed.atom', 'application/atom+xml; charset=utf-8', '<feed'],
    ])('shows the page at %s', async (path, type, text) => {
      const reply = await ask(path, host);
      expect([reply.status, reply.headers['content-type']]).toEqual([200, type]);
      expect(reply.body).toContain(text);
    });

    it.each([
      '/docs',
      '/metrics',
      '/auth/session',
      '/index.html',
      '/assets/app.js',
      '/status/branded',
      '/status/with-feed.json',
    ])('does not serve %s, with a key or without', async (path) => {
      const key = { authorization: `Bearer ${app.admin.key}` };
      const replies = await Promise.all([ask(path, host), ask(path, { ...host, ...key })]);
      expect(replies.map(({ status }) => status)).toEqual([404, 404]);
    });

    it('lets the API answer requests with a key, so that the name can be given back, and answers health checks', async () => {
      const key = { ...host, authorization: `Bearer ${app.admin.key}` };
      const replies = await Promise.all([
        ask('/api/v1/websites', key),
        ask('/api/v1/websites', { ...host, 'x-api-key': app.admin.key ?? '' }),
        ask('/api/v1/websites', host),
        ask('/health/live', host),
      ]);
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 404, 200]);
    });

    it('may be set with an admin key only; a write key changes the rest and may send it back', async () => {
      const fields = { title: 'Taken', groups: [], domain: 'taken.example.com' };
      const created = await app.write.post<PublicPage>('/status-pages', fields);
      const kept = await app.write.put<PublicPage>(`/status-pages/${page.id}`, {
        description: 'As before.',
        domain: 'status.example.com',
      });
      const moved = await app.write.put<PublicPage>(`/status-pages/${page.id}`, { domain: 'taken.example.com' });
      const document = { version: 1, status_pages: [{ key: 'taken', ...fields }] };
      const planned = await app.write.post<PublicPage>('/configuration/plan', document);
      const read = await app.read.post('/configuration/plan', document);
      expect([created, kept, moved, planned, read].map(({ status }) => status)).toEqual([400, 200, 400, 400, 200]);
      for (const { body } of [created, moved, planned])
        expect(body.errors[0]?.message).toContain('requires an API key with the role "admin"');
    });

    it('allows no changes there', async () => {
      const reply = await ask('/auth/session', { ...host, 'content-type': 'application/json' }, 'POST');
      expect(reply.status).toBe(404);
    });

    it('has the icon, and a not-found page for people', async () => {
      expect((await ask('/favicon.svg', host)).headers['content-type']).toContain('image/svg+xml');
      const reply = await ask('/api/v1/websites', { ...host, ...AS_BROWSER });
      expect(reply.body).toContain('Status page not found');
    });

    it('refuses a badge of an unknown window, and an invalid or future month', async () => {
      const paths = [
        '/badge.svg?uptime=1y',
        '/history?month=2026-13',
        '/history?month=9999-01',
        '/history?month=a&month=b',
      ];
      expect((await Promise.all(paths.map((path) => ask(path, host)))).map(({ status }) => status)).toEqual(
        paths.map(() => 400),
      );
    });

    it('does not apply to other names and forwarded ones, which still lead to the installation', async () => {
      const replies = await Promise.all([
        ask('/health/live', { host: 'other.example.com' }),
        ask('/health/live', { 'x-forwarded-host': 'status.example.com' }),
        ask('/health/live', { forwarded: 'host=status.example.com' }),
      ]);
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    });

    it('sends no query to the database for an invalid host', async () => {
      await ask('/health/live');
      const query = jest.spyOn(app.app.get(Database), 'query');
      await Promise.all(Array.from({ length: 50 }, (_, i) => ask('/', { host: `guess-${i}.example.com` })));
      const asked = query.mock.calls.filter(([sql]) => sql.includes('status_page'));
      query.mockRestore();
      // All domains are read together after a request, at most every 15 seconds.
      expect(asked.length).toBeLessThanOrEqual(1);
    });

    it('ends when the page is hidden, and follows the page to another name', async () => {
      await change(page.id, { enabled: false });
      expect((await ask('/status.json', host)).body).not.toContain('Hosted');
      await change(page.id, { enabled: true, domain: 'status2.example.com' });
      expect((await ask('/status.json', host)).body).not.toContain('Hosted');
      expect((await ask('/status.json', { host: 'status2.example.com' })).body).toContain('Hosted');
      await change(page.id, { domain: 'status.example.com' });
      expect((await ask('/status.json', host)).body).toContain('Hosted');
    });

    it('belongs to one page only, in any case', async () => {
      const reply = await make({ domain: 'STATUS.example.com' });
      expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
    });

    it("may not be the installation's own host name", async () => {
      const reply = await new Promise<Reply>((resolve, reject) => {
        const body = JSON.stringify({ title: 'Mine', groups: [], domain: 'uptime.example.com' });
        const sent = request(
          `${app.url}/api/v1/status-pages`,
          {
            method: 'POST',
            headers: {
              host: 'uptime.example.com',
              authorization: `Bearer ${app.admin.key}`,
              'content-type': 'application/json',
            },
          },
          (response) => {
            let text = '';
            response.setEncoding('utf8').on('data', (part: string) => (text += part));
            response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: {}, body: text }));
          },
        );
        sent.on('error', reject).end(body);
      });
      expect([reply.status, reply.body]).toEqual([
        400,
        expect.stringContaining('domain must not be the host name of this installation itself'),
      ]);
    });

    it('needs the operator’s permission for other organizations', async () => {
      const reply = await make({ domain: 'status.other.example' }, other.admin);
      expect([reply.status, reply.body.errors[0]?.pointer]).toEqual([400, '/domain']);
      expect(reply.body.errors[0]?.message).toContain('STATUS_PAGE_DOMAINS');
    });
  });
});

describe('status pages after a restart', () => {
  it('keep their URLs and host names, and an organization with permission has its own host name', async () => {
    const app = await startOwnApp(
      { statusPageDomains: 'allow', allowedHosts: ['uptime.example.com'] },
      { durable: true },
    );
    try {
      const { admin } = await app.organization('Tenant');
      const make = (domain: string) =>
        admin.post<PublicPage>('/status-pages', { title: 'Tenant', groups: [], domain, enabled: true });
      expect((await make('status.tenant.example')).status).toBe(201);
      expect((await make('uptime.example.com')).status).toBe(400);
      await app.stop();
      await app.restart();
      const title = await new Promise<string>((resolve, reject) => {
        const sent = request(`${app.url}/status.json`, { headers: { host: 'status.tenant.example' } }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => (text += part));
          response.on('end', () => resolve((JSON.parse(text) as Shown).name));
        });
        sent.on('error', reject).end();
      });
      expect(title).toBe('Tenant');
    } finally {
      await app.close();
    }
  });
});
