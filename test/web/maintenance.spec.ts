import type { Browser, Page } from 'playwright-core';
import type { MaintenanceWindow } from '../../web/src/api/types';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { eventually } from '../../packages/testing/eventually';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

const HOUR = 3_600_000;

describe('maintenance in the dashboard', () => {
  let app: TestApp;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let shop: string;
  let checkout: string;

  beforeAll(async () => {
    // The sweep of a real service starts and ends windows. The endpoints are off, so no target receives requests.
    app = await startOwnApp();
    browser = await launchBrowser();
    const website = { name: 'Example shop', url: 'https://shop.example.com', tags: ['prod'] };
    shop = (await app.write.post<{ id: string }>('/websites', website)).body.id;
    checkout = await made('Checkout');
    await made('Search');
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });
  beforeEach(async () => {
    visit = await Visit.start(browser, app.url);
    page = visit.page;
    await visit.signIn(app.write.key ?? '');
  });
  afterEach(async () => {
    expect(visit.complaints).toEqual([]);
    await visit.close();
    for (const { id } of await windows()) await app.write.delete(`/maintenance-windows/${id}`);
  });

  async function made(name: string): Promise<string> {
    const body = { name, type: 'HTTPS', url: `https://shop.example.com/${name}`, interval: 60, enabled: false };
    return (await app.write.post<{ id: string }>(`/websites/${shop}/endpoints`, body)).body.id;
  }
  const windows = async (): Promise<MaintenanceWindow[]> =>
    (await app.read.get<MaintenanceWindow[]>('/maintenance-windows')).body;
  const create = async (more: object): Promise<MaintenanceWindow> => {
    const body = { name: 'Patch night', scope: { all: true }, ...more };
    const response = await app.write.post<MaintenanceWindow>('/maintenance-windows', body);
    expect([response.status, response.text]).toEqual([201, expect.any(String)]);
    return response.body;
  };
  const inHours = (from: number, to: number) => ({
    starts_at: new Date(Date.now() + from * HOUR).toISOString(),
    ends_at: new Date(Date.now() + to * HOUR).toISOString(),
  });
  const row = (name: string) => page.locator('.row', { has: page.getByRole('link', { name, exact: true }) });
  const table = () => page.getByRole('region', { name: 'Maintenance windows' });

  it('is reached with g m, shows an empty state, and offers the states as filters', async () => {
    await page.getByRole('region', { name: 'Overall status' }).waitFor({ state: 'attached' });
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByText('During a maintenance window').waitFor();
    expect(await page.title()).toBe('Maintenance · Uptime');
    await create({ ...inHours(1, 2), name: 'Later' });
    await page.getByRole('group', { name: 'Which windows' }).getByRole('button', { name: 'Scheduled' }).click();
    await table().getByRole('link', { name: 'Later' }).waitFor();
    await page.getByRole('button', { name: 'Active', exact: true }).click();
    await page.getByText('No windows are active.').waitFor();
    expect(page.url()).toContain('status=active');
  });

  it('mutes a chosen tag for an hour with the keyboard alone, shows the wrench on the overview, and ends it', async () => {
    await visit.open('/maintenance');
    await page.getByRole('button', { name: 'Mute…' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Mute alerts now' });
    await dialog.waitFor();
    await dialog.getByLabel('Covers').focus();
    await page.keyboard.press('C');
    await dialog.getByLabel('Tags').focus();
    await page.keyboard.type('Prod');
    await page.keyboard.press('Enter');
    await table().getByRole('link', { name: 'Muted: tag prod' }).waitFor();
    const [mute] = await windows();
    expect(mute).toMatchObject({
      scope: { tags: ['prod'] },
      status: 'active',
      mute: true,
      exclude_from_uptime: false,
      public: false,
    });
    expect(Date.parse(mute?.ends_at ?? '') - Date.parse(mute?.starts_at ?? '')).toBe(HOUR);

    await visit.open('/');
    await row('Checkout')
      .getByTitle(/^In maintenance: Muted: tag prod, until .*\(no alerts, checks count\)$/)
      .waitFor();
    await page.getByRole('button', { name: 'In maintenance 2' }).click();
    expect(page.url()).toContain('planned=1');
    await visit.open('/maintenance');
    await page.getByRole('button', { name: 'End Muted: tag prod now' }).click();
    await table().getByText('Ended', { exact: true }).waitFor();
    await visit.open('/?planned=1');
    await page.getByText('No endpoint matches.').waitFor();
  });

  it('mutes the endpoints that are selected on the overview, and undoes it', async () => {
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Select Checkout' }).check();
    await page.getByRole('region', { name: 'Selected endpoints' }).getByRole('button', { name: 'Mute 1 h' }).click();
    await row('Checkout').locator('.wrench').waitFor();
    expect(await row('Search').locator('.wrench').count()).toBe(0);
    expect((await windows()).map(({ name, scope }) => [name, scope.endpoint_ids])).toEqual([
      ['Muted: Checkout', [checkout]],
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row('Checkout').locator('.wrench').waitFor({ state: 'detached' });
  });

  it('shows on the overview without a reload that a window started elsewhere, and that it was ended', async () => {
    await row('Checkout').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.evaluate('window.marked = true');
    const { id } = await create({ ...inHours(0, 1), scope: { endpoint_ids: [checkout] } });
    await row('Checkout').locator('.wrench').waitFor();
    await app.write.post(`/maintenance-windows/${id}/end`);
    await row('Checkout').locator('.wrench').waitFor({ state: 'detached' });
    expect(await page.evaluate('window.marked')).toBe(true);
  });

  it('creates a weekly window for chosen endpoints, previews its times in its zone and in the reader’s, and shows the request', async () => {
    await visit.open('/maintenance');
    await page.getByRole('link', { name: 'New window' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Patch night');
    await page.getByLabel('Covers').selectOption('some');
    await page.getByRole('combobox', { name: 'Endpoints' }).fill('check');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove Checkout · Example shop' }).waitFor();
    await page.getByLabel('How often').selectOption('weekly');
    await page.getByRole('button', { name: 'Wednesday' }).click();
    await page.getByLabel('At', { exact: true }).fill('03:30');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('kathmandu');
    await page.keyboard.press('Enter');
    await page.getByLabel('Duration (minutes)').fill('90');
    const preview = page.getByRole('region', { name: 'Next occurrences' });
    // 03:30 in Kathmandu is 21:45 UTC on the day before.
    await eventually('the preview is in both zones', async () => {
      const [first = ''] = await preview.locator('tbody tr').allTextContents();
      return /(Wed|Sun).*03:30 GMT\+5:45.*05:00 GMT\+5:45.*(Tue|Sat).*21:45/.test(first);
    });
    expect(await page.getByLabel('curl command').textContent()).toContain('"cron": "30 3 * * 0,3"');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Patch night' }).waitFor();
    const [window] = await windows();
    expect(window).toMatchObject({
      scope: { endpoint_ids: [checkout] },
      cron: '30 3 * * 0,3',
      timezone: 'Asia/Kathmandu',
      duration: 5400,
      mute: true,
      exclude_from_uptime: true,
      // There is no status page that could announce it.
      public: false,
    });
    await visit.open('/maintenance');
    await table().getByText('Every Sunday, Wednesday at 03:30, Asia/Kathmandu, for 1 h 30 min').waitFor();
  });

  it('shows the error of a cron expression at its field, and in place of the preview', async () => {
    await visit.open('/maintenance/new');
    await page.getByLabel('Name', { exact: true }).fill('Never');
    await page.getByLabel('How often').selectOption('cron');
    await page.getByLabel('Cron expression').fill('0 2 30 2 *');
    const preview = page.locator('.section', { hasText: 'Schedule' }).getByRole('status');
    await eventually('the preview says why', async () => /cron/i.test((await preview.textContent()) ?? ''));
    // This test causes refusals, and the browser logs each of them.
    visit.complaints.splice(0);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Cron expression').getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('.field .error').count()).toBe(1);
    visit.complaints.splice(0);
    expect(await windows()).toEqual([]);
  });

  it('changes a running window without changing its start', async () => {
    const { id, starts_at } = await create({ ...inHours(0, 1), name: 'Deploy' });
    await visit.open(`/maintenance/${id}`);
    await page.getByRole('region', { name: 'Next occurrences' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Deploy 2');
    await page.getByLabel('Announce it on status pages').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Deploy 2' }).waitFor();
    const [window] = await windows();
    expect(window).toMatchObject({ name: 'Deploy 2', public: false, starts_at, status: 'active' });
  });

  it('starts a scheduled window now, for its planned duration', async () => {
    await create(inHours(48, 50));
    await visit.open('/maintenance');
    await page.getByRole('button', { name: 'Start Patch night now' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start now?' });
    await dialog.getByText('after 2 h').waitFor();
    await dialog.getByRole('button', { name: 'Start now' }).click();
    await table().getByText('Active').waitFor();
    const [window] = await windows();
    expect(Date.parse(window?.ends_at ?? '') - Date.parse(window?.starts_at ?? '')).toBe(2 * HOUR);
    expect(Date.parse(window?.starts_at ?? '')).toBeLessThanOrEqual(Date.now());
  });

  it('deletes a window', async () => {
    const { id } = await create(inHours(1, 2));
    await visit.open(`/maintenance/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No maintenance windows yet').waitFor();
    await page.reload();
    await page.getByText('No maintenance windows yet').waitFor();
    expect(await windows()).toEqual([]);
  });

  it('shows a read-only key the planned windows, and no button that changes them', async () => {
    const { id } = await create({ ...inHours(1, 2), scope: { website_ids: [shop] } });
    const reader = await Visit.start(browser, app.url);
    await reader.signIn(app.read.key ?? '');
    for (const [path, text] of [
      ['/maintenance', 'Example shop'],
      [`/maintenance/${id}`, 'no alerts, checks do not count, on status pages'],
    ] as const) {
      await reader.open(path);
      await reader.page.locator('main').getByText(text).waitFor();
      await reader.settled();
      expect(
        await reader.page
          .locator('main')
          .getByRole('button', { name: /mute|new|start|end|save|delete/i })
          .and(reader.page.locator(':not([aria-pressed])'))
          .count(),
      ).toBe(0);
    }
    expect(reader.complaints).toEqual([]);
    await reader.close();
  });
});
