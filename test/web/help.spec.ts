import type { Browser } from 'playwright-core';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(180_000);

/** The start page, a guide, pages with pictures and diagrams, a generated page, and one of the largest pages. */
const PAGES = [
  '',
  'guides/monitor/cron-job',
  'get-started/quickstart',
  'concepts/overview',
  'concepts/when-alerts-trigger',
  'reference/settings',
  'reference/api/endpoints',
];

describe('the help', () => {
  let app: TestApp;
  let browser: Browser;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  const get = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${app.url}${path}`, { redirect: 'manual', ...init });

  it('needs no sign-in, and has a strict content security policy and nothing inline', async () => {
    const response = await get('/help/guides/monitor/cron-job');
    expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
    const html = await response.text();
    expect(html).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)/);
    // So it also works below a path.
    expect(html).not.toMatch(/\s(?:href|src)="\//);
  });

  it('sends /help to its first page by a relative URL, which also works below a path', async () => {
    const { status, headers } = await get('/help');
    expect([status, headers.get('location')]).toEqual([302, 'help/']);
  });

  it('serves each page also as Markdown, and the list of them at /llms.txt', async () => {
    const page = await get('/help/guides/monitor/cron-job.md');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(await page.text()).toMatch(/^# Monitor a cron job\n/);
    const list = await get('/llms.txt');
    expect([list.status, list.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await list.text()).toContain('(help/guides/monitor/cron-job.md)');
  });

  it('sends 304 to a client that has the page', async () => {
    const etag = (await get('/help/')).headers.get('etag') ?? '';
    expect((await get('/help/', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it.each([
    '/help/guides/no-such-page',
    '/help/..%2f..%2fpackage.json',
    '/help/.template',
    '/help/.built-from',
    '/help/assets/',
  ])('shows a page with links for %s, with the status 404', async (path) => {
    const response = await get(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await response.text()).toContain('<h1>Page not found</h1>');
  });

  it('refuses requests that would change something', async () => {
    expect((await get('/help/', { method: 'POST' })).status).toBe(404);
  });

  it.each([1280, 390])(
    'has no accessibility errors, light or dark, %i pixels wide, and sends no request to another host',
    async (width) => {
      const visit = await Visit.start(browser, app.url, { width });
      const problems: string[] = [];
      for (const page of PAGES) {
        await visit.page.goto(`${app.url}/help/${page}`);
        await visit.settled();
        for (const colorScheme of ['light', 'dark'] as const) {
          await visit.page.emulateMedia({ colorScheme });
          problems.push(...(await visit.barriers()).map((barrier) => `${page}, ${colorScheme}: ${barrier}`));
          if ((await visit.overflow()) > 0) problems.push(`${page}: wider than the window`);
        }
        const folder = process.env['HELP_PICTURES'];
        if (folder !== undefined)
          for (const colorScheme of ['light', 'dark'] as const) {
            await visit.page.emulateMedia({ colorScheme });
            const name = `${page.replaceAll('/', '-') || 'home'}-${width}-${colorScheme}.png`;
            await visit.page.screenshot({ path: `${folder}/${name}` });
          }
      }
      expect([...problems, ...visit.complaints]).toEqual([]);
      await visit.close();
    },
  );

  it('fetches the index when the search is first used, and opens the best page from the keyboard', async () => {
    const visit = await Visit.start(browser, app.url);
    const fetched: string[] = [];
    visit.page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
    await visit.page.goto(`${app.url}/help/concepts/overview`);
    await visit.settled();
    expect(fetched.filter((path) => path.includes('search'))).toEqual([]);
    await visit.page.keyboard.press('/');
    await visit.page.keyboard.type('cron job');
    await visit.page.locator('#results a').first().waitFor();
    if (process.env['HELP_PICTURES'] !== undefined)
      await visit.page.screenshot({ path: `${process.env['HELP_PICTURES']}/search.png` });
    expect(fetched).toContain('/help/search.json');
    await visit.page.keyboard.press('ArrowDown');
    await visit.page.keyboard.press('Enter');
    await visit.page.getByRole('heading', { level: 1, name: 'Monitor a cron job' }).waitFor();
    expect(visit.complaints).toEqual([]);
    await visit.close();
  });

  it('says so if no page matches', async () => {
    const visit = await Visit.start(browser, app.url);
    await visit.page.goto(`${app.url}/help/`);
    await visit.page.getByRole('searchbox').fill('zzqxv');
    await visit.page.getByText('No page found for “zzqxv”.').waitFor();
    await visit.close();
  });

  it('is one click away from each page of the dashboard, and opens the page about it', async () => {
    const visit = await Visit.start(browser, app.url);
    await visit.signIn(app.write.key ?? '');
    for (const [path, heading] of [
      ['/contacts', 'Contacts and default contacts'],
      ['/maintenance', 'Mute alerts during maintenance'],
      ['/', 'Uptime monitor: help'],
    ] as const) {
      await visit.open(path);
      const link = visit.page.getByRole('link', { name: 'Help for this page' });
      await visit.page.goto(new URL((await link.getAttribute('href')) ?? '', `${app.url}/`).href);
      await visit.page.getByRole('heading', { level: 1, name: heading }).waitFor();
    }
    expect(visit.complaints).toEqual([]);
    await visit.close();
  });

  it('explains where the values of a channel come from, in its form', async () => {
    const visit = await Visit.start(browser, app.url);
    await visit.signIn(app.write.key ?? '');
    await visit.open('/contacts/new');
    const link = visit.page.getByRole('link', { name: 'Where do I find these values?' });
    expect(await link.getAttribute('href')).toMatch(/^\/help\/guides\/notify\/\w+$/);
    await visit.close();
  });
});
