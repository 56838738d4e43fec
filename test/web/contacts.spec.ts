import type { Browser, Page } from 'playwright-core';
import { Database } from '../../src/platform/database/database';
import { newUuid, parseId } from '../../src/platform/ids/id';
import type { Alert, Contact } from '../../web/src/api/types';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { eventually } from '../../packages/testing/eventually';
import { newAlert, newContact, newEndpoint, newWebsite } from '../harness/app/resources';
import { FakeProvider } from '../../packages/testing/servers/fake-provider';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

const MINUTE = 60_000;

describe('contacts in the dashboard', () => {
  let app: TestApp;
  let browser: Browser;
  let provider: FakeProvider;
  let shop: string;
  let checkout: string;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    // Only tests are sent. Messages of alerts are inserted as the service would store them.
    [app, provider] = await Promise.all([startOwnApp({ role: 'api' }), FakeProvider.start()]);
    browser = await launchBrowser();
    shop = await newWebsite(app.write, 'Example shop');
    checkout = await newEndpoint(app.write, shop);
    await newEndpoint(app.write, shop, { name: 'Search', tags: ['prod'] });
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
  });
  afterEach(async () => {
    // Chromium logs each response that refuses a form.
    expect(visit.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
    await visit.close();
    for (const { id } of (await app.read.get<Alert[]>('/alerts')).body) await app.write.delete(`/alerts/${id}`);
    for (const { id } of await contacts()) await app.write.delete(`/contacts/${id}`);
  });

  const contacts = async (): Promise<Contact[]> => (await app.read.get<Contact[]>('/contacts')).body;
  const contact = async (id: string): Promise<Contact> => (await app.read.get<Contact>(`/contacts/${id}`)).body;
  const open = async (path: string): Promise<void> => {
    await visit.open(path);
    await visit.settled();
  };
  const errors = () => page.locator('.field > .error').allTextContents();
  const row = (name: string) =>
    page.getByRole('region', { name: 'Contacts' }).getByRole('row').filter({ hasText: name });
  const webhook = (path = '/hook') => ({ type: 'webhook', config: { url: `${provider.url}${path}` } });

  /** Creates an alert on the checkout endpoint that notifies through the contact. */
  const used = (contact_id: string): Promise<string> =>
    newAlert(app.write, checkout, { type: undefined, config: undefined, contact_id });

  /** Writes the result of sending the newest message of an alert. */
  async function sent(
    alertId: string,
    state: 'delivered' | 'failed',
    error: string | null,
    failingFor = 0,
    attempts = failingFor === 0 ? 0 : 1,
  ) {
    const database = app.app.get(Database);
    const at = new Date(Date.now() - 2 * MINUTE);
    await database.query(
      `INSERT INTO notification (id, org_id, alert_id, contact_id, kind, incident_no, channel_type, destination, notice, state,
                                 detail, error, attempts, next_attempt_at, last_attempt_at, created_at, finished_at)
       SELECT $1, org_id, id, contact_id, 'triggered', 1, type, destination, '{}', $3, $4, $5, 1, $6, $6, $6, $6
         FROM alert WHERE id = $2`,
      [newUuid(at.getTime()), parseId('alert', alertId), state, state === 'failed' ? 'rejected' : null, error, at],
    );
    await database.query(
      `INSERT INTO notification_destination (org_id, channel_type, destination, failing_since, failures, last_failed_at)
       SELECT org_id, type, destination, $2, $3, $4 FROM alert WHERE id = $1
           ON CONFLICT (org_id, destination) DO UPDATE SET failing_since = EXCLUDED.failing_since,
             failures = EXCLUDED.failures, last_failed_at = EXCLUDED.last_failed_at`,
      [parseId('alert', alertId), failingFor === 0 ? null : new Date(Date.now() - failingFor), attempts, at],
    );
  }

  describe('the list', () => {
    it('is reached with g c and from the alerts, and explains what a contact is for and how to add the first one', async () => {
      await page.keyboard.press('g');
      await page.keyboard.press('c');
      await page.getByText('Set up a channel (such as a chat or a pager) once').waitFor();
      expect(await page.title()).toBe('Contacts · Uptime');
      await open('/alerts');
      await page.getByRole('navigation', { name: 'Alerts' }).getByRole('link', { name: 'Contacts' }).click();
      await page.getByRole('link', { name: 'Add the first contact' }).click();
      await page.getByRole('heading', { name: 'New contact' }).waitFor();
    });

    it("shows each contact's receiver, how many alerts use it, and which one new endpoints get", async () => {
      const id = await newContact(app.write, { default: true });
      await newContact(app.write, { name: 'Night shift', type: 'email', config: { to: ['night@example.com'] } });
      await used(id);
      await used(id);
      await open('/contacts');
      await row('Operations').getByText('Slack · hooks.slack.com').waitFor();
      await row('Operations').getByText('Default', { exact: true }).waitFor();
      await row('Operations').getByText('No messages yet', { exact: true }).waitFor();
      expect(await row('Operations').getByRole('link', { name: '2 alert rules' }).getAttribute('href')).toBe(
        `#/alerts?contact=${id}`,
      );
      await row('Night shift').getByText('Email · night@example.com').waitFor();
      await row('Night shift').getByText('no alert rule').waitFor();
      expect(await row('Night shift').getByText('Default', { exact: true }).count()).toBe(0);
    });

    it('shows on the overview how many contacts cannot be reached, and which for the longest time', async () => {
      const names = ['Night shift', 'Pager', 'Backup'];
      for (const [n, name] of names.entries()) {
        const id = await newContact(app.write, { name, ...webhook(`/${n}`) });
        await sent(
          await used(id),
          'failed',
          'The webhook answered 410',
          ((n === 2 ? 1 : 9 - n) * 24 * 60 + 10) * MINUTE,
          3,
        );
      }
      // The visit started on the overview, which is refreshed every five minutes.
      await open('/contacts');
      await open('/');
      const line = page.getByRole('status').filter({ hasText: 'have been failing' });
      expect(await line.textContent()).toBe(
        '3 contacts cannot be reached. Messages to Night shift have been failing for 9 d.',
      );
      expect(await visit.barriers()).toEqual([]);
      await line.getByRole('link', { name: 'Night shift' }).click();
      await page.getByText(/^Messages through this contact have been failing since /).waitFor();
    });

    it('shows a failing contact first, with the time and the reason, and shows that the other one delivers', async () => {
      const [fine, broken] = [
        await newContact(app.write),
        await newContact(app.write, { name: 'Night shift', ...webhook() }),
      ];
      await sent(await used(fine), 'delivered', null);
      await sent(await used(broken), 'failed', 'The webhook answered 410', 65 * MINUTE);
      await open('/contacts');
      await row('Operations').getByText('Working', { exact: true }).waitFor();
      await row('Night shift').getByText('Failing', { exact: true }).waitFor();
      await row('Night shift')
        .getByText(/^Failing since .*, for 1 h 5 min$/)
        .waitFor();
      await row('Night shift').getByText('The webhook answered 410').waitFor();
      await row('Night shift').getByText('Failed').waitFor();
      const names = await page
        .getByRole('region', { name: 'Contacts' })
        .locator('tbody a[href^="#/contacts/"]')
        .allTextContents();
      expect(names).toEqual(['Night shift', 'Operations']);

      await row('Night shift').getByRole('link', { name: 'Night shift' }).click();
      await page
        .getByText(/^Messages through this contact have been failing since .*The webhook answered 410$/)
        .waitFor();
    });
  });

  describe('a new contact', () => {
    it('is created with the keyboard only, as default, with reminders in hours, and its generated secret is shown once', async () => {
      await open('/contacts');
      await page.getByRole('link', { name: 'New contact' }).focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('Name', { exact: true }).focus();
      await page.keyboard.type('Operations');
      await page.getByLabel('URL', { exact: true }).focus();
      await page.keyboard.type(`${provider.url}/hook`);
      await page.getByLabel('Add this contact to new endpoints').focus();
      await page.keyboard.press('Space');
      await page.getByLabel('Failures in a row to trigger').fill('2');
      await page.getByLabel('Remind every', { exact: true }).fill('2');
      await page.getByLabel('Remind every: unit').selectOption('hours');
      await page.getByLabel('Wait before triggering', { exact: true }).fill('10');
      await page.getByLabel('Wait before triggering: unit').selectOption('minutes');
      expect(await page.getByLabel('curl command').textContent()).toContain('"remind_every": 7200');
      provider.expect({ status: 204 });
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The test message was delivered.').waitFor();
      await page.getByRole('button', { name: 'Create' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('shown only once').waitFor();
      await page.getByRole('heading', { name: 'Operations' }).waitFor();
      // Existing endpoints have no alert through it, so the page offers that.
      await page.getByText('Your 2 existing endpoints do not have one.').waitFor();
      await page.getByRole('button', { name: 'Add it to all 2' }).click();
      await page.getByText('2 alert rules created.').waitFor();

      const [made] = await contacts();
      expect(made).toMatchObject({
        name: 'Operations',
        type: 'webhook',
        default: true,
        alert_defaults: { failure_threshold: 2, success_threshold: 2, after: 600, remind_every: 7200 },
      });
      const path = new URL(page.url()).hash.slice(1);
      expect(path).toBe(`/contacts/${made?.id}`);
      await open('/contacts');
      await open(path);
      await page.getByRole('heading', { name: 'Operations' }).waitFor();
      expect(await page.getByText('shown only once').count()).toBe(0);
      expect(await page.getByLabel('Remind every', { exact: true }).inputValue()).toBe('2');
    });

    it('shows each error at its field, in the words of its label and its unit', async () => {
      await open('/contacts/new');
      await page.getByLabel('Failures in a row to trigger').fill('0');
      await page.getByLabel('Remind every', { exact: true }).fill('1');
      await page.getByLabel('Remind every: unit').selectOption('minutes');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('alert').waitFor();
      expect(await errors()).toEqual([
        expect.stringMatching(/^Name /),
        'URL is required',
        'Failures in a row to trigger must be at least 1',
        'At least 5 min',
      ]);
      expect(await page.getByRole('alert').textContent()).toBe('Some fields are not valid.');
      expect(await page.getByLabel('Name', { exact: true }).getAttribute('id')).toBe(
        await page.evaluate<string>('document.activeElement.id'),
      );
      expect(await contacts()).toEqual([]);
    });

    it('has no reminders of the service if the channel has its own', async () => {
      await open('/contacts/new');
      await page.getByLabel('Channel', { exact: true }).selectOption('PagerDuty');
      await page.getByText('PagerDuty sends its own reminders').waitFor();
      await page.getByLabel('Routing key', { exact: true }).waitFor();
    });
  });

  describe('a test', () => {
    it('shows its result on the page, and that unsaved changes were not included', async () => {
      const id = await newContact(app.write, webhook());
      provider.expect({ status: 204 }, { status: 403, body: 'no' });
      await open(`/contacts/${id}`);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The test message was delivered.').waitFor();
      expect(await page.getByText('The test used the saved settings').count()).toBe(0);
      await page.getByLabel('URL', { exact: true }).fill(`${provider.url}/other`);
      await page.getByText('The test used the saved settings, not your unsaved changes.').waitFor();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The test message was not delivered:').waitFor();
      expect(provider.requests.slice(-2).map(({ path }) => path)).toEqual(['/hook', '/hook']);
    });

    it('is sent from the list', async () => {
      await newContact(app.write, webhook('/list'));
      provider.expect({ status: 204 });
      await open('/contacts');
      await page.getByRole('button', { name: 'Send a test to Operations' }).click();
      await page.getByText('Operations: The test message was delivered.').waitFor();
      expect(provider.requests.at(-1)?.path).toBe('/list');
    });
  });

  describe('a contact that is changed', () => {
    it('keeps its masked credential, and explains the effect of another destination on its alerts before it is saved', async () => {
      const id = await newContact(app.write, webhook('/first'));
      await used(id);
      await open(`/contacts/${id}`);
      const hint = page.getByText('1 alert rule uses it. With another destination, open alerts are resolved');
      await page.getByLabel('Name', { exact: true }).fill('Day shift');
      expect(await hint.count()).toBe(0);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Day shift' }).waitFor();
      const { updated_at: _, ...before } = await contact(id);

      await page.getByLabel('URL', { exact: true }).fill(`${provider.url}/second`);
      await hint.waitFor();
      await page.getByLabel('Name', { exact: true }).fill('Late shift');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Late shift' }).waitFor();
      await hint.waitFor({ state: 'detached' });
      expect(await contact(id)).toMatchObject({ ...before, name: 'Late shift', config: expect.any(Object) });
      const { body } = await app.write.get<Contact>(`/contacts/${id}`);
      expect(body.config).toMatchObject({ url: `${provider.url}/second`, secret: expect.stringContaining('***') });
    });

    it('becomes a default, and then not a default', async () => {
      const id = await newContact(app.write);
      await open(`/contacts/${id}`);
      await page.getByLabel('Add this contact to new endpoints').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByTitle('New endpoints get an alert rule with this contact').waitFor();
      expect(await contact(id)).toMatchObject({ default: true, alert_defaults: {} });
      await page.getByLabel('Add this contact to new endpoints').uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByTitle('New endpoints get an alert rule with this contact').waitFor({ state: 'detached' });
      expect(await contact(id)).toMatchObject({ default: false });
    });
  });

  describe('a contact that is deleted', () => {
    const remove = () => page.locator('.head').getByRole('button', { name: 'Delete' }).click();

    it('is deleted without a question while no alert uses it', async () => {
      await open(`/contacts/${await newContact(app.write)}`);
      await remove();
      await page.getByText('No contacts yet').waitFor();
      await page.reload();
      await page.getByText('No contacts yet').waitFor();
      expect(await contacts()).toEqual([]);
    });

    it('explains that another contact is needed if there is none to take over its alerts', async () => {
      const id = await newContact(app.write);
      await used(id);
      await open(`/contacts/${id}`);
      await remove();
      const dialog = page.getByRole('dialog', { name: 'Delete Operations?' });
      await dialog
        .getByText('1 alert rule notifies through this contact, and there is no other contact to replace it.')
        .waitFor();
      expect(await visit.barriers()).toEqual([]);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      expect(await contacts()).toHaveLength(1);
    });

    it('moves its alerts to another contact that is chosen, with the keyboard only', async () => {
      const id = await newContact(app.write);
      const night = await newContact(app.write, { name: 'Night shift', ...webhook('/night') });
      const alerts = [await used(id), await used(id)];
      await open(`/contacts/${id}`);
      await page.locator('.head').getByRole('button', { name: 'Delete' }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Delete Operations?' });
      await dialog.getByText('2 alert rules notify through this contact.').waitFor();
      expect(await visit.barriers()).toEqual([]);
      await dialog.getByRole('button', { name: 'Replace and delete' }).click();
      expect(await errors()).toEqual(['Choose another contact']);
      await dialog.getByRole('combobox').focus();
      await page.keyboard.type('night');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await page.getByText('Operations is deleted. Its alert rules now notify through Night shift.').waitFor();
      expect((await contacts()).map(({ name, alert_count }) => [name, alert_count])).toEqual([['Night shift', 2]]);
      for (const alert of alerts)
        expect((await app.read.get<Alert>(`/alerts/${alert}`)).body).toMatchObject({
          contact_id: night,
          type: 'webhook',
        });
    });
  });

  it('is added to all endpoints with a tag: those without an alert through it get one, with its defaults', async () => {
    const id = await newContact(app.write, { alert_defaults: { failure_threshold: 5 } });
    await open(`/contacts/${id}`);
    await page.getByRole('button', { name: 'Add to endpoints…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add Operations to endpoints' });
    await dialog.getByText('after 5 failures, resolved after 2 successes').waitFor();
    await dialog.getByRole('button', { name: 'Add alert rules' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Tags').fill('Prod');
    await dialog.getByRole('button', { name: 'Add alert rules' }).click();
    await dialog.getByText('1 alert rule created.').waitFor();
    expect(await visit.barriers()).toEqual([]);
    await dialog.getByLabel('Endpoints that get it').selectOption('all');
    await dialog.getByRole('button', { name: 'Add alert rules' }).click();
    await dialog.getByText('1 alert rule created. 1 endpoint had one already.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: '2 alert rules' }).waitFor();
    const alerts = (await app.read.get<Alert[]>('/alerts')).body;
    expect(alerts.map(({ contact_id, failure_threshold }) => [contact_id, failure_threshold])).toEqual([
      [id, 5],
      [id, 5],
    ]);
  });

  it('shows a read-only key the receiver of a contact, and no button that changes or sends anything', async () => {
    const id = await newContact(app.write, { default: true, alert_defaults: { remind_every: 3600 } });
    const reader = await Visit.start(browser, app.url);
    await reader.signIn(app.read.key ?? '');
    for (const [path, text] of [
      ['/contacts', 'Slack · hooks.slack.com'],
      [`/contacts/${id}`, 'reminds every 1 h'],
      ['/contacts/new', 'You have read-only access.'],
    ] as const) {
      await reader.open(path);
      await reader.page.locator('main').getByText(text).waitFor();
      await reader.settled();
      expect(await reader.page.locator('main').locator('button, input, a.button').count()).toBe(0);
    }
    expect(reader.complaints).toEqual([]);
    await reader.close();
  });

  it('is loaded again when the user comes back to the window', async () => {
    await open('/contacts');
    await page.getByText('No contacts yet').waitFor();
    await newContact(app.write);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await eventually('the new contact is listed', async () => (await row('Operations').count()) === 1);
  });
});
