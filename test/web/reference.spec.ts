import type { Browser } from 'playwright-core';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(180_000);

/** The start page, an operation with a body of many forms, one with parameters, and an event. */
const PAGES = ['', 'createAlert', 'listAlertEvents', 'alertTriggered'];

describe('the API reference', () => {
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

  async function open(visit: Visit, operation = ''): Promise<void> {
    await visit.page.goto(`${app.url}/docs#${operation}`);
    await visit.page.locator('main h1').waitFor();
    await visit.settled();
  }

  async function send(visit: Visit): Promise<string> {
    await visit.page.getByRole('button', { name: 'Send', exact: true }).click();
    const status = visit.page.getByRole('main').getByRole('status');
    await status.filter({ hasText: /^\d{3}/ }).waitFor();
    return (await status.textContent()) ?? '';
  }

  async function enterKey(visit: Visit): Promise<void> {
    await visit.page.getByLabel('API key').fill(app.admin.key ?? '');
    await visit.page.getByRole('button', { name: 'Use this key' }).click();
  }

  it.each([1280, 390])(
    'has no accessibility errors, light or dark, %i pixels wide, and sends no request to another host',
    async (width) => {
      const visit = await Visit.start(browser, app.url, { width });
      const problems: string[] = [];
      for (const operation of PAGES) {
        await open(visit, operation);
        for (const summary of await visit.page.locator('main summary').all()) await summary.click();
        for (const colorScheme of ['light', 'dark'] as const) {
          await visit.page.emulateMedia({ colorScheme });
          problems.push(...(await visit.barriers()).map((barrier) => `${operation}, ${colorScheme}: ${barrier}`));
          if ((await visit.overflow()) > 0) problems.push(`${operation}: wider than the window`);
        }
      }
      expect([...problems, ...visit.complaints]).toEqual([]);
      await visit.close();
    },
  );

  it('is searched from the keyboard, and starts with the websites', async () => {
    const visit = await Visit.start(browser, app.url);
    await open(visit);
    const navigation = visit.page.getByRole('navigation', { name: 'Operations' });
    expect(await navigation.getByRole('heading').first().textContent()).toBe('Websites');
    await visit.page.keyboard.press('/');
    await visit.page.keyboard.type('create alert');
    await visit.page.keyboard.press('Enter');
    await visit.page.getByRole('heading', { level: 1, name: 'Create an alert rule' }).waitFor();
    expect(await visit.page.locator('h1:focus').count()).toBe(1);
    await visit.close();
  });

  it('sends with a key that is entered once and survives a reload', async () => {
    const visit = await Visit.start(browser, app.url);
    await open(visit, 'createWebsite');
    await enterKey(visit);
    expect(await send(visit)).toBe('201 Created');
    await visit.page.reload();
    expect(await send(visit)).toBe('201 Created');
    await visit.page.getByRole('button', { name: 'Forget the key' }).click();
    expect(await send(visit)).toBe('401 Unauthorized');
    await visit.close();
  });

  it('offers the example of each form of a body', async () => {
    const visit = await Visit.start(browser, app.url);
    await open(visit, 'createAlert');
    const body = async () =>
      JSON.parse(await visit.page.getByLabel('Body', { exact: true }).inputValue()) as { type: string; config: object };
    expect(await body()).toMatchObject({ type: 'email', config: { to: ['ops@example.com'] } });
    await visit.page.getByLabel('Start with').selectOption('slack');
    expect(await body()).toMatchObject({ type: 'slack', config: { webhook_url: expect.any(String) as string } });
    await visit.close();
  });

  it('explains each problem, and what to do', async () => {
    const visit = await Visit.start(browser, app.url);
    await visit.page.goto(`${app.url}/docs#problems`);
    await visit.page.getByRole('heading', { name: 'Problems' }).waitFor();
    const quota = visit.page.locator('#problem-quota_exceeded');
    expect(await quota.innerText()).toMatch(/quota_exceeded\s+409: The organization has reached a limit\. Delete/);
    await visit.close();
  });

  it('sends as the user who is signed in to the dashboard when there is no key', async () => {
    const visit = await Visit.start(browser, app.url);
    await visit.signIn(app.write.key ?? '');
    await open(visit, 'createWebsite');
    await visit.page.getByText('use your dashboard session: Default, role write').waitFor();
    expect(await send(visit)).toBe('201 Created');
    await visit.close();
  });

  it('shows the stream as it comes, until it is stopped', async () => {
    const visit = await Visit.start(browser, app.url);
    await visit.signIn(app.read.key ?? '');
    await open(visit, 'stream');
    expect(await send(visit)).toBe('200 OK');
    await visit.page.getByText('event: ready').waitFor();
    await visit.page.getByRole('button', { name: 'Stop' }).click();
    await visit.page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await visit.close();
  });

  it('has the strict policy of the dashboard and nothing inline', async () => {
    const [reference, dashboard] = await Promise.all([fetch(`${app.url}/docs`), fetch(`${app.url}/`)]);
    expect(reference.status).toBe(200);
    expect(reference.headers.get('content-security-policy')).toBe(dashboard.headers.get('content-security-policy'));
    expect(await reference.text()).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|https?:\/\//);
  });
});
