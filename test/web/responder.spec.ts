import type { Browser } from 'playwright-core';
import { Database } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { newEndpoint, newWebsite } from '../harness/app/resources';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

describe('a responder in the dashboard', () => {
  let app: TestApp;
  let browser: Browser;
  let visit: Visit;
  let endpoint: string;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    endpoint = await newEndpoint(app.write, await newWebsite(app.write, 'Example shop'));
    await app.app
      .get(Database)
      .query('UPDATE endpoint_state SET status = 0, last_checked_at = now() WHERE endpoint_id = $1', [
        parseId('endpoint', endpoint),
      ]);
    browser = await launchBrowser();
    visit = await Visit.start(browser, app.url);
    const { body } = await app.admin.post<{ key: string }>('/api-keys', { name: 'On call', role: 'responder' });
    await visit.signIn(body.key);
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
    expect(visit.complaints).toEqual([]);
  });

  it('acknowledges and mutes an endpoint, and finds nothing to change it with', async () => {
    const { page } = visit;
    await visit.open(`/endpoints/${endpoint}`);
    await page.getByRole('button', { name: 'Mute 1 h' }).waitFor();
    await visit.settled();
    expect(await page.getByRole('button', { name: /^(Check now|More)$/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByLabel('Note (optional)').fill('On it.');
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('Acknowledged by').waitFor();
    await page.getByRole('button', { name: 'Mute 1 h' }).click();
    await page.getByText(/no alerts until/).waitFor();
    expect((await app.read.get<{ name: string }[]>('/maintenance-windows')).body).toHaveLength(1);
  });

  it('is offered only to mute by the palette', async () => {
    const { page } = visit;
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /Mute/ }).first().waitFor();
    expect(await page.getByRole('option', { name: /Pause|Check an endpoint/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
  });
});
