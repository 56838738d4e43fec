import type { Browser, Page } from 'playwright-core';
import type { AlertView } from '../../src/alert/alert.dto';
import { Database } from '../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { eventually } from '../../packages/testing/eventually';
import { newAlert, newEndpoint, newWebsite } from '../harness/app/resources';
import { FakeProvider } from '../../packages/testing/servers/fake-provider';
import { launchBrowser, Visit } from './browser';
import { showcase } from './showcase';
import { addIncidents } from './showcase-incidents';

jest.setTimeout(180_000);

describe('alerts in the dashboard', () => {
  let app: TestApp;
  let browser: Browser;
  let provider: FakeProvider;
  let ids: Map<string, string>;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    [app, provider] = await Promise.all([startOwnApp({ role: 'api' }), FakeProvider.start()]);
    ids = await showcase(app);
    await addIncidents(app, ids);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
    await provider.stop();
  });
  beforeEach(async () => {
    visit = await Visit.start(browser, app.url);
    await visit.signIn(app.write.key ?? '');
    page = visit.page;
  });
  afterEach(async () => {
    // Chromium logs each response that refuses a form.
    expect(visit.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
    await visit.close();
  });

  const open = async (path: string): Promise<void> => {
    await visit.open(path);
    await visit.settled();
  };
  const chooser = () => page.getByRole('combobox', { name: 'Endpoint' });
  const channel = () => page.getByLabel('Channel', { exact: true });
  const errors = () => page.locator('.field > .error').allTextContents();
  const options = () => page.getByRole('listbox').getByRole('option').allTextContents();

  describe('the list of rules', () => {
    const rule = (text: string) => page.getByRole('row').filter({ hasText: text });

    it('shows for each rule its receiver and the result of its last message, and links to rule and endpoint', async () => {
      await open('/alerts');
      await rule('hooks.slack.com').getByText('Delivered').waitFor();
      await rule('PagerDuty').getByText('Failed').waitFor();
      await rule('PagerDuty').getByText('the routing key is not valid').waitFor();
      await rule('Telegram').getByText('Nothing sent').waitFor();

      expect(await rule('ops@example.com').getByRole('link', { name: 'Email' }).getAttribute('href')).toBe(
        `#/alerts/${ids.get('email alert')}`,
      );
      await rule('ops@example.com').getByRole('link', { name: 'Checkout' }).click();
      await page.getByRole('heading', { name: 'Checkout' }).waitFor();
      const rules = page.getByRole('heading', { name: 'Alert rules' }).locator('..').getByRole('listitem');
      await rules.filter({ hasText: 'ops@example.com' }).getByRole('link', { name: 'Email' }).waitFor();
    });

    it('finds rules by text, by state, and by website', async () => {
      await open('/alerts');
      const search = page.getByRole('searchbox', { name: 'Search alert rules' });
      await search.fill('payments slack');
      await page.getByText('1 of 4 alert rules').waitFor();
      await rule('Payments API').getByRole('link', { name: 'Slack' }).waitFor();
      await search.fill('');
      await page.getByLabel('State of the alert rule').selectOption('Not delivering');
      // PagerDuty refused the message, and email cannot be sent without a mail server.
      await page.getByText('2 of 4 alert rules').waitFor();
      await rule('PagerDuty').waitFor();
      await rule('ops@example.com').getByText('Cannot send').waitFor();
      await page.getByLabel('State of the alert rule').selectOption('Every state');
      await page.getByRole('combobox', { name: 'Endpoint or website' }).fill('platform website');
      await page.keyboard.press('Enter');
      await page.getByText('1 of 4 alert rules').waitFor();
      await rule('Telegram').waitFor();
    });

    it('shows a hundred of a thousand rules at first, and more on request', async () => {
      const many = await app.organization('Many rules');
      const endpoint = await newEndpoint(many.write, await newWebsite(many.write));
      const alert = await newAlert(many.write, endpoint);
      expect(alert).toMatch(/^al_/);
      await app.app.get(Database).query(
        `INSERT INTO alert (id, org_id, endpoint_id, type, config)
         SELECT gen_random_uuid(), org_id, endpoint_id, type, config FROM alert, generate_series(1, 999) WHERE org_id = $1`,
        [many.orgId],
      );
      const other = await Visit.start(browser, app.url);
      await other.signIn(many.write.key ?? '');
      await other.open('/alerts');
      await other.page.getByText('1,000 alert rules').waitFor();
      const rows = other.page.getByRole('table').getByRole('row');
      expect(await rows.count()).toBe(101);
      await other.page.getByRole('button', { name: 'More alert rules' }).click();
      await eventually('more rows are shown', async () => (await rows.count()) === 201);
      await other.close();
    });
  });

  describe('events', () => {
    const incident = () => page.getByRole('list', { name: 'Alert events' }).getByRole('listitem').first();

    it('shows an incident of several alerts as one line, which opens to their messages', async () => {
      await open('/alerts/events');
      const feed = page.getByRole('list', { name: 'Alert events' });
      expect(await feed.getByRole('listitem').count()).toBe(3);
      await incident().getByText('2 alerts').waitFor();
      await incident().getByText('PagerDuty not reached').waitFor();

      // After the alert is over, its line still shows the reason.
      await feed
        .getByRole('listitem')
        .filter({ hasText: /Checkout, down .* to / })
        .getByText('The status is 503')
        .waitFor();
      await incident().locator('summary').click();
      const message = (name: string) => incident().getByRole('row').filter({ hasText: name });
      await message('PagerDuty').getByText('Failed').waitFor();
      await message('Slack').getByText('Delivered').waitFor();
      await message('PagerDuty').getByRole('button', { name: 'Send again' }).waitFor();
    });

    it('filters events by endpoint, website, kind, and time, and keeps the filter in the URL', async () => {
      await open('/alerts/events');
      const shown = async (count: number) =>
        eventually(
          `${count} incidents are shown`,
          async () => (await page.getByRole('list', { name: 'Alert events' }).getByRole('listitem').count()) === count,
        );
      const target = page.getByRole('combobox', { name: 'Endpoint or website' });
      await target.fill('checkout');
      await page.keyboard.press('Enter');
      await shown(1);
      await target.fill('');
      await page.keyboard.press('Enter');
      await shown(3);
      await page.getByLabel('Time', { exact: true }).selectOption('7 days');
      await shown(2);
      await page.getByLabel('Kind of event').selectOption('Resolved only');
      await shown(1);
      expect(page.url()).toContain('range=week');
    });
  });

  it('lists the messages that were not delivered, with the reason', async () => {
    await open('/alerts/failed');
    const row = page.getByRole('row').filter({ hasText: 'PagerDuty' });
    await row.getByText('the routing key is not valid').waitFor();
    await row.getByRole('button', { name: 'Send again' }).waitFor();
  });

  describe('the chooser of an endpoint', () => {
    it('works with the keyboard only: typing filters, arrows move, Enter chooses, Escape cancels', async () => {
      await open('/alerts/new');
      await chooser().focus();
      await page.keyboard.press('ArrowDown');
      const all = (await options()).length;
      expect(all).toBeGreaterThan(5);
      await page.keyboard.type('rest');
      await eventually('fewer are offered', async () => (await options()).length === 2);
      expect(await page.getByRole('status').filter({ hasText: '2 matches' }).count()).toBe(1);

      const active = async () => page.locator(`[id="${await chooser().getAttribute('aria-activedescendant')}"]`);
      expect(await (await active()).textContent()).toContain('REST v2');
      await page.keyboard.press('ArrowDown');
      expect(await (await active()).textContent()).toContain('REST v1');
      expect(await visit.barriers()).toEqual([]);
      await page.keyboard.press('Enter');
      expect(await chooser().inputValue()).toContain('REST v1');
      expect(await chooser().getAttribute('aria-expanded')).toBe('false');

      await page.keyboard.type('nothing like this');
      await page.getByText('No matches.').waitFor();
      await page.keyboard.press('Escape');
      expect(await chooser().inputValue()).toContain('REST v1');
      expect(await page.getByLabel('curl command').textContent()).toContain(ids.get('REST v1 (deprecated)'));
    });
  });

  describe('the form of an alert', () => {
    it('shows each error at its field, in the words of its label, and nothing twice', async () => {
      await open('/alerts/new');
      await page.getByLabel('Failures in a row to trigger').fill('0');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('alert').waitFor();
      expect(await errors()).toEqual([
        'Choose an endpoint',
        'URL is required',
        'Failures in a row to trigger must be at least 1',
      ]);
      expect(await page.getByRole('alert').textContent()).toBe('Some fields are not valid.');
      expect(await chooser().getAttribute('id')).toBe(await page.evaluate<string>('document.activeElement.id'));
    });

    it('removes the error of a channel when another one is chosen', async () => {
      await open(`/alerts/new?endpoint_id=${ids.get('Checkout')}`);
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('URL is required').waitFor();
      await channel().selectOption('Telegram');
      expect(await errors()).toEqual([]);
      expect(await page.getByRole('alert').count()).toBe(0);
    });

    it('names channels and fields as their vendors do, shows examples, and no former names', async () => {
      await open('/alerts/new');
      expect(await channel().locator('option').allTextContents()).toEqual(
        expect.arrayContaining(['PagerDuty', 'Microsoft Teams', 'SMS (Twilio)']),
      );
      expect(await page.getByLabel('Webhook URL').count()).toBe(0);
      expect(await page.getByLabel('URL', { exact: true }).getAttribute('placeholder')).toContain('https://');
      await channel().selectOption('PagerDuty');
      await page.getByLabel('Routing key', { exact: true }).waitFor();
      expect(await page.getByLabel('Integration key').count()).toBe(0);
      await channel().selectOption('SMS (Twilio)');
      await page.getByLabel('Account SID', { exact: true }).waitFor();
    });

    it('accepts a chat and phone numbers as they are typed', async () => {
      const body = async () => (await page.getByLabel('curl command').textContent()) ?? '';
      await open(`/alerts/new?endpoint_id=${ids.get('Checkout')}`);
      await channel().selectOption('Telegram');
      await page.getByLabel('Chat ID').fill('@mychannel');
      await page.getByLabel('Bot token').focus();
      expect(await page.getByLabel('Chat ID').inputValue()).toBe('@mychannel');
      expect(await body()).toContain('"chat_id": "@mychannel"');
      await channel().selectOption('SMS (Twilio)');
      await page.getByLabel('To', { exact: true }).fill('+15005550006, +15005550007');
      await eventually('both numbers are sent', async () => /"to": \[\s*"\+15005550006",/.test(await body()));
    });

    it('sends a test before the alert is saved, and forgets the verdict when a field changes', async () => {
      provider.expect({ status: 204 }, { status: 403, body: 'no' });
      await open(`/alerts/new?endpoint_id=${ids.get('Checkout')}`);
      await page.getByLabel('URL', { exact: true }).fill(`${provider.url}/hook`);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The test message was delivered.').waitFor();
      await page.getByLabel('Description (optional)').fill('Runbook');
      expect(await page.getByText('The test message was delivered.').count()).toBe(0);

      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The test message was not delivered:').waitFor();
      expect((await app.read.get<AlertView[]>('/alerts')).body).toHaveLength(4);
    });

    it('shows a generated secret once, and not after coming back', async () => {
      await open(`/alerts/new?endpoint_id=${ids.get('Search')}`);
      await page.getByLabel('URL', { exact: true }).fill('https://hooks.example.com/once');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('shown only once').waitFor();
      const alert = new URL(page.url()).hash.slice(1);
      await open('/alerts');
      await open(alert);
      await page.getByRole('heading', { name: 'Webhook alert rule' }).waitFor();
      expect(await page.getByText('shown only once').count()).toBe(0);
    });
  });
});
