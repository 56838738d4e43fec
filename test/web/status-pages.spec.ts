import type { Browser } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app/app';
import { eventually } from '../harness/app/poll';
import { newEndpoint, newWebsite } from '../harness/app/resources';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

describe('status pages in the browser', () => {
  let app: TestApp;
  let browser: Browser;
  let website: string;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    website = await newWebsite(app.write, 'Shop');
    await newEndpoint(app.write, website, { name: 'Checkout' });
    await newEndpoint(app.write, website, { name: 'Search' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  it('are made with a choice of endpoints, say at the field what is wrong, and can be opened', async () => {
    const visit = await Visit.start(browser, app.url, { width: 390 });
    const { page } = visit;
    await visit.signIn(app.write.key ?? '');
    await visit.open('/status-pages');
    await page.getByRole('link', { name: 'New status page' }).click();
    await page.getByLabel('Title').fill('Example status');
    await page.getByLabel('Domain (optional)').fill('https://status.example.com');
    await page.getByLabel('Heading (optional)').fill('C'.repeat(101));
    await page.getByLabel('Add websites and endpoints').fill('search');
    await page.getByRole('button', { name: 'Add Search · Shop' }).click();
    await page.getByLabel('Add websites and endpoints').fill('checkout');
    await page.getByRole('button', { name: 'Add Checkout · Shop' }).click();
    await page.getByRole('button', { name: 'Move Checkout · Shop up' }).click();
    await page.getByLabel('Public', { exact: true }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.locator('.error, [role=alert]').allTextContents()).toEqual([
      'Domain must be a host name such as status.example.com, without scheme, port and path',
      'Heading must have at most 100 characters',
      'Some fields are not valid.',
    ]);
    expect(await visit.barriers()).toEqual([]);
    // The browser itself notes the refused request.
    const complaints = visit.complaints.splice(0);
    expect(complaints.every((complaint) => complaint.includes('400'))).toBe(true);

    await page.getByLabel('Domain (optional)').fill('');
    await page.getByLabel('Heading (optional)').fill('Core');
    await page.getByRole('button', { name: 'Save' }).click();
    const open = page.getByRole('link', { name: 'Open', exact: true });
    await open.waitFor();
    expect(await visit.barriers()).toEqual([]);
    const address = await open.getAttribute('href');
    expect(address).toBe('/status/example-status');

    await page.goto(app.url + address);
    expect(await page.locator('.group').allTextContents()).toEqual(['Core']);
    expect(await page.locator('.endpoints h4').allTextContents()).toEqual(['Checkout', 'Search']);
    await page.locator('summary').first().press('Enter');
    expect(await page.locator('details[open] li').first().innerText()).toContain('no data');
    expect([await visit.barriers(), visit.complaints]).toEqual([[], []]);
    await visit.close();
  });

  it('of a website are made from the website and edited with the others', async () => {
    const visit = await Visit.start(browser, app.url);
    const { page } = visit;
    await visit.signIn(app.write.key ?? '');
    await visit.open(`/websites/${website}`);
    await page.getByRole('button', { name: 'Make a status page' }).click();
    await page.getByLabel('Public', { exact: true }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Open', exact: true }).waitFor();
    await visit.open(`/websites/${website}`);
    await page.getByRole('link', { name: '/status/shop' }).waitFor();
    expect(visit.complaints).toEqual([]);
    await visit.close();
  });

  it('show a read key what there is, and no button that changes it', async () => {
    const visit = await Visit.start(browser, app.url);
    const { page } = visit;
    await visit.signIn(app.read.key ?? '');
    await visit.open('/status-pages');
    await page.getByRole('region', { name: 'Status pages' }).waitFor();
    expect(await page.getByRole('link', { name: 'New status page' }).count()).toBe(0);
    await page.getByRole('region', { name: 'Status pages' }).getByRole('link').first().click();
    await page.getByLabel('Title').waitFor();
    expect(await page.getByRole('button', { name: /Save|Delete|Remove|Add|Up/ }).count()).toBe(0);
    await visit.close();
  });

  describe('for the reader', () => {
    beforeAll(async () => {
      const body = { title: 'Zones & <more>', slug: 'zones', groups: [{ websites: [website] }], enabled: true };
      await app.write.post('/status-pages', body);
    });

    it.each([
      [true, /^Times are in your zone, Asia\/Tokyo/],
      [false, /^Times and days are in UTC/],
    ])('times are in a zone that is named, with scripts: %s', async (javaScriptEnabled, zone) => {
      const context = await browser.newContext({ timezoneId: 'Asia/Tokyo', locale: 'en-GB', javaScriptEnabled });
      const page = await context.newPage();
      await page.goto(`${app.url}/status/zones`);
      expect(await page.locator('#zone').textContent()).toMatch(zone);
      const time = page.locator('time').first();
      const iso = (await time.getAttribute('datetime')) ?? '';
      const inTokyo = new Date(iso).toLocaleString('en-GB', {
        timeZone: 'Asia/Tokyo',
        dateStyle: 'medium',
        timeStyle: 'short',
      });
      const inUtc = `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
      expect(await time.textContent()).toBe(javaScriptEnabled ? inTokyo : inUtc);
      expect(await time.getAttribute('title')).toBe(javaScriptEnabled ? inUtc : null);
      await context.close();
    });

    it('the feed is well-formed XML with the elements that RFC 4287 requires', async () => {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${app.url}/status/zones`);
      const text = await eventually('the feed', async () => (await fetch(`${app.url}/status/zones/feed.atom`)).text());
      const found = await page.evaluate<
        Record<'title' | 'id' | 'updated' | 'author' | 'wrong', string | null>
      >(`(() => {
        const feed = new DOMParser().parseFromString(${JSON.stringify(text)}, 'application/xml');
        const textOf = (selector) => feed.querySelector(selector)?.textContent ?? null;
        const [title, id, updated] = ['title', 'id', 'updated'].map((name) => textOf('feed > ' + name));
        return { wrong: textOf('parsererror'), title, id, updated, author: textOf('feed > author > name') };
      })()`);
      expect(found).toMatchObject({ wrong: null, title: 'Zones & <more>', author: 'Zones & <more>' });
      expect([found.id, Number.isNaN(Date.parse(found.updated ?? ''))]).toEqual([
        expect.stringMatching(/^urn:uuid:[0-9a-f-]{36}$/),
        false,
      ]);
      await context.close();
    });

    it('an address without a page says so, without a barrier', async () => {
      const visit = await Visit.start(browser, app.url, { width: 390 });
      await visit.page.goto(`${app.url}/status/nothing-here`);
      await visit.page.getByRole('heading', { name: 'No status page here' }).waitFor();
      expect([await visit.barriers(), await visit.overflow()]).toEqual([[], 0]);
      await visit.close();
    });
  });
});
