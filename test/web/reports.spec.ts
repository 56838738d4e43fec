import type { Browser } from 'playwright-core';
import { Database } from '../../src/platform/database/database';
import { startApp, type TestApp } from '../harness/app/app';
import { launchBrowser, Visit } from './browser';
import { showcase } from './showcase';

jest.setTimeout(120_000);

/** The hours of the days in the showcase, which has only days: all failures are in one of them. */
const HOURS = `
  INSERT INTO check_hour (endpoint_key, start_at, up, down, unknown, planned, sum_us, dns_us, connect_us, tls_us,
                          first_byte_us, transfer_us, min_us, max_us, buckets, counts)
  SELECT endpoint_key, start_at + n * interval '1 hour', greatest(1, up / 24), CASE n WHEN 9 THEN down ELSE 0 END, 0, 0,
         0, 0, 0, 0, 0, 0, 0, 0, '{}', '{}'
    FROM check_day, generate_series(0, 23) AS n ON CONFLICT DO NOTHING`;
const OUTAGES = `
  INSERT INTO outage (endpoint_key, started_at, ended_at, error, error_message)
  SELECT endpoint_key, start_at + interval '9 hours', start_at + interval '9 hours' + least(down, 50) * interval '1 minute', 4, ''
    FROM check_day WHERE down > 1 ON CONFLICT DO NOTHING`;
const FOLDER = process.env['SCREENSHOTS'];

describe('the reports page', () => {
  let app: TestApp;
  let browser: Browser;

  beforeAll(async () => {
    app = await startApp({ role: 'api', statusRateLimitPerSecond: 0 });
    await showcase(app);
    await app.app.get(Database).query(HOURS);
    await app.app.get(Database).query(OUTAGES);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  const shoot = async (visit: Visit, name: string): Promise<void> => {
    if (FOLDER) await visit.page.screenshot({ path: `${FOLDER}/${name}.png`, fullPage: true });
  };

  it('opens with its shortcut, and shows the chosen endpoints and month, which are in the URL', async () => {
    const visit = await Visit.start(browser, app.url, { timezoneId: 'Europe/Berlin' });
    const { page } = visit;
    await visit.signIn(app.read.key ?? '');
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: /^Uptime report, [A-Z][a-z]+ 20\d\d$/ }).waitFor();
    await visit.settled();
    expect(await page.title()).toMatch(/Uptime report, [A-Z][a-z]+ 20\d\d · Uptime$/);
    const rows = page.getByRole('region', { name: 'Endpoints' }).locator('tbody tr');
    const all = await rows.count();
    expect(all).toBeGreaterThan(3);
    await page.getByLabel('Endpoints', { exact: true }).first().selectOption({ label: 'Website: Example shop' });
    await visit.settled();
    expect(await rows.count()).toBeLessThan(all);
    await page.getByRole('button', { name: 'Previous month' }).click();
    await page.getByLabel('Time zone').selectOption('Europe/Berlin');
    await page.getByLabel('Target', { exact: true }).selectOption('99.99');
    await visit.settled();
    expect(page.url()).toMatch(/#\/reports\?.*month=20\d\d-\d\d/);
    expect(await page.getByText(/Target 99\.99% for Example shop · Europe\/Berlin/).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Share link' }).count()).toBe(0);
    expect(visit.complaints).toEqual([]);
    await visit.close();
  });

  it('downloads the report as CSV', async () => {
    const visit = await Visit.start(browser, app.url);
    await visit.signIn(app.read.key ?? '');
    await visit.open('/reports');
    const downloading = visit.page.waitForEvent('download');
    await visit.page.getByRole('button', { name: 'CSV' }).click();
    expect((await downloading).suggestedFilename()).toMatch(/^uptime-20\d\d-\d\d\.csv$/);
    await visit.close();
  });

  it('shares a link that opens without an account, lists it, and deletes it', async () => {
    const visit = await Visit.start(browser, app.url);
    const { page } = visit;
    await visit.signIn(app.write.key ?? '');
    await visit.open('/reports');
    await page.getByRole('button', { name: 'Share link' }).click();
    await page.getByLabel('Title').fill('Shop');
    expect(await visit.barriers()).toEqual([]);
    await page.getByRole('button', { name: 'Create link' }).click();
    const url = await page.getByLabel('Link', { exact: true }).inputValue();
    expect(url).toMatch(/\/reports\/[\w-]{43}$/);
    await page.getByRole('button', { name: 'Done' }).click();
    const reader = await Visit.start(browser, app.url);
    await reader.page.goto(url);
    await reader.page.getByRole('heading', { name: /^Shop, / }).waitFor();
    for (const [width, scheme] of [
      [1440, 'light'],
      [768, 'light'],
      [390, 'dark'],
    ] as const) {
      await reader.page.setViewportSize({ width, height: 900 });
      await reader.page.emulateMedia({ colorScheme: scheme });
      expect([await reader.barriers(), await reader.overflow(), reader.complaints]).toEqual([[], 0, []]);
      await shoot(reader, `shared-report-${width}-${scheme}`);
    }
    if (FOLDER) await reader.page.pdf({ path: `${FOLDER}/shared-report.pdf`, preferCSSPageSize: true });
    await page.getByRole('button', { name: /^Delete Shop/ }).click();
    await page.getByText('The link is deleted.').waitFor();
    const [gone] = await Promise.all([reader.page.waitForResponse(url), reader.page.goto(url)]);
    expect(gone.status()).toBe(404);
    expect(await reader.barriers()).toEqual([]);
    await reader.close();
    await visit.close();
  });

  it.each([
    [1440, 'light'],
    [1440, 'dark'],
    [768, 'light'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('has no barriers and no sideways scroll, %i pixels wide, %s', async (width, colorScheme) => {
    const visit = await Visit.start(browser, app.url, { width, colorScheme });
    await visit.signIn(app.write.key ?? '');
    await visit.open('/reports');
    await visit.page.getByRole('region', { name: 'Endpoints' }).waitFor();
    await visit.settled();
    expect([await visit.barriers(), await visit.overflow(), visit.complaints]).toEqual([[], 0, []]);
    await shoot(visit, `report-${width}-${colorScheme}`);
    if (FOLDER && width === 1440 && colorScheme === 'light')
      await visit.page.pdf({ path: `${FOLDER}/report.pdf`, preferCSSPageSize: true });
    await visit.close();
  });

  it('prints the report without navigation and controls', async () => {
    const visit = await Visit.start(browser, app.url, { width: 1100 });
    await visit.signIn(app.write.key ?? '');
    await visit.open('/reports');
    await visit.page.getByRole('region', { name: 'Endpoints' }).waitFor();
    await visit.settled();
    await visit.page.emulateMedia({ media: 'print' });
    expect(await visit.page.getByRole('region', { name: 'Endpoints' }).isVisible()).toBe(true);
    for (const name of ['CSV', 'Share link', 'Previous month'])
      expect(await visit.page.getByRole('button', { name }).count()).toBe(0);
    await shoot(visit, 'report-print');
    await visit.close();
  });
});
