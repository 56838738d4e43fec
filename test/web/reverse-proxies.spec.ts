import { request as startRequest } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { addressesLeadingAway } from '../../packages/testing/contract/session/leading-away';
import { PIXEL } from '../../packages/testing/contract/session/things';
import { type ApiResponse, Api } from '../../packages/testing/service/api';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { created, newAlert, newContact, newEndpoint, newMaintenanceWindow, newWebsite } from '../harness/app/resources';
import { freePort } from '../harness/machine/free-port';
import { hasProxy, PROXY_NAMES, ReverseProxy, skippedWithout } from '../harness/processes/reverse-proxy';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(240_000);

const MIB = 1024 * 1024;
const PLACES = [
  ['at the root', ''],
  ['below a path', '/monitor'],
] as const;
const HEARTBEAT = { name: 'Backup', type: 'HEARTBEAT', heartbeat: { every: 86_400 } };

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

describe.each(PROXY_NAMES)('behind %s with the configuration of the manual', (name) => {
  const describeIfThere = hasProxy(name) ? describe : describe.skip;
  describeIfThere.each(PLACES)(`%s${skippedWithout(name)}`, (place, path) => {
    let app: TestApp;
    let proxy: ReverseProxy | null = null;
    let url: string;
    let write: Api;

    beforeAll(async () => {
      const port = await freePort();
      url = `http://127.0.0.1:${port}${path}`;
      app = await startOwnApp({ role: 'api', publicUrl: url, trustedProxies: ['127.0.0.1/32'] });
      proxy = await ReverseProxy.start(name, [app.url], { port, isBelow: place === 'below a path' });
      write = new Api(url, app.write.key);
    });
    afterAll(async () => {
      await proxy?.stop();
      await app.close();
    });

    it('shows the dashboard, with its live stream, and the API reference', async () => {
      const visit = await Visit.start(browser, url);
      const failed = failuresOf(visit.page);
      const stream = visit.page.waitForResponse((response) => response.url().includes('/api/v1/stream'));
      await visit.signIn(app.admin.key ?? '');
      await visit.settled();
      expect((await stream).status()).toBe(200);
      await visit.page.goto(`${url}/docs`);
      await visit.page.getByRole('heading', { level: 1 }).waitFor();
      await visit.settled();
      expect([...visit.complaints, ...failed]).toEqual([]);
      await visit.close();
    });

    it('keeps Location, Link, pages, and feeds below its own URL', async () => {
      const website = await newWebsite(write);
      await newWebsite(write, 'Another');
      const page = { title: 'Status', slug: 'status', groups: [], enabled: true, logo: PIXEL };
      const made = await write.post<{ id: string; path: string; logo_url: string }>('/status-pages', page);
      const list = await write.get('/websites?limit=1');
      const location = new URL(made.headers['location'] ?? '', `${url}/api/v1/status-pages`).href;
      const [, next = ''] = /<([^>]+)>/.exec(list.headers['link'] ?? '') ?? [];
      const addresses = [location, new URL(next, `${url}/api/v1/websites`).href];
      const found = await Promise.all(addresses.map((each) => statusOf(each, app.write.key)));
      expect([website !== '', location, found]).toEqual([
        true,
        `${url}/api/v1/status-pages/${made.body.id}`,
        [200, 200],
      ]);
      const host = new URL(url).origin;
      const shown = [made.body.path, `${made.body.path}/feed.atom`, made.body.logo_url, `${made.body.path}/history`];
      const crawled = await crawl(
        shown.map((each) => host + each),
        url,
      );
      expect(crawled.filter(({ status, leadingAway }) => status !== 200 || leadingAway.length > 0)).toEqual([]);
      expect(crawled.length).toBeGreaterThan(5);
    });

    it('passes a document of 8 MiB on to the service, and any log of a job', async () => {
      const id = await created(write, `/websites/${await newWebsite(write)}/endpoints`, HEARTBEAT);
      const endpoint = (await write.get<{ heartbeat: { ping_url: string } }>(`/endpoints/${id}`)).body;
      const pinged = await sent('POST', endpoint.heartbeat.ping_url, 'x'.repeat(12 * MIB));
      expect([pinged.status, pinged.text]).toEqual([200, expect.stringContaining('OK')]);
      const document = `# ${'x'.repeat(79)}\n`.repeat(100_000);
      const headers = { authorization: `Bearer ${app.admin.key}`, 'content-type': 'application/yaml' };
      const planned = await sent('POST', `${url}/api/v1/configuration/plan`, document, headers);
      expect([document.length > 7 * MIB, planned.text]).toEqual([true, expect.not.stringContaining('<html')]);
      expect(planned.status).not.toBe(413);
    });

    it('keeps the metrics closed, and passes the address of its client to the service', async () => {
      expect(await statusOf(`${url}/metrics`)).toBeGreaterThanOrEqual(403);
      expect(await statusOf(`${app.url}/metrics`)).toBe(200);
      const headers = { authorization: `Bearer ${app.write.key}`, 'content-type': 'application/json' };
      const website = JSON.stringify({ name: 'Shop', url: 'https://shop.example.com' });
      const made = await sent(
        'POST',
        `${url}/api/v1/websites`,
        website,
        { ...headers, 'x-forwarded-for': '203.0.113.7' },
        '127.0.0.2',
      );
      const log = await app.admin.get<{ author: { ip: string } }[]>(
        `/audit-log?resource_id=${(JSON.parse(made.text) as { id: string }).id}`,
      );
      expect(log.body[0]?.author.ip).toBe('127.0.0.2');
    });
  });
});

(hasProxy('nginx') ? describe : describe.skip)(
  `every page of the dashboard below a path${skippedWithout('nginx')}`,
  () => {
    let app: TestApp;
    let proxy: ReverseProxy | null = null;
    let url: string;

    beforeAll(async () => {
      const port = await freePort();
      url = `http://127.0.0.1:${port}/monitor`;
      app = await startOwnApp({ role: 'api', publicUrl: url });
      proxy = await ReverseProxy.start('nginx', [app.url], { port, isBelow: true });
      const website = await newWebsite(app.write);
      await newAlert(app.write, await newEndpoint(app.write, website));
      await created(app.write, `/websites/${website}/endpoints`, HEARTBEAT);
      await newContact(app.write);
      await newMaintenanceWindow(app.write);
      await created(app.write, '/status-pages', { title: 'Status', groups: [], enabled: true, logo: PIXEL });
      await created(app.admin, '/probes', { key: 'paris' });
    });
    afterAll(async () => {
      await proxy?.stop();
      await app.close();
    });

    it('requests nothing outside of the path, and links to nothing that does not exist', async () => {
      const visit = await Visit.start(browser, url);
      const failed = failuresOf(visit.page);
      await visit.signIn(app.admin.key ?? '');
      const [seen, left, others] = [new Set<string>(), ['#/'], new Set<string>()];
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const kind = next.replace(/_[0-9a-z]{26}/g, '').replace(/\?.*/, '');
        if (seen.has(kind)) continue;
        seen.add(kind);
        await visit.page.goto(`${url}/${next}`);
        await visit.settled();
        for (const link of await linksOf(visit.page)) {
          if (link.startsWith(`${url}/#`)) left.push(link.slice(url.length + 1));
          else if (new URL(link).origin === new URL(url).origin) others.add(link);
        }
      }
      const dead = [];
      // The proxy blocks the metrics.
      for (const link of [...others].filter((each) => each !== `${url}/metrics`))
        if (!link.startsWith(`${url}/`) || (await statusOf(link)) !== 200) dead.push(link);
      expect([...visit.complaints, ...failed, ...dead]).toEqual([]);
      expect([seen.size > 25, others.size > 3]).toEqual([true, true]);
      await visit.close();
    });
  },
);

/** Collects error responses as they arrive. */
function failuresOf(page: Page): string[] {
  const failed: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
  });
  return failed;
}

const linksOf = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('a[href], img[src]')].map((each) => each.href ?? each.src)`);

interface Crawled {
  url: string;
  status: number;
  leadingAway: string[];
}

/** Returns these URLs, and the ones that they link to, on this host. */
async function crawl(start: readonly string[], base: string): Promise<Crawled[]> {
  const [left, found] = [[...start], new Map<string, Crawled>()];
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    if (found.has(next) || new URL(next).origin !== new URL(base).origin) continue;
    const response = await sent('GET', next);
    const path = next.slice(base.length);
    found.set(next, {
      url: next,
      status: response.status,
      leadingAway: addressesLeadingAway([], { baseUrl: base, path, response }),
    });
    for (const [, link = ''] of response.text.matchAll(/\s(?:href|src)="([^"#]+)/g))
      left.push(new URL(link, next).href);
  }
  return [...found.values()];
}

const statusOf = async (url: string, key: string | null = null): Promise<number> =>
  (await sent('GET', url, '', key === null ? {} : { authorization: `Bearer ${key}` })).status;

/** Sends one request over a separate connection from this loopback address. */
const sent = (
  method: string,
  url: string,
  body = '',
  headers: Readonly<Record<string, string>> = {},
  localAddress?: string,
): Promise<ApiResponse> =>
  new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
    const from = localAddress === undefined ? {} : { localAddress };
    const request = startRequest(
      url,
      { method, agent: false, headers: { ...headers, ...length }, ...from },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => {
          const pairs = Object.entries(response.headers).map(([key, value]) => [key, String(value)]);
          resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(pairs) as never, body: null, text });
        });
      },
    );
    request.on('error', reject).end(body);
  });
