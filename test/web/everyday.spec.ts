import type { Browser, Page } from 'playwright-core';
import type { Alert, Contact, Endpoint } from '../../web/src/api/types';
import { eventually } from '../../packages/testing/eventually';
import { FakeProvider } from '../../packages/testing/servers/fake-provider';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { newEndpoint, newWebsite } from '../harness/app/resources';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

describe('everyday tasks: notifications, the palette, undo', () => {
  let app: TestApp;
  let browser: Browser;
  let provider: FakeProvider;
  let visit: Visit;
  let page: Page;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    [app, provider] = await Promise.all([startOwnApp({ role: 'api' }), FakeProvider.start()]);
    browser = await launchBrowser();
    const shop = await newWebsite(app.write, 'Example shop');
    for (const name of ['Checkout', 'Search', 'Basket']) ids.set(name, await newEndpoint(app.write, shop, { name }));
    visit = await Visit.start(browser, app.url);
    page = visit.page;
    await visit.signIn(app.write.key ?? '');
  });
  afterEach(() => {
    // Chromium logs each response that refuses a form.
    expect(visit.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
    await provider.stop();
  });

  const pathOf = (name: string): string => `/endpoints/${ids.get(name)}`;
  const stored = (name: string) => app.read.get<Endpoint>(pathOf(name));
  const row = (name: string) => page.locator('.row', { has: page.getByRole('link', { name, exact: true }) });
  const undo = () => page.locator('.toasts').getByRole('button', { name: 'Undo' });

  it('asks after the first Create who should be notified, tests it, and offers to simulate a failure', async () => {
    await visit.open(pathOf('Checkout'));
    const card = page.getByRole('region', { name: 'Who should be notified?' });
    await card.getByRole('button', { name: 'Email' }).click();
    await card.getByText('No mail server is configured.').waitFor();
    await card.getByRole('button', { name: 'Webhook' }).click();
    await card.getByRole('button', { name: 'Save and notify' }).click();
    await card.locator('.field .error').waitFor();
    await card.getByLabel('URL').fill(`${provider.url}/hook`);
    provider.expect({ status: 204 }, { status: 204 });
    await card.getByRole('button', { name: 'Send a test' }).click();
    await card.getByText('The test message was delivered.').waitFor();
    expect(await visit.barriers()).toEqual([]);
    expect((await app.read.get<Contact[]>('/contacts')).body).toEqual([]);

    await card.getByRole('button', { name: 'Save and notify' }).click();
    const next = page.getByRole('region', { name: 'Send a sample alert' });
    await next.getByText('This secret was generated for you.').waitFor();
    await page.getByRole('region', { name: 'Alert rules' }).or(page.locator('section')).getByText('Watching').waitFor();
    await next.getByRole('button', { name: 'Send the sample alert' }).click();
    await next.getByText('The test message was delivered.').waitFor();
    expect((await app.read.get<Contact[]>('/contacts')).body).toMatchObject([{ type: 'webhook', default: true }]);
    expect((await app.read.get<Alert[]>('/alerts')).body).toHaveLength(3);
    await next.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await visit.settled();
    expect(await page.getByRole('region', { name: 'Who should be notified?' }).count()).toBe(0);
  });

  it('opens the named endpoint, pauses and mutes as typed, and undoes it', async () => {
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Name or command' });
    await field.fill('bask');
    await page.getByRole('option', { name: /^Basket/ }).waitFor();
    expect(await visit.barriers()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Basket' }).waitFor();

    await page.keyboard.press('Control+k');
    await field.fill('pause search');
    await page.keyboard.press('Enter');
    await page.getByText('Search is paused.').waitFor();
    expect((await stored('Search')).body.enabled).toBe(false);
    await undo().click();
    await page.getByText('Search is monitored again.').waitFor();
    expect((await stored('Search')).body.enabled).toBe(true);

    await page.keyboard.press('Control+k');
    await field.fill('mute all 30 min');
    await page.keyboard.press('Enter');
    await page.getByText(/^Everything: no alerts until/).waitFor();
    const windows = await app.read.get<unknown[]>('/maintenance-windows?status=active');
    expect(windows.body).toMatchObject([{ scope: { all: true }, mute: true }]);
  });

  it('asks before it deletes an endpoint, names what is lost, and restores it at once or days later', async () => {
    const destroy = async () => {
      await visit.open(pathOf('Basket'));
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete Basket?' });
      await dialog
        .getByText(/^Its 1 alert rule will no longer notify anyone\. Its history since .+ is no longer shown\./)
        .waitFor();
      return dialog;
    };
    await (await destroy()).getByRole('button', { name: 'Cancel' }).click();
    expect((await stored('Basket')).status).toBe(200);

    await (await destroy()).getByRole('button', { name: 'Delete Basket' }).click();
    await row('Checkout').waitFor();
    await eventually('Basket is gone', async () => (await stored('Basket')).status === 404);
    await undo().last().click();
    await eventually('Basket is back', async () => (await stored('Basket')).status === 200);

    await (await destroy()).getByRole('button', { name: 'Delete Basket' }).click();
    await eventually('Basket is gone again', async () => (await stored('Basket')).status === 404);
    await visit.open('/settings/deleted');
    await page
      .getByRole('row', { name: /Basket/ })
      .getByRole('button', { name: 'Restore' })
      .click();
    await page.getByText('Basket is restored').waitFor();
    expect(await visit.barriers()).toEqual([]);
    expect((await stored('Basket')).status).toBe(200);
  });

  it('shows next to a form the message that arrives, and the document for the service', async () => {
    const plan = async (name: string) => {
      await page.getByRole('tab', { name: 'YAML' }).click();
      const text = (await page.getByRole('region', { name: 'YAML document' }).textContent()) ?? '';
      const response = await fetch(`${app.url}/api/v1/configuration/plan`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${app.write.key}`, 'Content-Type': 'application/yaml' },
        body: `${text}secrets: { CONTACT_NIGHT_SHIFT_WEBHOOK_URL: "https://hooks.slack.com/services/T/B/X" }\n`,
      });
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(name)]);
    };
    await visit.open('/contacts/new');
    await page.getByLabel('Name').fill('Night shift');
    await page.getByLabel('Channel', { exact: true }).selectOption('slack');
    await page.getByLabel('Webhook URL').fill('https://hooks.slack.com/services/T/B/X');
    await page.getByLabel('Failures in a row to trigger').fill('5');
    await page.getByText('Checkout is down: connection refused (5 checks in a row)').waitFor();
    expect(await visit.barriers()).toEqual([]);
    await page.getByRole('tab', { name: 'Preview' }).focus();
    await page.keyboard.press('ArrowLeft');
    await plan('Night shift');

    await visit.open('/status-pages/new');
    const preview = page.getByRole('article', { name: 'Preview of the page' });
    await page.getByLabel('Title').fill('Our services');
    await page.getByLabel('Choose a color').fill('#7a3ff2');
    await page.getByRole('button', { name: /^Add Example shop/ }).click();
    await preview.getByText('Checkout').waitFor();
    expect(await page.getByLabel('Color (optional)').inputValue()).toBe('#7a3ff2');
    expect(await visit.barriers()).toEqual([]);

    await visit.open('/new');
    await page.getByLabel('URL, host, or host:port').fill('https://shop.example.com/cart');
    await page.getByText('As curl or YAML').click();
    await page.getByRole('button', { name: '30 s' }).click();
    expect(await page.getByLabel('Interval (seconds)').inputValue()).toBe('30');
    await plan('shop.example.com/cart');
  });

  it('undoes a pause of several endpoints, for those that it paused', async () => {
    await app.write.put(pathOf('Checkout'), { enabled: false });
    await visit.open('/');
    await row('Checkout').locator('.status-mark.paused').waitFor();
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    for (const name of ['Checkout', 'Search']) await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('Paused: 2 of 2.').waitFor();
    await page.locator('.report').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Resumed: 1 of 1.').waitFor();
    const [checkout, search] = [await stored('Checkout'), await stored('Search')];
    expect([checkout.body.enabled, search.body.enabled]).toEqual([false, true]);
  });
});
