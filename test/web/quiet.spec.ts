import type { Browser, Page } from 'playwright-core';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { eventually } from '../../packages/testing/eventually';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

describe('acknowledged, degraded, tagged, or dependent endpoints, in the dashboard', () => {
  let app: TestApp;
  let browser: Browser;
  let target: SwitchableServer;
  let visit: Visit;
  let page: Page;
  let shop: string;

  beforeAll(async () => {
    target = await SwitchableServer.start();
    app = await startOwnApp();
    browser = await launchBrowser();
    const website = { name: 'Example shop', url: target.url, tags: ['prod'] };
    shop = (await app.write.post<{ id: string }>('/websites', website)).body.id;
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
    await target.close();
  });
  beforeEach(async () => {
    target.status = 200;
    visit = await Visit.start(browser, app.url);
    page = visit.page;
    await visit.signIn(app.write.key ?? '');
  });
  afterEach(async () => {
    expect(visit.complaints).toEqual([]);
    await visit.close();
  });

  const made = async (name: string, more: object = {}): Promise<string> => {
    const body = { name, type: 'HTTP', url: `${target.url}/${name}`, interval: 1, timeout: 2, ...more };
    const response = await app.write.post<{ id: string }>(`/websites/${shop}/endpoints`, body);
    expect([response.status, response.text]).toEqual([201, expect.any(String)]);
    return response.body.id;
  };
  const row = (name: string) => page.locator('.row', { has: page.getByRole('link', { name, exact: true }) });

  it('acknowledges an endpoint that is down, with a note, shows who acknowledged it, and takes it back', async () => {
    target.status = 503;
    const id = await made('Payments');
    await visit.open(`/endpoints/${id}`);
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Acknowledge Payments' });
    await dialog.getByLabel('Note (optional)').fill('Restarting the workers');
    await dialog.getByLabel('Until').selectOption('3600');
    await dialog.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    const banner = page.locator('.notice', { hasText: 'Acknowledged by' });
    await banner.getByText('Restarting the workers').waitFor();
    expect(await page.getByRole('button', { name: 'Acknowledge', exact: true }).count()).toBe(0);
    const { body } = await app.read.get<{ note: string; until: string; by: string }>(
      `/endpoints/${id}/acknowledgement`,
    );
    expect(body.note).toBe('Restarting the workers');
    expect(await banner.textContent()).toContain(body.by);

    await visit.open('/');
    await row('Payments')
      .getByTitle(/Acknowledged by .* until .*: Restarting the workers$/)
      .waitFor();
    await visit.open(`/endpoints/${id}`);
    await page.getByRole('button', { name: 'Remove acknowledgement' }).click();
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).waitFor();
    expect((await app.read.get(`/endpoints/${id}/acknowledgement`)).status).toBe(404);
  });

  it('shows without a reload that another user acknowledged it, and that this ends when it is up', async () => {
    target.status = 503;
    const id = await made('Basket');
    await row('Basket').locator('.status-mark.down').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.evaluate('window.marked = true');
    await app.admin.put(`/endpoints/${id}/acknowledgement`, { note: 'On it' });
    const mark = row('Basket').getByText('Acknowledged');
    await mark.waitFor();
    target.status = 200;
    await row('Basket').locator('.status-mark.up').waitFor();
    await mark.waitFor({ state: 'detached' });
    expect(await page.evaluate('window.marked')).toBe(true);
  });

  it('shows an endpoint that is up with a failing warning as degraded, in a word and with its text, and finds it by status', async () => {
    const id = await made('Slow', {
      assertions: [
        { source: 'header', property: 'X-Ready', comparison: 'exists', target: 'true', severity: 'warning' },
      ],
    });
    await row('Slow').locator('.status-mark.degraded', { hasText: 'Degraded' }).waitFor();
    await eventually('its beats are of the kind degraded', async () =>
      Boolean(await row('Slow').locator('.b-degraded').getAttribute('d')),
    );
    await page
      .getByRole('group', { name: 'Filter by status' })
      .getByRole('button', { name: /Degraded/ })
      .click();
    expect(page.url()).toContain('status=degraded');
    expect(await page.locator('.row').count()).toBe(1);
    await visit.open(`/endpoints/${id}`);
    await page.locator('.head .status.degraded').waitFor();
    await page.locator('.head strong', { hasText: /x-ready/i }).waitFor();
    await page.getByRole('region', { name: 'Recent checks' }).locator('.status.degraded').first().waitFor();
  });

  it('sets tags, a dependency and a warning in the form, links them on the endpoint’s page and filters by them', async () => {
    const database = await made('Database');
    await visit.open(`/new?website_id=${shop}`);
    await page.getByLabel('URL, host, or host:port').fill(`${target.url}/front`);
    await page.getByLabel('Name', { exact: true }).fill('Front');
    await page.getByText('Conditions for up').click();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Otherwise, of condition 1').selectOption('warning');
    await page.getByText('Tags and dependencies').click();
    await page.getByLabel('Tags (optional)').fill('Web, team:shop');
    await page.getByRole('combobox', { name: 'Depends on' }).fill('database');
    await page.getByRole('option', { name: 'Database' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('heading', { name: 'Front' }).waitFor();
    const id = /ep_\w+/.exec(page.url())?.[0];
    expect((await app.read.get(`/endpoints/${id}`)).body).toMatchObject({
      tags: ['team:shop', 'web'],
      depends_on: [database],
      assertions: [{ severity: 'warning' }],
    });
    await page.getByRole('link', { name: 'Database' }).waitFor();
    await page.getByRole('link', { name: 'team:shop' }).click();
    await row('Front').waitFor();
    expect(page.url()).toContain('tag=team');
    expect(await page.locator('.row').count()).toBe(1);
    // The website's tag is a tag of all its endpoints.
    const tags = page.getByRole('group', { name: 'Filter by tag' });
    await tags.getByRole('button', { name: 'prod', exact: true }).click();
    await row('Database').waitFor();
  });

  it('warns 14 days before a certificate expires, for HTTP and HTTPS only, until another number is chosen', async () => {
    await visit.open(`/new?website_id=${shop}`);
    const days = page.getByLabel('Warn before expiry (days, optional)');
    await page.getByLabel('URL, host, or host:port').fill('tcp://127.0.0.1:5432');
    await eventually('it is for HTTPS only', async () => (await days.count()) === 0);
    await page.getByLabel('URL, host, or host:port').fill('https://shop.example.com');
    await page.getByText('TLS', { exact: true }).click();
    expect(await days.inputValue()).toBe('14');
    await days.fill('30');
    expect(await page.getByLabel('curl command').textContent()).toMatch(/"warn_days": 30/);
  });

  it('creates an alert that notifies when the endpoint is degraded, and shows this in the rule', async () => {
    const id = await made('Reports', { enabled: false });
    await visit.open(`/alerts/new?endpoint_id=${id}`);
    await page.getByLabel('Notify when it is', { exact: true }).selectOption('degraded');
    await page.getByLabel('URL', { exact: true }).fill(`${target.url}/hook`);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('shown only once').waitFor();
    const { body } = await app.read.get<{ condition: string }[]>(`/alerts?endpoint_id=${id}`);
    expect(body.map(({ condition }) => condition)).toEqual(['degraded']);
    await visit.open(`/endpoints/${id}`);
    await page.getByText('after 2 failures or warnings').waitFor();
  });
});
