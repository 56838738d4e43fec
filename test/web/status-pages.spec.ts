import type { Browser } from 'playwright-core';
import { Database } from '../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { eventually } from '../../packages/testing/eventually';
import { writeDay, writeOutage, writeState, writeWindow } from '../harness/app/announced-work';
import { newDetectedIncident } from '../harness/app/incidents';
import { newEndpoint, newWebsite } from '../harness/app/resources';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

describe('status pages in the browser', () => {
  let app: TestApp;
  let browser: Browser;
  let website: string;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    website = await newWebsite(app.write, 'Shop');
    await newEndpoint(app.write, website, { name: 'Checkout' });
    await newEndpoint(app.write, website, { name: 'Search' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  it('are created with a choice of endpoints, show errors at the field, and can be opened', async () => {
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
    // The browser logs the refused request.
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
    await page.locator('.menu summary').press('Enter');
    expect(await page.locator('.menu[open] strong').allTextContents()).toEqual(['Feed', 'Calendar', 'JSON']);
    expect([await visit.barriers(), visit.complaints]).toEqual([[], []]);
    await visit.close();
  });

  it('of a website are created from the website and edited with the others', async () => {
    const visit = await Visit.start(browser, app.url);
    const { page } = visit;
    await visit.signIn(app.write.key ?? '');
    await visit.open(`/websites/${website}`);
    await page.getByRole('button', { name: 'Create a status page' }).click();
    await page.getByLabel('Public', { exact: true }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Open', exact: true }).waitFor();
    await visit.open(`/websites/${website}`);
    await page.getByRole('link', { name: '/status/shop' }).waitFor();
    expect(visit.complaints).toEqual([]);
    await visit.close();
  });

  it('show a read key the existing pages, and no button that changes them', async () => {
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
    ])('shows times in a named zone, with scripts: %s', async (javaScriptEnabled, zone) => {
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

    it('shows a not-found page at an unused URL, without accessibility errors', async () => {
      const visit = await Visit.start(browser, app.url, { width: 390 });
      await visit.page.goto(`${app.url}/status/nothing-here`);
      await visit.page.getByRole('heading', { name: 'Status page not found' }).waitFor();
      expect([await visit.barriers(), await visit.overflow()]).toEqual([[], 0]);
      await visit.close();
    });

    describe('of incidents', () => {
      beforeAll(async () => {
        const { write } = await app.organization('Telling');
        const shop = await newWebsite(write, 'Telling shop');
        const [login = '', search = '', mail = ''] = await Promise.all(
          ['Login', 'Search of products', 'Mail'].map((name) => newEndpoint(write, shop, { name })),
        );
        for (let day = 1; day <= 80; day++) {
          for (const one of [login, search, mail])
            await writeDay(app, one, day, { down: one === login && day === 3 ? 60 : 0 });
        }
        for (const one of [login, search, mail]) await writeState(app, one, 'up');
        await writeOutage(app, mail, 30, false);
        await writeOutage(app, login, 72, false);
        const bad = [login, search].map((endpoint) => ({ endpoint, since: 73 * 60, until: 71 * 60 }));
        const over = await newDetectedIncident(app.app.get(Database), bad);
        const say = async (incident: string, body: object) =>
          expect((await write.post(`/incidents/${incident}/updates`, { public: true, ...body })).status).toBe(201);
        await say(over, { text: 'The load balancer lost power, and the one beside it was in maintenance.' });
        await say(over, { text: 'What we learned: https://blog.example.com/load-balancers.', status: 'postmortem' });
        const made = await write.post<{ id: string }>('/incidents', {
          title: 'Payments by card take long',
          scope: { endpoint_ids: [login, mail] },
          text: 'Some payments take more than a minute.\nNo money is lost.',
          public: true,
        });
        await say(made.body.id, {
          text: 'Our bank has a fault, see https://status.bank.example.com/?id=7.',
          status: 'identified',
        });
        await say(made.body.id, { text: 'The bank has repaired it. We keep an eye on it.', status: 'monitoring' });
        const page = {
          title: 'Example status',
          slug: 'told',
          enabled: true,
          groups: [{ endpoints: [login, search, mail] }],
        };
        expect((await write.post('/status-pages', page)).status).toBe(201);
      });

      it.each([
        ['told', '.hero h2', 'Payments by card take long', 320],
        ['told', '.hero h2', 'Payments by card take long', 1440],
        ['told/history', '.past h3', 'Payments by card take long', 390],
      ])(
        'shows %s with %s "%s" without accessibility errors, in both modes, %i pixels wide',
        async (path, where, text, width) => {
          const visit = await Visit.start(browser, app.url, { width });
          const { page } = visit;
          await page.goto(`${app.url}/status/${path}`);
          expect((await page.locator(where).first().innerText()).trim()).toBe(text);
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            expect([await visit.barriers(), await visit.overflow(), visit.complaints]).toEqual([[], 0, []]);
            const folder = process.env['SCREENSHOTS'];
            if (folder)
              await page.screenshot({
                path: `${folder}/${path.replace('/', '-')}-${width}-${colorScheme}.png`,
                fullPage: true,
              });
          }
          await visit.close();
        },
      );
    });

    describe('of announced work', () => {
      beforeAll(async () => {
        const organization = await app.organization('Announcing');
        const { orgId } = organization;
        const shop = await newWebsite(organization.write, 'Announcing shop');
        const [checkout = '', search = '', mail = ''] = await Promise.all(
          ['Checkout', 'Search', 'Mail'].map((name) => newEndpoint(organization.write, shop, { name })),
        );
        for (let day = 1; day <= 80; day++) {
          await writeDay(app, checkout, day, { down: day === 40 ? 200 : 0 });
          await writeDay(app, search, day, { down: day === 9 ? 3 : 0 });
          await writeDay(app, mail, day);
        }
        for (const day of [1, 8, 15]) await writeOutage(app, checkout, day * 24, true);
        await writeState(app, checkout, 'down');
        await writeState(app, search, 'degraded');
        await writeState(app, mail, 'up');
        const weekly = { name: 'Weekly patches', recurring: true, scope: { endpoints: [checkout, search] } };
        const past = [8, 15].map((day): [number, number] => [-day * 24 - 1, -day * 24 + 1]);
        const next = [20, 44, 68].map((hour): [number, number] => [hour, hour + 2]);
        await writeWindow(app, orgId, { ...weekly, times: [...past, ...next] });
        await writeWindow(app, orgId, {
          name: 'Database upgrade',
          description: 'The shop moves to new machines.\n\nOrders that were placed before are safe.',
          scope: { endpoints: [checkout] },
          times: [[-1, 1.5]],
        });
        await writeWindow(app, orgId, { name: 'Move to another data centre', times: [[90, 131]] });
        for (const [slug, endpointIds] of [
          ['work', [checkout, search, mail]],
          ['warned', [search, mail]],
        ] as const) {
          const body = { title: 'Example status', slug, enabled: true, groups: [{ endpoints: endpointIds }] };
          expect((await organization.write.post('/status-pages', body)).status).toBe(201);
        }
      });

      it.each([
        ['work', 'Maintenance in progress', 390],
        ['work', 'Maintenance in progress', 1280],
        ['warned', 'Degraded: Search', 390],
      ])(
        'shows on the page %s "%s" without accessibility errors, in both modes, %i pixels wide',
        async (slug, text, width) => {
          const visit = await Visit.start(browser, app.url, { width });
          const { page } = visit;
          await page.goto(`${app.url}/status/${slug}`);
          expect((await page.locator('.hero h2').innerText()).trim()).toBe(text);
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            expect([await visit.barriers(), await visit.overflow(), visit.complaints]).toEqual([[], 0, []]);
            const folder = process.env['SCREENSHOTS'];
            if (folder)
              await page.screenshot({ path: `${folder}/${slug}-${width}-${colorScheme}.png`, fullPage: true });
          }
          await visit.close();
        },
      );

      it.each([
        [true, /[A-Z][a-z]{2,3} \d{4}, \d{2}:\d{2}\s*–\s*(\d+ [A-Z][a-z]{2,3} \d{4}, )?\d{2}:\d{2}/],
        [false, /^[\d-]+ \d{2}:\d{2} to ([\d-]+ )?\d{2}:\d{2} UTC$/],
      ])('shows its times in the reader’s zone, with scripts: %s', async (javaScriptEnabled, form) => {
        const context = await browser.newContext({ timezoneId: 'Asia/Tokyo', locale: 'en-GB', javaScriptEnabled });
        const page = await context.newPage();
        await page.goto(`${app.url}/status/work`);
        const times = await page.locator('.times time').allTextContents();
        expect(times).toHaveLength(4);
        expect(times.filter((time) => form.test(time)).length).toBeGreaterThanOrEqual(2);
        await context.close();
      });
    });
  });
});
