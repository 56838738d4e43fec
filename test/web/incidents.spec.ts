import type { Browser, Page } from 'playwright-core';
import type { IncidentDetails } from '../../web/src/api/types';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { eventually } from '../../packages/testing/eventually';
import { launchBrowser, Visit } from './browser';
import { showcase } from './showcase';
import { addIncidents, addOutage } from './showcase-incidents';

jest.setTimeout(120_000);

describe('incidents in the dashboard', () => {
  let app: TestApp;
  let browser: Browser;
  let ids: Map<string, string>;
  let past: Map<string, string>;
  let outage: string;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    ids = await showcase(app);
    past = await addIncidents(app, ids);
    outage = await addOutage(app, ids);
    const groups = [{ name: 'API', endpoints: [], websites: [ids.get('Public API')] }];
    const shown = { title: 'API status', slug: 'api', enabled: true, groups };
    ids.set('API status', (await app.write.post<{ id: string }>('/status-pages', shown)).body.id);
    browser = await launchBrowser();
    // Pages of the dashboard are one document, so opening another page loads nothing again.
    visit = await Visit.start(browser, app.url);
    page = visit.page;
    await visit.signIn(app.write.key ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });
  afterEach(() => {
    // Chromium logs each response that refuses a form.
    expect(visit.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });

  const read = async (id: string) => (await app.read.get<IncidentDetails>(`/incidents/${id}`)).body;
  const main = () => page.getByRole('main');
  const entry = (text: string) => page.locator('.timeline > li', { hasText: text });
  const member = (name: string) => page.locator('.members > li', { hasText: name });
  const open = async (path: string) => {
    await visit.open(path);
    await visit.settled();
  };

  it('are reached with g i, the open ones first, then the incidents of each day, and counted in the navigation', async () => {
    await page.getByRole('region', { name: 'Overall status' }).waitFor({ state: 'attached' });
    await page
      .getByRole('region', { name: 'Overall status' })
      .getByText(/^Incident #/)
      .first()
      .waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('heading', { name: 'Yesterday' }).waitFor();
    await page.getByRole('link', { name: 'Incidents 2 open' }).waitFor();
    const first = main().getByRole('listitem').first();
    expect(await first.textContent()).toMatch(
      /5 endpoints at 198.51.100.24 are down: connection refused.*#5 · 4 of 5 down · acknowledged by On call.*Public.*Identified.*23 min/s,
    );
    await main()
      .getByRole('listitem')
      .filter({ hasText: 'Office uplink was down' })
      .getByText('reopened 3 times')
      .waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByText('Down for 23 min').waitFor();
    expect(await page.title()).toBe('(5) 5 endpoints at 198.51.100.24 are down: connection refused · Uptime');
  });

  it('show which endpoints joined and left and the updates, and accept another update for customers, with the page that shows it', async () => {
    await open(`/incidents/${outage}`);
    await entry('Storefront recovered').waitFor();
    await entry('REST v2, REST v1 (deprecated) and Webhooks went down').getByText('was refused').waitFor();
    await member('Search').getByText('Acknowledged').waitFor();
    expect(await visit.barriers()).toEqual([]);
    // Three steps: the text, the audience, send.
    await page.keyboard.press('u');
    await page.keyboard.type('The second balancer is in service.');
    await page.getByLabel('Customers see this').check();
    const preview = page.locator('.public-preview');
    await preview.getByRole('link', { name: 'API status' }).waitFor();
    await preview.getByText('REST v2 and 2 more are down').waitFor();
    expect(await preview.textContent()).not.toMatch(/Search|198\.51|Rack 4/);
    await page.getByRole('button', { name: 'Publish' }).click();
    await entry('The second balancer is in service.').getByText('Customers see this').waitFor();
    expect((await read(outage)).updates[0]).toMatchObject({ public: true, status: null });
  });

  it('cannot be resolved while something is down, and name it', async () => {
    await page.getByLabel('What do you know?').fill('All is well.');
    await page.getByRole('button', { name: 'Resolved' }).click();
    await page.getByRole('button', { name: 'Post' }).click();
    const refusal = page.getByRole('alert').filter({ hasText: 'still down' });
    expect(await refusal.textContent()).toMatch(/REST v1 \(deprecated\), Search and Webhooks are still down|REST v2/);
    await page.getByRole('button', { name: 'Resolved' }).click();
    await page.getByLabel('What do you know?').fill('Not yet: a note for us.');
    await page.getByRole('button', { name: 'Post' }).click();
    await entry('Not yet: a note for us.').getByText('Internal').waitFor();
    expect((await read(outage)).status).toBe('identified');
  });

  it('can be corrected: a text, a name, and endpoints that are split off and merged again', async () => {
    await entry('Not yet').getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Text').fill('A note, corrected.');
    await page.getByRole('button', { name: 'Save' }).click();
    await entry('A note, corrected.').getByText('edited').waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Title').fill('Load balancer');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Load balancer' }).waitFor();

    const { number } = await read(outage);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Split off 1' }).click();
    await page.getByText(`#${number + 1}`).waitFor();
    expect((await read(outage)).endpoint_count).toBe(4);

    await open('/incidents');
    await page.getByRole('button', { name: 'Select' }).click();
    await page.getByLabel('Select Load balancer').check();
    await page.getByLabel(/^Select REST v1/).check();
    await page.getByLabel('Merge into').selectOption({ label: `Into #${number}: Load balancer` });
    await page.getByRole('button', { name: 'Merge' }).click();
    await page.getByRole('heading', { name: 'Load balancer' }).waitFor();
    expect(await read(outage)).toMatchObject({ endpoint_count: 5, open_count: 4, cause: { kind: 'people' } });
  });

  it('are acknowledged with a, live in every window, and opened from the endpoint', async () => {
    const [payments, id] = [ids.get('Payments API'), past.get('#4') ?? ''];
    await open(`/endpoints/${payments}`);
    await page.getByRole('link', { name: 'Incident #4' }).click();
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor();
    await visit.settled();
    await page.keyboard.press('a');
    await page.getByLabel('Note (optional)').fill('Restarting the workers');
    await page.keyboard.press('Enter');
    await page.locator('.notice', { hasText: 'Acknowledged by' }).getByText('Restarting the workers').waitFor();
    await app.admin.post(`/incidents/${id}/updates`, { text: 'Workers are back.', status: 'monitoring' });
    await entry('Workers are back.').getByText('Monitoring').waitFor();
  });

  it('are created manually for problems that no check sees, and end when a person resolves them', async () => {
    await open('/incidents/new');
    await page.getByLabel('Title').fill('Deliveries are late');
    await page.getByLabel('Affects').selectOption('Everything');
    await page.getByLabel('What do you know? (optional)').fill('A courier is on strike.');
    await page.locator('.public-preview').getByText('Deliveries are late').waitFor();
    await page.getByRole('button', { name: 'Open incident' }).click();
    await page.getByText('Created manually. It does not affect uptime').waitFor();
    await page.getByLabel('What do you know?').fill('They are back at work.');
    await page.getByRole('button', { name: 'Resolved' }).click();
    await page.getByRole('button', { name: 'Post' }).click();
    await page.getByText(/^Ended after/).waitFor();
  });

  it('are shown on the status page as its customers see them, with a way to publish a missing update', async () => {
    await open(`/status-pages/${ids.get('API status')}`);
    const card = page.locator('.page-incidents > div', { hasText: 'Load balancer' });
    await card.getByText('The second balancer is in service.').waitFor();
    await card.getByRole('link', { name: 'Write an update' }).click();
    await eventually('the box is for customers', () => page.getByLabel('Customers see this').isChecked());
    await open(`/status-pages/${ids.get('API status')}`);
    const feed = page.getByRole('heading', { name: 'Past incidents that customers see' }).locator('..');
    await feed.getByText('Deliveries are late').waitFor();
    await page.getByRole('button', { name: 'Earlier' }).click();
    await feed.getByText(/^No incidents were published in/).waitFor();
  });

  it('show that nothing is down if none is open', async () => {
    const other = await Visit.start(browser, app.url, { width: 320 });
    await other.signIn((await app.organization('Calm')).read.key ?? '');
    await other.open('/incidents');
    await other.page.getByRole('heading', { name: 'Nothing is down.' }).waitFor();
    expect([await other.overflow(), other.complaints]).toEqual([0, []]);
    expect(await other.page.getByRole('link', { name: 'New incident' }).count()).toBe(0);
    await other.close();
  });
});
