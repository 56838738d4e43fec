import type { Browser } from 'playwright-core';
import type { AlertView } from '../../src/alert/alert.dto';
import { HistoryWriter } from '../../src/history/write/history-writer';
import { RollupJob } from '../../src/history/rollup/rollup.job';
import { Database } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { recorded } from '../harness/app/history';
import { newAlert, newContact, newEndpoint, newWebsite } from '../harness/app/resources';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(60_000);

const PAGER = { type: 'pagerduty', config: { routing_key: '0123456789abcdef0123456789abcdef' } };
const DAY = 86_400_000;

type Told = [contact: string, after: number, remindEvery: number | null];

describe('the escalation and the website page', () => {
  let app: TestApp;
  let browser: Browser;
  let visit: Visit;
  let website: string;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    [app, browser] = await Promise.all([startOwnApp({ role: 'api' }), launchBrowser()]);
    website = await newWebsite(app.write, 'Shop');
    for (const name of ['Checkout', 'Search'])
      ids[name] = await newEndpoint(app.write, website, { name, url: `https://shop.example.com/${name}` });
    await app.write.put(`/endpoints/${ids['Search']}`, { tags: ['prod'] });
    ids['On call'] = await newContact(app.write, { name: 'On call', ...PAGER });
    ids['Team'] = await newContact(app.write, { name: 'Team' });
    ids['Manager'] = await newContact(app.write, { name: 'Manager' });
    visit = await Visit.start(browser, app.url);
    await visit.signIn(app.write.key ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  const alertsOf = async (endpoint: string): Promise<Told[]> => {
    const { body } = await app.write.get<AlertView[]>(`/alerts?endpoint_id=${ids[endpoint]}`);
    const nameOf = (id: string | null) => Object.keys(ids).find((name) => ids[name] === id) ?? '';
    return body
      .map(({ contact_id, after, remind_every }): Told => [nameOf(contact_id), after, remind_every])
      .sort(([a], [b]) => a.localeCompare(b));
  };

  it('is created in five inputs, from the endpoint to the saved escalation', async () => {
    const { page } = visit;
    await visit.open(`/endpoints/${ids['Checkout']}`);
    await page.getByRole('link', { name: 'Escalation', exact: true }).click();
    await page.getByRole('button', { name: 'Notify On call at once' }).click();
    await page.getByRole('button', { name: 'Notify Team at once' }).click();
    await page.getByRole('button', { name: 'Notify Manager after 30 min' }).click();
    await page.getByText('Checkout notifies On call and Team at once, Manager after 30 min.').waitFor();
    await page.getByText('Saving creates 3 alert rules, changes none, removes none.').waitFor();
    const save = page.getByRole('button', { name: 'Save' });
    const [steps, below] = [await page.locator('.escalation').boundingBox(), await save.boundingBox()];
    expect(below?.y).toBeGreaterThan((steps?.y ?? 0) + (steps?.height ?? Infinity));
    await save.click();
    await page.getByText('No changes. The alert rules already match.').waitFor();
    expect(await alertsOf('Checkout')).toEqual([
      ['Manager', 1800, null],
      ['On call', 0, null],
      ['Team', 0, null],
    ]);
  });

  it('of a website unifies the alerts of its endpoints, and keeps their other settings and alerts without a contact', async () => {
    const { page } = visit;
    await newAlert(app.write, ids['Search'] ?? '', {
      type: undefined,
      config: undefined,
      contact_id: ids['Team'],
      remind_every: 3600,
    });
    await newAlert(app.write, ids['Search'] ?? '', { description: 'its own' });
    await visit.open(`/escalation/${website}`);
    await page.getByText('1 of 2 endpoints has different alert rules.').waitFor();
    await page.getByText('1 alert rule with settings that are not from a contact').waitFor();
    await page.getByRole('button', { name: 'Remove On call at once' }).click();
    await page.getByRole('button', { name: 'Remove Team at once' }).click();
    const last = page.getByLabel('Minutes').last();
    await last.fill('10');
    await page.getByRole('button', { name: 'Notify Team after 10 min' }).click();
    const minutes = await page.getByLabel('Minutes').all();
    expect(await Promise.all(minutes.map((each) => each.inputValue()))).toEqual(['10', '30', '60']);
    await page.getByText('Saving creates 1 alert rule, changes 2, removes 1.').waitFor();
    await page.getByText('Removed: On call at once').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No changes. The alert rules already match.').waitFor();
    expect(await alertsOf('Search')).toEqual([
      ['', 0, null],
      ['Manager', 1800, null],
      ['Team', 600, 3600],
    ]);
    expect(await alertsOf('Checkout')).toEqual([
      ['Manager', 1800, null],
      ['Team', 600, null],
    ]);
    await page.getByRole('combobox', { name: 'Escalation of' }).fill('prod');
    await page.getByRole('option', { name: 'prod (tag, 1)' }).click();
    await page.getByText('prod notifies Team after 10 min, Manager after 30 min.').waitFor();
    expect(page.url()).toContain('#/escalation?tag=prod');
    expect(await visit.barriers()).toEqual([]);
  });

  it("shows the website's status, each of its days, its outages, and who is notified, and is edited in place", async () => {
    const { page } = visit;
    const [row] = await app.app
      .get(Database)
      .query<{ key: string }>('SELECT key FROM endpoint WHERE id = $1', [parseId('endpoint', ids['Search'] ?? '')]);
    const search = { id: parseId('endpoint', ids['Search'] ?? '') ?? '', key: row?.key ?? '' };
    const yesterday = Math.floor(Date.now() / DAY) * DAY - DAY;
    const writer = app.app.get(HistoryWriter);
    await app.app.get(Database).transaction(async (tx) => {
      await writer.write(
        tx,
        [0, 1, 2, 3].map((n) => recorded(search, new Date(yesterday + n), n === 0 ? 'down' : 'up', 10)),
      );
      await writer.outages(
        tx,
        [{ endpointKey: search.key, startedAt: new Date(yesterday), error: 'internal', message: 'No luck.' }],
        [{ endpointKey: search.key, endedAt: new Date(yesterday + 60_000) }],
      );
    });
    await app.app.get(RollupJob).run();
    await visit.open(`/websites/${website}`);
    await page.getByRole('region', { name: 'State of the website' }).waitFor();
    await page.getByRole('list', { name: 'Endpoints' }).getByRole('link', { name: 'Search' }).waitFor();
    await page.getByText('Team after 10 min, Manager after 30 min.').waitFor();
    await page.getByText('No luck.').waitFor();
    const calendar = page.getByRole('slider', { name: 'Days of Shop' });
    expect(await calendar.getAttribute('aria-valuetext')).toContain('75');
    // The four checks are a small part of each window.
    expect(await page.locator('.tiles dd').allTextContents()).toEqual([
      '–',
      '75.0% based on 14% of 7 days, the rest was not monitored',
      '75.0% based on 3% of 30 days, the rest was not monitored',
      '75.0% based on 1% of 90 days, the rest was not monitored',
      '75.0% based on less than 1% of 1 year, the rest was not monitored',
      '1',
    ]);

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Name').fill('The shop');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'The shop', exact: true }).waitFor();
    expect([await visit.barriers(), visit.complaints]).toEqual([[], []]);
  });
});
