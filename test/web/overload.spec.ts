import type { Browser } from 'playwright-core';
import { Database } from '../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { newEndpoint, newWebsite } from '../harness/app/resources';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

describe('the dashboard while the installation is overloaded', () => {
  let app: TestApp;
  let browser: Browser;
  const visits: Visit[] = [];

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    browser = await launchBrowser();
    await newEndpoint(app.write, await newWebsite(app.write));
    // An instance that reports overload and lives for the whole test.
    await app.app.get(Database).query(
      `INSERT INTO instance (role, heartbeat_at, checks_per_second, overload_ratio, skipped_per_second, overloaded_since)
       VALUES ('worker', now() + interval '1 hour', 1050, 1.8, 840, now() - interval '3 minutes')`,
    );
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });
  afterEach(async () => {
    for (const visit of visits.splice(0)) {
      expect(visit.complaints).toEqual([]);
      await visit.close();
    }
  });

  async function signedIn(key: string | null, colorScheme: 'light' | 'dark' = 'light'): Promise<Visit> {
    const visit = await Visit.start(browser, app.url, { colorScheme });
    visits.push(visit);
    await visit.signIn(key ?? '');
    return visit;
  }

  it.each(['light', 'dark'] as const)(
    'warns operators on the overview and explains what to do about it (%s)',
    async (scheme) => {
      const visit = await signedIn(app.admin.key, scheme);
      const line = visit.page.getByText('times as many checks as this installation can run');
      await line.waitFor();
      expect(await line.textContent()).toMatch(
        /^Overloaded since .+: 1\.8 times as many checks as this installation can run\. 840 checks per second are skipped\. Alerts are still sent\./,
      );
      await visit.settled();
      expect(await visit.barriers()).toEqual([]);

      await visit.page.getByRole('link', { name: 'How to fix this' }).click();
      await visit.page.getByRole('heading', { name: 'How to fix this' }).waitFor();
      await visit.page.getByText('1,050').waitFor();
      await line.waitFor();
      await visit.settled();
      expect(await visit.barriers()).toEqual([]);
    },
  );

  it('shows nothing to users who are not operators, and sends no request that would be refused', async () => {
    const other = await app.organization('Other');
    await newEndpoint(other.write, await newWebsite(other.write));
    for (const key of [app.write.key, other.admin.key]) {
      const visit = await signedIn(key);
      await visit.page.locator('.row').first().waitFor();
      await visit.settled();
      expect(await visit.page.getByText('Overloaded since').count()).toBe(0);
    }
  });

  it('shows nothing once it is over', async () => {
    const visit = await signedIn(app.admin.key);
    await visit.page.getByText('Overloaded since').waitFor();
    await app.app.get(Database).query('UPDATE instance SET overloaded_since = NULL');
    await visit.page.reload();
    await visit.page.locator('.row').first().waitFor();
    await visit.settled();
    expect(await visit.page.getByText('Overloaded since').count()).toBe(0);
  });
});
