import type { Browser } from 'playwright-core';
import { SignInLinks } from '../../src/identity/session/sign-in-links';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { eventually } from '../../packages/testing/eventually';
import { launchBrowser, Visit } from './browser';
import { Cable } from './cable';

jest.setTimeout(120_000);

describe('the dashboard in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  let target: SwitchableServer;
  let hook: SwitchableServer;
  const visits: Visit[] = [];

  beforeAll(async () => {
    [target, hook] = [await SwitchableServer.start(), await SwitchableServer.start()];
    app = await startOwnApp();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
    await target.close();
    await hook.close();
  });
  afterEach(async () => {
    for (const visit of visits.splice(0)) {
      expect(visit.complaints).toEqual([]);
      await visit.close();
    }
  });

  const visit = async (options?: Parameters<typeof Visit.start>[2]): Promise<Visit> => {
    const started = await Visit.start(browser, app.url, options);
    visits.push(started);
    return started;
  };
  const keyOf = (role: 'admin' | 'write' | 'read'): string => app[role].key ?? '';

  it('signs in with a one-time link, removes the token from the URL, and refuses it a second time', async () => {
    const links = app.app.get(SignInLinks);
    const token = await links.create();
    const first = await visit();
    await first.open(`/sign-in/${token}`);
    await first.page.getByRole('button', { name: 'Continue with the API key' }).click();
    await first.page.getByRole('heading', { name: 'No endpoints yet' }).waitFor();
    expect(first.page.url()).not.toContain(token);

    const second = await Visit.start(browser, app.url);
    await second.open(`/sign-in/${token}`);
    await second.page.getByText('This link has already been used').waitFor();
    expect(second.page.url()).not.toContain(token);
    // The same tab without a reload. It already shows the sign-in page.
    const fresh = await links.create();
    await second.open(`/sign-in/${fresh}`);
    await second.page.getByRole('button', { name: 'Continue with the API key' }).click();
    await second.page.getByRole('heading', { name: 'No endpoints yet' }).waitFor();
    expect(second.page.url()).not.toContain(fresh);
    await second.close();
  });

  it('refuses to sign in with a wrong API key, shows the error, and accepts the right one', async () => {
    const user = await Visit.start(browser, app.url);
    await user.page.goto(app.url);
    for (const key of ['nonsense', keyOf('read')]) {
      await user.page.getByLabel('API key').fill(key);
      await user.page.getByRole('button', { name: 'Sign in' }).click();
      if (key === 'nonsense') await user.page.getByText('This key is not valid.').waitFor();
    }
    await user.page.getByRole('navigation', { name: 'Main' }).waitFor();
    await user.close();
  });

  it('shows an endpoint from its creation through its alert, a test, an outage, and the recovery without a reload', async () => {
    target.status = 200;
    const { page } = await signedIn('write');
    await page.evaluate('window.marked = true');

    await page.getByRole('link', { name: 'Add endpoint' }).click();
    await page.getByLabel('URL, host, or host:port').fill(`${target.url}/shop`);
    await eventually('type and name are guessed', async () => {
      const name = await page.getByLabel('Name', { exact: true }).inputValue();
      return name.endsWith('/shop') && (await page.getByLabel('Type').inputValue()) === 'HTTP';
    });
    await page.getByLabel('Name', { exact: true }).fill('Checkout');
    await page.getByLabel('Website name').fill('Example shop');
    await page.getByLabel('Interval (seconds)').fill('1');
    await page.getByLabel('Timeout (seconds)').fill('2');
    expect(await page.getByLabel('curl command').textContent()).toContain('"name": "Checkout"');

    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByRole('status').getByText('Answered in').waitFor();
    expect((await app.read.get<unknown[]>('/overview')).body).toEqual([]);

    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('heading', { name: 'Checkout' }).waitFor();
    await page.locator('.head .status.up').waitFor();
    await eventually('the tab has the name of the endpoint', async () => (await page.title()) === 'Checkout · Uptime');

    await page.getByRole('link', { name: 'Add an alert rule' }).click();
    await page.getByLabel('URL', { exact: true }).fill(hook.url);
    await page.getByLabel('Failures in a row to trigger').fill('2');
    await page.getByLabel('Successes in a row to resolve').fill('1');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('shown only once').waitFor();

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The test message was delivered.').waitFor();
    expect(hook.seen.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toContain('alert.test');
    await page.getByRole('region', { name: 'Deliveries' }).getByText('test').waitFor();

    await page.getByRole('link', { name: 'Alerts', exact: true }).first().click();
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByText('No events yet.').waitFor();
    target.status = 503;
    await page.getByRole('list', { name: 'Alert events' }).getByText('Checkout is down').waitFor();
    await eventually('the title counts the endpoint that is down', async () => (await page.title()).startsWith('(1)'));
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('/favicon.svg?down=1');

    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.locator('.row', { hasText: 'Checkout' }).locator('.status-mark.down').waitFor();

    target.status = 200;
    await page.locator('.row', { hasText: 'Checkout' }).locator('.status-mark.up').waitFor();
    await page.getByRole('link', { name: 'Alerts' }).click();
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('list', { name: 'Alert events' }).getByText('Resolved').waitFor();
    expect(await page.evaluate('window.marked')).toBe(true);
  });

  it('searches, selects, checks, opens and shows help with the keyboard only', async () => {
    const { page } = await signedIn('write');
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('checkout');
    await eventually('the filter is in the address', () => page.url().includes('q=checkout'));
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.locator('.row[data-current]').waitFor();
    await page.keyboard.press('c');
    await page.getByText('Checkout is up').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Checkout' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: 'Alerts' }).waitFor();
  });

  it('acts on a key that is pressed right after the keyboard help was closed', async () => {
    const { page } = await signedIn('read');
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    // In one go, because the browser returns the focus to the page only with the next frame.
    await page.evaluate(`
      document.querySelector('dialog').close();
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))`);
    await page.locator('.row[data-current]').waitFor();
  });

  it('reads single half hours of a row out with the arrow keys', async () => {
    const { page } = await signedIn('read');
    const beats = page.getByRole('slider', { name: 'Last 24 hours of Checkout' });
    await beats.focus();
    await page.keyboard.press('ArrowLeft');
    await eventually('the value is a half hour with its time', async () =>
      /^\d\d:\d\d to \d\d:\d\d: (up|down|not checked)/.test((await beats.getAttribute('aria-valuetext')) ?? ''),
    );
    // Both change whenever the overview is refreshed, the tooltip a moment later.
    await eventually('the tooltip says the same', () =>
      page.evaluate<boolean>(
        `document.querySelector('.tip')?.textContent === document.activeElement.getAttribute('aria-valuetext')`,
      ),
    );
  });

  it('zooms into the latency chart by dragging, and out again', async () => {
    const { page } = await signedIn('read');
    // Until its numbers are loaded, the chart has no axis, because any axis would be wrong.
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/latency\?/, async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Checkout' }).click();
    await page.locator('.chart').getByText('Loading…').waitFor();
    expect(await page.locator('.chart canvas').count()).toBe(0);
    release();
    const plot = page.locator('.u-over');
    await plot.waitFor();
    // Content above the chart may load later and move it away from the mouse.
    const isZoomed = () => /from=\d+&to=\d+/.test(page.url());
    await eventually('the range is in the address', async () => {
      // The chart of the range may have replaced it in the meantime, or be loading.
      if (isZoomed()) return true;
      const box = await plot.boundingBox();
      if (!box) throw new Error('the chart has no size');
      await page.mouse.move(box.x + box.width * 0.4, box.y + 40);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.8, box.y + 60, { steps: 5 });
      await page.mouse.up();
      return isZoomed();
    });
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await eventually('the range is gone', () => !page.url().includes('from='));
    await page.getByText('As a table').click();
    await page.getByRole('region', { name: 'Latency table' }).waitFor();
  });

  it('shows no button that changes anything to a read-only key', async () => {
    const { page } = await signedIn('read');
    const endpoint = (await app.read.get<{ id: string }[]>('/overview')).body[0]?.id ?? '';
    const alert = (await app.read.get<{ id: string }[]>('/alerts')).body[0]?.id ?? '';
    const names = /^(new|watch|check now|pause|resume|edit|delete|save|create|send|add|revoke|test)/i;
    /** Each page with an element that it shows once it has loaded. */
    const pages: [string, 'heading' | 'list' | 'region', string][] = [
      ['/', 'region', 'Overall status'],
      [`/endpoints/${endpoint}`, 'heading', 'Checkout'],
      ['/alerts', 'region', 'Alert rules'],
      ['/alerts/events', 'list', 'Alert events'],
      [`/alerts/${alert}`, 'heading', 'Webhook alert rule'],
      ['/settings/organization', 'region', 'Limits'],
    ];
    for (const [path, role, name] of pages) {
      await page.goto(`${app.url}/#${path}`);
      await page.locator('main').getByRole(role, { name, exact: true }).waitFor({ state: 'attached' });
      expect([path, await page.locator('main').getByRole('button', { name: names }).count()]).toEqual([path, 0]);
      expect([path, await page.getByRole('link', { name: /^(new|watch|edit|add)/i }).count()]).toEqual([path, 0]);
    }
  });

  it('shows when the connection to the service is lost, and reconnects automatically', async () => {
    const cable = await Cable.to(app.url);
    const user = await Visit.start(browser, cable.url);
    await user.signIn(keyOf('read'));
    const { page } = user;
    await page.getByText('Live', { exact: true }).waitFor();
    cable.cut();
    await page.getByRole('alert').getByText('Connection lost').waitFor();
    cable.mend();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByText('Connection lost').count()).toBe(0);
    await user.close();
    cable.close();
  });

  it('shows that an endpoint does not exist, with a way back, and sends no more requests about it', async () => {
    const lost = await Visit.start(browser, app.url);
    await lost.signIn(keyOf('read'));
    const asked: string[] = [];
    lost.page.on('request', (request) => asked.push(request.url()));
    await lost.open('/endpoints/ep_01jd3k6q7be5y9x4v2m8n0r1st');
    await lost.page.getByRole('heading', { name: 'Not found' }).waitFor();
    await lost.settled();
    expect(asked.filter((url) => url.includes('/ep_01jd3k6q7be5y9x4v2m8n0r1st'))).toHaveLength(1);
    await lost.page.getByRole('link', { name: 'Back to overview' }).click();
    await lost.page.locator('.row, .empty').first().waitFor();
    await lost.close();
  });

  it('stays signed out after signing out and reloading', async () => {
    const user = await signedIn('read');
    const { page } = user;
    // A request that the service reads after the sign-out is refused, and the browser logs it.
    await user.settled();
    await page.getByRole('button', { name: /Sign out/ }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  async function signedIn(role: 'admin' | 'write' | 'read'): Promise<Visit> {
    const started = await visit();
    await started.signIn(keyOf(role));
    return started;
  }
});
