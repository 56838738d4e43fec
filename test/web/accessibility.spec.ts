import type { Browser } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app/app';
import { launchBrowser, Visit } from './browser';
import { showcase } from './showcase';

jest.setTimeout(180_000);

/** Every screen; `:name` is replaced by the id of that name. */
const SCREENS = [
  '/',
  '/?status=down&q=pay',
  '/?q=nothing-like-this',
  '/endpoints/:Payments API',
  '/endpoints/:Name server',
  '/endpoints/:Payments API/edit',
  '/new',
  '/alerts',
  '/alerts/events',
  '/alerts/new',
  '/alerts/:slack alert',
  '/websites/:Example shop',
  '/settings/keys',
  '/settings/websites',
  '/settings/system',
  '/no-such-screen',
];

describe.each(['light', 'dark'] as const)('accessibility of the dashboard, %s', (colorScheme) => {
  let app: TestApp;
  let browser: Browser;
  let ids: Map<string, string>;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    ids = await showcase(app);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  const addressOf = (screen: string): string =>
    screen.replace(/:([A-Za-z ]+)/, (_, name: string) => ids.get(name) ?? `missing ${name}`);

  it.each([1280, 390])('has no barrier on any screen, %i pixels wide, and nothing sticks out', async (width) => {
    const visit = await Visit.start(browser, app.url, { colorScheme, width });
    await visit.page.goto(app.url);
    await visit.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const found: string[] = [];
    const look = async (screen: string) => {
      found.push(...(await visit.barriers()).map((barrier) => `${screen}: ${barrier}`));
      if ((await visit.overflow()) > 0) found.push(`${screen}: sticks out`);
    };
    await look('sign in');
    await visit.signIn(app.admin.key ?? '');
    for (const screen of SCREENS) {
      await visit.open(addressOf(screen));
      await visit.page.locator('main h1').first().waitFor({ state: 'attached' });
      await visit.page.waitForLoadState('networkidle');
      await look(screen);
    }
    await visit.page.keyboard.press('?');
    await visit.page.getByRole('dialog').waitFor();
    await look('help');
    expect([...found, ...visit.complaints]).toEqual([]);
    await visit.close();
  });

  it('has no barrier on the public status page', async () => {
    await app.write.put(`/websites/${ids.get('Example shop')}/status-page`, { enabled: true });
    for (const width of [1280, 390]) {
      const visit = await Visit.start(browser, app.url, { colorScheme, width });
      await visit.page.goto(`${app.url}/status/example-shop`);
      expect([width, await visit.barriers(), await visit.overflow(), visit.complaints]).toEqual([width, [], 0, []]);
      await visit.close();
    }
  });
});
