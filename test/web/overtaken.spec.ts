import type { Browser, Page } from 'playwright-core';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { newAlert, newContact, newEndpoint, newMaintenanceWindow, newWebsite } from '../harness/app/resources';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(60_000);

/** A form, the change that another user makes in the meantime, and how the form saves. */
interface Use {
  make: () => Promise<string>;
  page: (id: string) => string;
  api: (id: string) => string;
  change: object;
}

describe('a form whose resource another user changes in the meantime', () => {
  let app: TestApp;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let website: string;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    browser = await launchBrowser();
    website = await newWebsite(app.write);
    visit = await Visit.start(browser, app.url);
    page = visit.page;
    await visit.signIn(app.write.key ?? '');
  });
  afterAll(async () => {
    await visit.close();
    await browser.close();
    await app.close();
  });

  const same = (path: string) => (id: string) => `/${path}/${id}`;
  const save = () => page.locator('form').getByRole('button', { name: 'Save', exact: true }).click();

  it.each<[string, Use]>([
    [
      'an endpoint',
      {
        make: () => newEndpoint(app.write, website),
        page: (id) => `/endpoints/${id}/edit`,
        api: same('endpoints'),
        change: { interval: 300 },
      },
    ],
    [
      'an alert',
      {
        make: async () => newAlert(app.write, await newEndpoint(app.write, website)),
        page: same('alerts'),
        api: same('alerts'),
        change: { failure_threshold: 7 },
      },
    ],
    [
      'a contact',
      { make: () => newContact(app.write), page: same('contacts'), api: same('contacts'), change: { default: true } },
    ],
    [
      'a website',
      {
        make: () => newWebsite(app.write),
        page: (id) => `/websites/${id}?edit=1`,
        api: same('websites'),
        change: { tags: ['prod'] },
      },
    ],
    [
      'a maintenance window',
      {
        make: () => newMaintenanceWindow(app.write),
        page: same('maintenance'),
        api: same('maintenance-windows'),
        change: { mute: false },
      },
    ],
    [
      'a status page',
      {
        make: async () => (await app.write.post<{ id: string }>('/status-pages', { title: 'All', groups: [] })).body.id,
        page: same('status-pages'),
        api: same('status-pages'),
        change: { description: 'Theirs' },
      },
    ],
  ])('reports it for %s, saves nothing, and loads it again', async (_, { make, page: pageOf, api, change }) => {
    const id = await make();
    await visit.open(pageOf(id));
    await visit.settled();
    const { body } = await app.write.put<object>(api(id), change);
    await save();
    const told = page.getByRole('alert').filter({ hasText: 'The resource was changed in the meantime.' });
    await told.waitFor();
    expect((await app.read.get<object>(api(id))).body).toMatchObject({ ...change, updated_at: updatedAt(body) });
    await told.getByRole('button', { name: 'Reload' }).click();
    await told.waitFor({ state: 'detached' });
    await visit.settled();
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
    await save();
    expect((await saved).status()).toBe(200);
    expect((await app.read.get<object>(api(id))).body).toMatchObject(change);
  });

  it('saves twice in a row, because its own save counts as seen', async () => {
    await visit.open(`/websites/${website}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    for (const name of ['First', 'Second']) {
      await page.getByLabel('Name').fill(name);
      const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
      await save();
      expect((await saved).status()).toBe(200);
    }
    expect((await app.read.get<object>(`/websites/${website}`)).body).toMatchObject({ name: 'Second' });
  });
});

const updatedAt = (body: object): unknown => (body as { updated_at: unknown }).updated_at;
