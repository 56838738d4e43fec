import type { Browser, Locator, Page } from 'playwright-core';
import type { EndpointView } from '../../src/endpoint/endpoint.dto';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

describe('a heartbeat in the dashboard', () => {
  let app: TestApp;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let address: string;

  const section = (title: string): Locator =>
    page.locator('.section', { has: page.getByRole('heading', { name: title, exact: true }) });
  const ping = async (path = '', body?: string): Promise<void> => {
    const response = await fetch(`${app.url}${new URL(address).pathname}${path}`, {
      method: 'POST',
      ...(body !== undefined && { body }),
    });
    expect([response.status, await response.text()]).toEqual([200, 'OK']);
  };

  beforeAll(async () => {
    app = await startOwnApp();
    browser = await launchBrowser();
    visit = await Visit.start(browser, app.url, { width: 320, timezoneId: 'Europe/Berlin' });
    page = visit.page;
    await visit.signIn(app.write.key ?? '');
  });
  afterAll(async () => {
    expect(visit.complaints).toEqual([]);
    await visit.close();
    await browser.close();
    await app.close();
  });

  it('is created with a schedule whose next times are shown, on the clock of the browser, and without settings of checks', async () => {
    await visit.open('/new');
    await page.getByRole('button', { name: 'Cron job' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Nightly backup');
    for (const gone of ['URL, host, or host:port', 'Interval (seconds)', 'Timeout (seconds)', 'Method']) {
      expect([gone, await page.getByLabel(gone).count()]).toEqual([gone, 0]);
    }
    expect(await page.getByRole('button', { name: 'Test', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: '1 h', exact: true }).click();
    await page.getByText('Default: 6 min.').waitFor();
    await page.getByRole('button', { name: 'By cron' }).click();
    expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Europe/Berlin');
    const times = page.locator('.next-times li');
    await times.filter({ hasText: /03:00/ }).first().waitFor();
    expect(await times.count()).toBe(5);
    expect([await visit.overflow(), await visit.barriers()]).toEqual([0, []]);
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.locator('.expected', { hasText: 'No ping yet' }).waitFor();
    expect(await page.getByRole('button', { name: 'Check now' }).count()).toBe(0);
  });

  it('has its URL hidden by a button, and the lines for each place where the job runs, which the arrow keys step through', async () => {
    const shown = page.getByRole('region', { name: 'Ping URL', exact: true });
    expect(await shown.count()).toBe(0);
    await page.getByRole('button', { name: 'Show the ping URL' }).click();
    address = ((await shown.textContent()) ?? '').trim();
    expect(address).toMatch(/\/ping\/[\da-f-]{36}$/);
    await page.getByRole('tab', { name: 'Shell', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('region', { name: 'Lines for Crontab' }).textContent()).toContain(`${address}/$?`);
    expect([await visit.overflow(), await visit.barriers()]).toEqual([0, []]);
  });

  it('shows pings as they arrive: runs, exit codes, and what the last run printed', async () => {
    await ping('/start');
    await page.locator('.expected', { hasText: /^Running since \d\d:\d\d/ }).waitFor();
    await ping('/3', 'disk full');
    await page.locator('.head .state', { hasText: 'Down' }).waitFor();
    await section('Pings').getByText('Failed, exit code 3').waitFor();
    await section('Last output').getByText('disk full').waitFor();
    await page.locator('.expected', { hasText: /^Expected .*03:00, in / }).waitFor();
    await page
      .getByRole('button', { name: /^Details of the ping/ })
      .first()
      .click();
    await section('Pings').getByText('not given').waitFor();
    expect([await visit.overflow(), await visit.barriers()]).toEqual([0, []]);
  });

  it('gets another URL after a confirmation, and keeps it when its schedule changes', async () => {
    const { id } = ((await app.write.get('/endpoints')).body as EndpointView[])[0] ?? { id: '' };
    const stored = async () => ((await app.write.get(`/endpoints/${id}`)).body as EndpointView).heartbeat;
    await page.getByRole('button', { name: 'Replace the ping URL…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the ping URL' }).click();
    await page.getByText('The ping URL was replaced. The old one works for 24 hours.').waitFor();
    const rotated = (await stored())?.ping_id ?? '';
    expect(address).not.toContain(rotated);
    await ping();
    await visit.open(`/endpoints/${id}/edit`);
    await page.getByRole('button', { name: 'By period' }).click();
    await page.getByRole('button', { name: '7 days', exact: true }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/every 7 days, grace period 1 h/).waitFor();
    expect(await stored()).toMatchObject({ every: 604_800, cron: null, ping_id: rotated });
  });

  it('has alerts after one failure, and is left out of checks on demand', async () => {
    const { id } = ((await app.write.get('/endpoints')).body as EndpointView[])[0] ?? { id: '' };
    await visit.open(`/alerts/new?endpoint_id=${id}`);
    await page.getByText('one missed or failed run triggers the alert').waitFor();
    expect(await page.getByLabel('Failures in a row to trigger').inputValue()).toBe('1');
    await visit.open('/');
    await page.getByText(/^Cron job · Expected .+, in \d+ d/).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('1 heartbeat left out: heartbeats have no checks to run.').waitFor();
    expect(await visit.barriers()).toEqual([]);
  });
});
