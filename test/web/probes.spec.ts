import type { Browser, Locator, Page } from 'playwright-core';
import { Database } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import type { SentCheck } from '../../src/probe-protocol/protocol';
import { eventually } from '../../packages/testing/eventually';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { DOWN, ManualProbe, startManualProbe } from '../harness/app/manual-probe';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

/** Waits until the probe has received its only endpoint, and sends a result for it. */
async function sees(probe: ManualProbe, result: Partial<SentCheck> = {}): Promise<void> {
  await eventually(`${probe.location} has its endpoint`, async () => {
    await probe.sync();
    return probe.held.size > 0;
  });
  const [id = ''] = probe.held.keys();
  const { body } = await probe.send([probe.result(id, Date.now(), result)]);
  expect(body).toMatchObject({ recorded: 1, refused: [] });
}

describe('probes in the dashboard', () => {
  let app: TestApp;
  let target: SwitchableServer;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let frankfurt: ManualProbe;

  const section = (title: string): Locator =>
    page.locator('.section', { has: page.getByRole('heading', { name: title, exact: true }) });
  const row = (label: string, name: string): Locator =>
    page.getByRole('region', { name: label }).getByRole('row').filter({ hasText: name }).first();

  beforeAll(async () => {
    app = await startOwnApp();
    target = await SwitchableServer.start();
    browser = await launchBrowser();
    visit = await Visit.start(browser, app.url, { width: 320 });
    page = visit.page;
    await visit.signIn(app.admin.key ?? '');
  });
  afterAll(async () => {
    expect(visit.complaints).toEqual([]);
    await visit.close();
    await browser.close();
    await target.close();
    await app.close();
  });

  it('are added with a token that is shown once, and seen online as soon as they call', async () => {
    await visit.open('/settings/probes');
    await page.getByText('A probe runs checks from another location').waitFor();
    await page.getByLabel('Key', { exact: true }).fill('fra');
    await page.getByLabel('Name (optional)').fill('Frankfurt');
    // The target of this spec is on loopback.
    await page.getByLabel('Allow checks of private').check();
    await page.getByRole('button', { name: 'Add probe' }).click();
    await page.getByText('Copy the token of “Frankfurt” now').waitFor();
    const token = (await page.locator('.once pre').textContent()) ?? '';
    expect(token).toMatch(/^ump_/);
    await page.getByRole('tab', { name: 'Docker' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('region', { name: 'Lines for Compose' }).textContent()).toContain(token);
    await row('Probes', 'Frankfurt').getByText('Not seen yet').waitFor();
    expect([await visit.overflow(), await visit.barriers()]).toEqual([0, []]);
    const [made] = (await app.admin.get<{ id: string }[]>('/probes')).body;
    frankfurt = new ManualProbe(app.url, made?.id ?? '', 'fra', token);
    await frankfurt.poll({ version: '0.0.1' });
    await row('Probes', 'Frankfurt').getByText('Online, with problems').waitFor();
    await page.getByRole('button', { name: 'Details of Frankfurt' }).click();
    await page.getByText('Its version is older than the version of this service. Update it.').waitFor();
    await page.reload();
    await row('Probes', 'Frankfurt').waitFor();
    expect(await page.locator('.once').count()).toBe(0);
  });

  it('are locations of an endpoint: if one of three sees it down it is degraded, and shows from where', async () => {
    const virginia = await startManualProbe(app, 'virginia', { name: 'Virginia', allow_private: true });
    await visit.open('/new');
    await page.getByLabel('URL, host, or host:port').fill(target.url);
    for (const name of ['Frankfurt', 'Virginia']) await page.getByLabel(name).check();
    await page.getByLabel('Down when this many locations agree').selectOption({ label: 'Majority: 2 of 3 must agree' });
    expect([await visit.overflow(), await visit.barriers()]).toEqual([0, []]);
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await section('Locations').getByText('Down when 2 of 3 locations report a failure.').waitFor();
    await Promise.all([sees(frankfurt), sees(virginia, DOWN)]);
    await page.locator('.head').getByText('1 of 3: virginia, connection refused').waitFor();
    await page.locator('.head .state', { hasText: 'Degraded' }).waitFor();
    await row('Locations', 'Virginia').getByText('was refused').waitFor();
    expect([await visit.overflow(), await visit.barriers()]).toEqual([0, []]);
    const [website] = (await app.write.get<{ id: string }[]>('/websites')).body;
    for (const path of [`/websites/${website?.id}`, '/?wall', '/?location=fra']) {
      await visit.open(path);
      await page.getByText('1 of 3 down').waitFor();
      expect([path, await visit.overflow(), await visit.barriers()]).toEqual([path, 0, []]);
    }
    await page.getByLabel('Location').selectOption({ label: 'From Virginia' });
    await page.locator('.row').waitFor();
    expect(await visit.barriers()).toEqual([]);
  });

  it('are lost after a while, which a row of the endpoint shows', async () => {
    const [endpoint] = (await app.write.get<{ id: string }[]>('/endpoints')).body;
    const long = `now() - interval '1 hour'`;
    await app.app.get(Database).query(
      `UPDATE endpoint_location SET assigned_at = ${long}, last_checked_at = ${long}, last_known_at = ${long}
        WHERE endpoint_id = $1 AND number = (SELECT number FROM probe WHERE key = 'fra')`,
      [parseId('endpoint', endpoint?.id)],
    );
    await visit.open(`/endpoints/${endpoint?.id}`);
    await row('Locations', 'Frankfurt').getByText('It does not count until it reports again').waitFor();
    await row('Locations', 'Frankfurt').getByText('Lost', { exact: true }).waitFor();
  });

  it('can have an alert for when they are lost, with an endpoint whose form is filled in', async () => {
    await visit.open('/settings/probes');
    await page.getByRole('button', { name: 'Details of Frankfurt' }).click();
    expect(await page.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Notify me when it goes offline' }).click();
    await page.getByLabel('Probe', { exact: true }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Probe Frankfurt');
    await frankfurt.poll();
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.locator('.head .state', { hasText: 'Up' }).waitFor();
    await visit.open('/settings/probes');
    await page.getByRole('button', { name: 'Details of Frankfurt' }).click();
    await page.getByRole('link', { name: 'Monitored by Probe Frankfurt' }).waitFor();
    expect([await visit.overflow(), await visit.barriers()]).toEqual([0, []]);
  });
});
