import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import type { Endpoint, Website } from '../../web/src/api/types';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { eventually } from '../../packages/testing/eventually';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

const DOCUMENT = `version: 1
owner: shop-repo
websites:
  - key: shop
    name: Example shop
    url: https://shop.example.com
    endpoints:
      - {key: front, name: Front page, type: HTTPS, url: https://shop.example.com/, interval: 60, enabled: false}
`;

const CONFIGURATION = {
  version: 1,
  websites: [
    {
      key: 'shop',
      name: 'Example shop',
      url: 'https://shop.example.com',
      endpoints: [
        {
          key: 'front',
          name: 'Front page',
          type: 'HTTPS',
          url: 'https://shop.example.com/',
          headers: [{ key: 'Authorization', value: 'Bearer s3cret' }],
        },
      ],
    },
  ],
};

describe('the configuration in the dashboard', () => {
  let app: TestApp;
  let browser: Browser;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });
  beforeEach(async () => {
    visit = await Visit.start(browser, app.url);
    page = visit.page;
    await visit.signIn(app.write.key ?? '');
    await visit.open('/settings/configuration');
    await visit.settled();
  });
  afterEach(async () => {
    // Chromium logs each response that refuses a form.
    expect(visit.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
    await visit.close();
    for (const { id } of (await app.read.get<Website[]>('/websites')).body) await app.write.delete(`/websites/${id}`);
  });

  async function read(document: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Document' }).fill(document);
    await page.getByRole('button', { name: 'Show the plan' }).click();
    await visit.settled();
  }
  const apply = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Apply' }).click();
    await visit.settled();
  };
  const plan = () => page.getByRole('region', { name: 'Plan' }).locator('tbody tr').allTextContents();
  const said = () => page.getByRole('status').first().textContent();

  it('shows what a document would change, applies it, and marks the owner of each resource', async () => {
    await read(DOCUMENT);
    expect(await said()).toBe('2 to create, 0 unchanged.');
    expect((await plan()).map((row) => row.replace(/\d+ setting.*/s, ''))).toEqual([
      '+ websiteshop',
      '+ endpointshop/front',
    ]);
    expect(await visit.barriers()).toEqual([]);
    expect((await app.read.get<Website[]>('/websites')).body).toEqual([]);

    await apply();
    await page.getByText('2 created.').waitFor();
    const [website] = (await app.read.get<Website[]>('/websites')).body;
    expect(website).toMatchObject({ key: 'shop', owner: 'shop-repo' });
    await visit.open(`/websites/${website?.id}`);
    await page.getByText('Declared by shop-repo').waitFor();

    await visit.open('/settings/configuration');
    await read(DOCUMENT);
    expect(await said()).toBe('Nothing to do: 2 unchanged.');
  });

  it("shows another user's changes since then, and asks before it deletes", async () => {
    await read(DOCUMENT);
    await apply();
    const [website] = (await app.read.get<Website[]>('/websites')).body;
    const [endpoint] = (await app.read.get<Endpoint[]>(`/websites/${website?.id}/endpoints`)).body;
    await app.write.put(`/endpoints/${endpoint?.id}`, { interval: 300 });
    await read(DOCUMENT);
    expect(await said()).toBe('1 to change, 1 unchanged.');
    await page.getByText('1 setting').click();
    expect((await plan()).join()).toMatch(/interval300 60/);

    await page.getByLabel(/^Delete resources that an earlier document/).check();
    await read(DOCUMENT.slice(0, DOCUMENT.indexOf('    endpoints')));
    expect(await said()).toBe('1 to delete, 1 unchanged.');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('1 resource will be deleted').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply this plan' }).click();
    await page.getByText('1 deleted.').waitFor();
    expect((await app.read.get<Endpoint[]>(`/websites/${website?.id}/endpoints`)).body).toEqual([]);
  });

  it('refuses a plan that is out of date, and a document with its lines', async () => {
    await read(DOCUMENT);
    await app.write.post('/websites', { name: 'Example shop', url: 'https://shop.example.com' });
    await apply();
    await page
      .getByText(/was changed in the meantime/)
      .first()
      .waitFor();
    await read('version: 1\nwebsites:\n  - {key: shop}\n');
    expect(await page.getByRole('alert').textContent()).toMatch(/line 3: /);
  });

  it('converts the file of another program and lists the differences', async () => {
    const file =
      'endpoints:\n  - {name: Front, url: "https://shop.example.com", conditions: ["[STATUS] == 200"]}\n  - {name: Job, url: "sctp://shop.example.com:99", conditions: ["[CONNECTED] == true"]}\n';
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: 'config.yaml',
      mimeType: 'application/yaml',
      buffer: Buffer.from(file),
    });
    const source = page.getByLabel('Format');
    await eventually('it is recognised', async () => (await source.inputValue()) === 'gatus');
    await page.getByRole('button', { name: 'Show the plan' }).click();
    await visit.settled();
    // The selection stays, and its secrets appear in no other place.
    expect(await source.inputValue()).toBe('gatus');
    expect(await page.getByRole('textbox', { name: 'Document' }).inputValue()).toBe(file);
    expect(await page.getByRole('region', { name: 'Differences' }).textContent()).toMatch(/Job/);
    await page.getByText(/to create/).waitFor();
    await apply();
    await page.getByText(/created\./).waitFor();
  });

  it('saves all resources as a file, without credentials', async () => {
    await app.write.put('/configuration', CONFIGURATION);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download uptime.yaml' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('uptime.yaml');
    const saved = readFileSync(await download.path(), 'utf8');
    expect(saved).toMatch(/^version: 1\n[^]*key: front\n/m);
    expect(saved).not.toMatch(/s3cret/);
  });
});
