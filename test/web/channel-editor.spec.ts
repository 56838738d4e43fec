import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app/app';
import { FakeProvider } from '../../packages/testing/servers/fake-provider';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

describe('the form of a contact', () => {
  let app: TestApp;
  let browser: Browser;
  let provider: FakeProvider;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    [app, provider] = await Promise.all([startApp(), FakeProvider.start()]);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
    await provider.stop();
  });
  beforeEach(async () => {
    visit = await Visit.start(browser, app.url);
    page = visit.page;
    await visit.signIn(app.write.key ?? '');
    await visit.open('/contacts/new');
  });
  afterEach(() => visit.close());

  it('finds a channel by a word, shows its settings, and sends a test to it', async () => {
    await page.getByLabel('Find a channel').fill('element');
    await page.getByLabel('Homeserver', { exact: true }).fill(provider.url);
    await page.getByLabel('Access token', { exact: true }).fill('syt_test');
    await page.getByLabel('Room', { exact: true }).fill('!ops:example.com');
    await page.getByLabel('Name', { exact: true }).fill('Operations');
    provider.expect({ status: 200, body: '{"event_id":"$1"}' });
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The test message was delivered.').waitFor();
    expect(provider.requests[0]?.body).toContain('Test message');
  });

  it('shows the requests of a custom body and its mistakes while the user writes it', async () => {
    await page.getByLabel('Channel', { exact: true }).selectOption('Webhook');
    await page.getByLabel('URL', { exact: true }).fill('https://hooks.example.com/x');
    const body = page.getByLabel('Body (optional)', { exact: true });
    await body.fill('{"text": "{{title}}"}');
    const request = page.getByRole('region', { name: 'Request', exact: true });
    await page.getByText('"text": "Checkout API is down"').waitFor();
    expect(await request.textContent()).toContain('POST https://hooks.example.com/x');
    await page.getByLabel('Message', { exact: true }).selectOption('It recovers');
    await page.getByText('"text": "Checkout API is back up"').waitFor();
    await body.fill('{"text": "{{titel}}"');
    await page.getByText('is not JSON').waitFor();
  });
});
