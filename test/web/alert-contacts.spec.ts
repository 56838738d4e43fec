import type { Browser, Page } from 'playwright-core';
import type { AlertView } from '../../src/alert/alert.dto';
import { ChannelRegistry } from '../../src/channel/channel.registry';
import { Database } from '../../src/platform/database/database';
import { newUuid } from '../../src/platform/ids/id';
import { isPager } from '../../web/src/logic/alert-rule';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { eventually } from '../../packages/testing/eventually';
import { newAlert, newContact, newEndpoint, newWebsite } from '../harness/app/resources';
import { FakeProvider } from '../../packages/testing/servers/fake-provider';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(180_000);

const PAGER = { name: 'On call', type: 'pagerduty', config: { routing_key: '0123456789abcdef0123456789abcdef' } };

describe('alerts that notify through contacts, in the dashboard', () => {
  let app: TestApp;
  let browser: Browser;
  let provider: FakeProvider;
  let org: Awaited<ReturnType<TestApp['organization']>>;
  let visit: Visit;
  let page: Page;
  let website: string;
  let endpoint: string;

  beforeAll(async () => {
    [app, provider] = await Promise.all([startOwnApp({ role: 'api' }), FakeProvider.start()]);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
    await provider.stop();
  });
  beforeEach(async () => {
    org = await app.organization('Contacts');
    website = await newWebsite(org.write, 'Shop');
    endpoint = await newEndpoint(org.write, website);
    visit = await Visit.start(browser, app.url);
    await visit.signIn(org.write.key ?? '');
    page = visit.page;
  });
  afterEach(async () => {
    // Chromium logs each response that refuses a form, and each connection that was cut.
    expect(visit.complaints.filter((text) => !/status of 4\d\d|ERR_FAILED/.test(text))).toEqual([]);
    await visit.close();
  });

  const open = async (path: string): Promise<void> => {
    await visit.open(path);
    await visit.settled();
  };
  const through = () => page.getByLabel('Notify through', { exact: true });
  const chosen = () => through().locator('option:checked').textContent();
  const options = () => through().locator('option').allTextContents();
  const sent = async () => (await page.getByLabel('curl command').textContent()) ?? '';
  const save = async () => {
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
    await page.getByRole('button', { name: 'Save' }).click();
    expect((await saved).status()).toBe(200);
    await visit.settled();
  };
  const alertOf = async (id: string) => (await org.write.get<AlertView>(`/alerts/${id}`)).body;
  const alerts = async () => (await org.write.get<AlertView[]>('/alerts')).body;
  const triggered = (id: string) =>
    app.app
      .get(Database)
      .query(
        `UPDATE alert SET triggered = true, incident_no = 1, incident_started_at = now() WHERE org_id = $1 AND description = $2`,
        [org.orgId, id],
      );

  describe('the form of an alert', () => {
    it('starts with the default contact and its defaults; manual settings stay when another one is chosen', async () => {
      await newContact(org.write, { name: 'Boss', alert_defaults: { failure_threshold: 9, success_threshold: 7 } });
      const operations = await newContact(org.write, {
        default: true,
        alert_defaults: { failure_threshold: 1, remind_every: 3600 },
      });
      await open(`/alerts/new?endpoint_id=${endpoint}`);
      expect(await options()).toEqual(['Operations · Slack (default)', 'Boss · Slack', 'Its own settings']);
      expect(await chosen()).toBe('Operations · Slack (default)');
      expect(await page.getByLabel('Channel', { exact: true }).count()).toBe(0);
      const failures = page.getByLabel('Failures in a row to trigger');
      expect(await failures.inputValue()).toBe('1');
      expect(await page.getByLabel('Remind every', { exact: true }).inputValue()).toBe('1');

      await page.getByLabel('Wait before triggering', { exact: true }).fill('10');
      await failures.fill('2');
      await through().selectOption('Boss · Slack');
      expect(await failures.inputValue()).toBe('2');
      expect(await page.getByLabel('Successes in a row to resolve').inputValue()).toBe('7');
      await through().selectOption('Operations · Slack (default)');
      expect(await sent()).not.toContain('webhook');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Slack alert rule' }).waitFor();
      expect(await page.locator('.head').getByRole('link', { name: 'Operations' }).getAttribute('href')).toBe(
        `#/contacts/${operations}`,
      );
      const [made] = await alerts();
      expect(made).toMatchObject({
        contact_id: operations,
        type: 'slack',
        failure_threshold: 2,
        success_threshold: 2,
        after: 600,
        remind_every: 3600,
      });
    });

    it('starts with the contact in its URL', async () => {
      await newContact(org.write, { default: true });
      const boss = await newContact(org.write, { name: 'Boss' });
      await open(`/alerts/new?endpoint_id=${endpoint}&contact=${boss}`);
      expect(await chosen()).toBe('Boss · Slack');
    });

    it('tests a contact before the alert is saved', async () => {
      // Only the first organization may send to loopback addresses.
      const config = { url: `${provider.url}/boss` };
      const boss = await newContact(app.write, { name: 'Boss', type: 'webhook', config });
      const first = await Visit.start(browser, app.url);
      await first.signIn(app.write.key ?? '');
      await first.open(`/alerts/new?endpoint_id=${await newEndpoint(app.write, await newWebsite(app.write))}`);
      await first.page.getByLabel('Notify through').waitFor();
      expect(await first.page.getByLabel('Notify through').inputValue()).toBe(boss);
      provider.expect({ status: 204 });
      await first.page.getByRole('button', { name: 'Send a test' }).click();
      await first.page.getByText('The test message was delivered.').waitFor();
      expect(provider.requests.at(-1)?.path).toBe('/boss');
      expect((await app.write.get<AlertView[]>('/alerts')).body).toEqual([]);
      await first.close();
    });

    it('moves an alert to another contact, detaches it with its settings, and explains the effect on an open incident first', async () => {
      const [operations, boss] = [await newContact(org.write), await newContact(org.write, { name: 'Boss' })];
      const body = { endpoint_id: endpoint, contact_id: operations, description: 'moving' };
      const { id } = (await org.write.post<{ id: string }>('/alerts', body)).body;
      await triggered('moving');
      await open(`/alerts/${id}`);
      expect(await chosen()).toBe('Operations · Slack');
      await through().selectOption('Boss · Slack');
      await page.getByText('When you save this, messages go through Boss. The open alert stays open if').waitFor();
      await save();
      expect((await alertOf(id)).contact_id).toBe(boss);
      expect(await page.getByText('When you save this').count()).toBe(0);

      await through().selectOption('Its own settings');
      await page.getByText('It keeps a copy of the settings of Boss').waitFor();
      await page.getByText('The open alert stays open.').waitFor();
      await save();
      const detached = await alertOf(id);
      expect([detached.contact_id, detached.type, detached.destination, detached.triggered]).toEqual([
        null,
        'slack',
        'hooks.slack.com',
        true,
      ]);
      await page.getByLabel('Channel', { exact: true }).waitFor();

      await through().selectOption('Operations · Slack');
      await page.getByText('Its own settings are deleted.').waitFor();
      await save();
      expect((await alertOf(id)).contact_id).toBe(operations);
    });

    it('detaches an alert with other settings at once', async () => {
      const contact = await newContact(org.write);
      const { id } = (await org.write.post<{ id: string }>('/alerts', { endpoint_id: endpoint, contact_id: contact }))
        .body;
      await open(`/alerts/${id}`);
      await through().selectOption('Its own settings');
      await page.getByLabel('Channel', { exact: true }).selectOption('Email');
      await page.getByLabel('To, one per line').fill('ops@example.com');
      await page.getByLabel('Description (optional)').focus();
      await page.getByText('When you save this, messages go through these settings and no longer through').waitFor();
      await save();
      expect(await alertOf(id)).toMatchObject({ contact_id: null, type: 'email', destination: 'ops@example.com' });
    });

    it('shows errors at the delay and at the reminders, in readable units', async () => {
      await newContact(org.write);
      await open(`/alerts/new?endpoint_id=${endpoint}`);
      await page.getByLabel('Wait before triggering', { exact: true }).fill('25');
      await page.getByLabel('Wait before triggering: unit').selectOption('hours');
      await page.getByLabel('Remind every', { exact: true }).fill('1');
      await page.getByLabel('Remind every: unit').selectOption('minutes');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.locator('.field > .error').allTextContents()).toEqual(['At most 1 day', 'At least 5 min']);
      expect(await page.getByRole('alert').textContent()).toBe('Some fields are not valid.');
      expect(await visit.barriers()).toEqual([]);
    });

    it('offers no reminders for channels that have their own, which are the pagers of the service', async () => {
      await newContact(org.write, PAGER);
      await open(`/alerts/new?endpoint_id=${endpoint}`);
      await page.getByText('PagerDuty sends its own reminders, so this service sends none.').waitFor();
      expect(await page.getByLabel('Remind every', { exact: true }).count()).toBe(0);
      const channels = app.app.get(ChannelRegistry);
      for (const type of channels.types())
        expect([type, isPager(type)]).toEqual([type, channels.get(type).audience === 'pager']);
    });

    it('shows the channel fields while there is no contact, and offers a contact that was created in the meantime', async () => {
      await open(`/alerts/new?endpoint_id=${endpoint}`);
      await page.getByLabel('URL', { exact: true }).waitFor();
      expect(await through().count()).toBe(0);
      await page.getByLabel('Description (optional)').fill('Runbook');
      await page.getByRole('link', { name: 'create a contact' }).waitFor();
      await newContact(org.write);
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
      await eventually('the contact is offered', async () => (await options()).includes('Operations · Slack'));
      expect(await page.getByLabel('Description (optional)').inputValue()).toBe('Runbook');
      expect(await chosen()).toBe('Its own settings');
    });
  });

  describe('a new endpoint', () => {
    const box = (name: string) => page.getByRole('checkbox', { name });
    const fill = async (name: string) => {
      await open(`/new?website_id=${website}`);
      await page.getByLabel('URL, host, or host:port').fill(`https://shop.example.com/${name}`);
      await page.getByLabel('Name', { exact: true }).fill(name);
    };
    const create = async (name: string) => {
      await page.getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByRole('heading', { name }).waitFor();
    };

    it('has an alert through each default contact, and through those that are checked', async () => {
      const contacts = [await newContact(org.write, { default: true }), await newContact(org.write, { name: 'Boss' })];
      await fill('Basket');
      expect(await box('Operations · Slack (default)').isChecked()).toBe(true);
      expect(await box('Boss · Slack').isChecked()).toBe(false);
      await box('Boss · Slack').check();
      expect(await visit.barriers()).toEqual([]);
      await create('Basket');
      expect(new Set((await alerts()).map(({ contact_id }) => contact_id))).toEqual(new Set(contacts));
      const rules = page.getByRole('heading', { name: 'Alert rules' }).locator('..').getByRole('listitem');
      await rules.getByText('Operations').waitFor();
      await rules.getByText('Boss').waitFor();
    });

    it('has no alert through a default contact that was unchecked, but through the others', async () => {
      await newContact(org.write, { default: true });
      const boss = await newContact(org.write, { name: 'Boss', default: true });
      await fill('Basket');
      await box('Operations · Slack (default)').uncheck();
      expect(await sent()).toContain('?alerts=none');
      await create('Basket');
      expect((await alerts()).map(({ contact_id }) => contact_id)).toEqual([boss]);
    });

    it('has no alert if all contacts are unchecked, and the form shows this', async () => {
      await newContact(org.write, { default: true });
      await fill('Basket');
      await box('Operations · Slack (default)').uncheck();
      await page.getByText('No one is notified when it goes down.').waitFor();
      await create('Basket');
      expect(await alerts()).toEqual([]);
    });

    it('is created once if one of its alerts fails, which is shown and tried again', async () => {
      const operations = await newContact(org.write);
      await fill('Basket');
      await box('Operations · Slack').check();
      await page.route('**/api/v1/alerts', (route) => route.abort());
      await page.getByRole('button', { name: 'Add endpoint' }).click();
      const missing = page.getByRole('alert');
      await missing.getByText('Basket is monitored, but some of its alert rules could not be created:').waitFor();
      await missing.getByText('Operations: The service cannot be reached.').waitFor();
      expect(await visit.barriers()).toEqual([]);
      await page.unroute('**/api/v1/alerts');
      await missing.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'Basket' }).waitFor();
      expect((await alerts()).map(({ contact_id }) => contact_id)).toEqual([operations]);
      const { body } = await org.write.get<{ name: string }[]>(`/websites/${website}/endpoints`);
      expect(body.map(({ name }) => name).sort()).toEqual(['Basket', 'Checkout']);
    });

    it('is created with a new website in one request, with the alerts of its default contacts', async () => {
      const operations = await newContact(org.write, { default: true });
      await visit.open('/new');
      await page.getByLabel('URL, host, or host:port').fill('https://blog.example.com');
      await box('Operations · Slack (default)').waitFor();
      await create('blog.example.com');
      expect((await alerts()).map(({ contact_id }) => contact_id)).toEqual([operations]);
    });

    it('warns that no one is notified while there is no contact, with a link to create one', async () => {
      await open('/new');
      await page.getByText('No one is notified when it goes down until it has an alert rule.').waitFor();
      expect(await page.getByRole('link', { name: 'create a contact' }).getAttribute('href')).toBe('#/contacts/new');
    });

    it('searches for contacts if there are many, and shows the default ones as boxes', async () => {
      await newContact(org.write, { default: true });
      for (const name of ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'])
        await newContact(org.write, { name: `Team ${name}` });
      await fill('Basket');
      // The checkboxes appear with the contacts. On a busy machine, those may be requested after the page seemed to
      // have settled.
      await box('Operations · Slack (default)').waitFor();
      expect(await page.getByRole('group', { name: 'Contacts to notify' }).getByRole('checkbox').count()).toBe(1);
      await page.getByRole('combobox', { name: 'More contacts' }).fill('team');
      await page.getByRole('option', { name: 'Team C · Slack' }).click();
      await page.getByRole('list', { name: 'More contacts: chosen' }).getByText('Team C · Slack').waitFor();
      await create('Basket');
      expect((await alerts()).length).toBe(2);
    });
  });

  describe('lists', () => {
    const rule = (text: string) => page.getByRole('row').filter({ hasText: text });

    it('names the contact of each rule, and is filtered to one by its URL', async () => {
      const [operations, boss] = [await newContact(org.write), await newContact(org.write, { name: 'Boss' })];
      for (const contact_id of [operations, boss])
        expect((await org.write.post('/alerts', { endpoint_id: endpoint, contact_id, after: 600 })).status).toBe(201);
      await newAlert(org.write, endpoint, { remind_every: 5400 });
      await open(`/alerts?contact=${boss}`);
      await page.getByText('1 of 3 alert rules').waitFor();
      await rule('Boss').waitFor();
      await rule('after 3 failures and 10 min, resolved after 2 successes').waitFor();

      const filter = page.getByLabel('Contact', { exact: true });
      expect(await filter.locator('option').allTextContents()).toEqual([
        'Every contact',
        'Boss',
        'Operations',
        'No contact',
      ]);
      await filter.selectOption('No contact');
      await rule('reminds every 1 h 30 min').waitFor();
      expect(await page.getByRole('table').getByRole('row').count()).toBe(2);
      await page.getByRole('searchbox', { name: 'Search alert rules' }).fill('operations');
      await page.getByText('No alert rules match.').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.getByText('3 alert rules', { exact: true }).waitFor();
      expect(page.url()).not.toContain('contact=');
      await page.getByRole('searchbox', { name: 'Search alert rules' }).fill('operations');
      await page.getByText('1 of 3 alert rules').waitFor();
    });

    it('shows that a contact in the filter is deleted, and matches nothing', async () => {
      await newAlert(org.write, endpoint);
      await open('/alerts?contact=ct_01jd3k6q7be5y9x4v2m8n0r1st');
      await page.getByText('No alert rules match.').waitFor();
      expect(await page.getByLabel('Contact', { exact: true }).locator('option:checked').textContent()).toBe(
        'Deleted contact',
      );
    });

    it('marks reminders among the messages of an alert, with their number', async () => {
      const alert = await newAlert(org.write, endpoint);
      const at = new Date();
      await app.app.get(Database).query(
        `INSERT INTO notification (id, org_id, alert_id, event_id, kind, incident_no, channel_type, destination, notice, state,
                                   attempts, next_attempt_at, last_attempt_at, response_status, created_at, finished_at,
                                   reminder_of, ordinal)
         SELECT $1, org_id, id, NULL, 'reminder', 1, 'slack', 'x', '{}', 'delivered', 1, $2, $2, 200, $2, $2, $3, 3
           FROM alert WHERE org_id = $4`,
        [newUuid(), at, newUuid(), org.orgId],
      );
      await open(`/alerts/${alert}`);
      await page.getByRole('region', { name: 'Deliveries' }).getByText('Reminder 3').waitFor();
      expect(await visit.barriers()).toEqual([]);
    });

    it('shows a read key the contact of an alert, and offers no changes', async () => {
      const contact = await newContact(org.write);
      const { id } = (await org.write.post<{ id: string }>('/alerts', { endpoint_id: endpoint, contact_id: contact }))
        .body;
      const reader = await Visit.start(browser, app.url, { width: 360 });
      await reader.signIn(org.read.key ?? '');
      await reader.open(`/alerts/${id}`);
      await reader.page.locator('.head').getByRole('link', { name: 'Operations' }).waitFor();
      expect(await reader.page.getByLabel('Notify through').count()).toBe(0);
      expect(await reader.overflow()).toBe(0);
      await reader.close();
    });
  });

  it('shows that an endpoint was acknowledged with the link in a message', async () => {
    await app.app.get(Database).query(
      `INSERT INTO acknowledgement (endpoint_id, org_id, by_name, at, note)
       SELECT id, org_id, 'link', now(), 'On it' FROM endpoint WHERE org_id = $1`,
      [org.orgId],
    );
    await open(`/endpoints/${endpoint}`);
    const banner = page.locator('.notice', { hasText: 'Acknowledged by' });
    expect(await banner.textContent()).toMatch(
      /^Acknowledged by someone at .*, using the link in a message, until it is up/,
    );
  });

  it.each(['light', 'dark'] as const)(
    'has no accessibility errors in the forms, %s, and fits in 360 pixels',
    async (colorScheme) => {
      await newContact(org.write, { default: true });
      await newContact(org.write, PAGER);
      const phone = await Visit.start(browser, app.url, { colorScheme, width: 360 });
      await phone.signIn(org.write.key ?? '');
      for (const path of [`/alerts/new?endpoint_id=${endpoint}`, '/new', '/alerts', `/endpoints/${endpoint}`]) {
        await phone.open(path);
        await phone.page.locator('main h1').first().waitFor({ state: 'attached' });
        await phone.settled();
        expect([path, await phone.overflow(), await phone.barriers()]).toEqual([path, 0, []]);
      }
      await phone.close();
    },
  );
});
