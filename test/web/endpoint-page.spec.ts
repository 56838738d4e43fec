import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../packages/testing/eventually';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { launchBrowser, Visit } from './browser';
import { showcase } from './showcase';

jest.setTimeout(120_000);

describe('the page of an endpoint', () => {
  let app: TestApp;
  let browser: Browser;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    const ids = await showcase(app);
    browser = await launchBrowser();
    visit = await Visit.start(browser, app.url, { width: 390, colorScheme: 'dark' });
    page = visit.page;
    await visit.signIn(app.write.key ?? '');
    await visit.open(`/endpoints/${ids.get('Payments API')}?range=24h`);
    await page.locator('.chart canvas').waitFor();
    await visit.settled();
  });
  afterAll(async () => {
    expect(visit.complaints).toEqual([]);
    await visit.close();
    await browser.close();
    await app.close();
  });

  it('shows its status in large letters, for how long, and why', async () => {
    expect(await page.locator('.head .state').textContent()).toMatch(/^Down for 3\d min/);
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.head .state')).fontSize`)).toBe('22px');
    await page.locator('.head strong', { hasText: 'The status is 503; expected 200 to 299.' }).waitFor();
  });

  it('has three buttons, and the others in a menu that Escape closes', async () => {
    const head = page.locator('.head:has(.state)');
    const names = () => head.getByRole('button').allTextContents();
    const always = ['Acknowledge', 'Check now', 'Mute 1 h', 'More '];
    expect(await names()).toEqual(always);
    await head.getByRole('button', { name: 'More' }).click();
    expect(await names()).toEqual([...always, 'Pause', 'Copy as curl', 'Delete']);
    await head.getByRole('link', { name: 'Edit' }).waitFor();
    await head.getByRole('link', { name: 'Clone' }).waitFor();
    expect([await visit.overflow(), await visit.barriers()]).toEqual([0, []]);
    await page.keyboard.press('Escape');
    await eventually('the menu is closed', async () => (await names()).length === always.length);
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('More ');
  });

  it('draws percentiles next to the week before, shows one in its tooltip, and draws phases instead', async () => {
    const legend = page.locator('.section', { hasText: 'Response time' }).locator('.legend');
    await legend.getByText('p50, a week earlier').waitFor();
    await page.locator('.u-over').hover();
    await page.locator('.tip', { hasText: /· p50 .* ms, p95 .* ms · a week earlier .* ms/ }).waitFor();
    await page.getByRole('button', { name: 'By phase' }).click();
    await legend.getByText('First byte').waitFor();
    expect(page.url()).toContain('view=phases');
  });

  it('shows the last 90 days as bars with the current one outlined, and opens a day with its outages', async () => {
    const days = page.getByRole('slider', { name: 'Last 90 days of Payments API' });
    expect(await days.getAttribute('aria-valuetext')).toMatch(/^9\d days with checks, failures on \d+$/);
    expect(await days.locator('rect.today').count()).toBe(1);
    await days.focus();
    await page.keyboard.press('Enter');
    const day = page.locator('.day-card');
    await day.getByText(/^Down for 3\d min .* in total\.$/).waitFor();
    await day.getByText('The status is 503').waitFor();
    expect([await visit.overflow(), await visit.barriers()]).toEqual([0, []]);
    await page.keyboard.press('Escape');
    await day.waitFor({ state: 'detached' });
  });

  it('shows each day of a year and the hours of the week, which the arrow keys step through', async () => {
    await page.getByRole('button', { name: 'Days of a year' }).click();
    const days = page.getByRole('slider', { name: 'Days of Payments API' });
    expect(await days.getAttribute('aria-valuetext')).toMatch(/^9\d\.\d% over 9\d days with checks, failures on /);
    await days.focus();
    await page.keyboard.press('ArrowUp');
    const yesterday = new Date(Date.now() - 86_400_000).getUTCDate();
    await eventually('the value is the day before', async () =>
      new RegExp(`^\\w+, \\w+ ${yesterday}, \\d{4}: `).test((await days.getAttribute('aria-valuetext')) ?? ''),
    );
    await page.getByRole('button', { name: 'Hours of the week' }).click();
    await page.getByText(/^The worst hour: \w+ \d\d:00 to \d\d:00: /).waitFor();
  });

  it('lists the newest deliveries with their receivers, and messages that were not delivered', async () => {
    const lines = page.getByRole('list', { name: 'Latest deliveries' }).getByRole('listitem');
    expect(await lines.count()).toBe(4);
    await lines.filter({ hasText: 'Triggered to PagerDuty' }).getByText('Failed').waitFor();
    await lines.getByText('PagerDuty answered 403: the routing key is not valid').waitFor();
    await lines.filter({ hasText: 'Resolved to Slack' }).getByText('Delivered').waitFor();
  });
});
