import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../packages/testing/eventually';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

describe('adding many endpoints', () => {
  let app: TestApp;
  let browser: Browser;
  let target: SwitchableServer;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    target = await SwitchableServer.start();
    app = await startOwnApp({ role: 'api', egressPrivate: 'allow' });
    browser = await launchBrowser();
    visit = await Visit.start(browser, app.url);
    page = visit.page;
    await visit.signIn(app.write.key ?? '');
  });
  afterAll(async () => {
    // The console logs each refusal: of a forbidden target, and of a busy service, which gets the request again.
    expect(visit.complaints.filter((text) => !text.includes('Failed to load resource'))).toEqual([]);
    await browser.close();
    await app.close();
    await target.close();
  });

  const endpoints = async () => (await app.read.get<{ name: string; url: string; type: string }[]>('/endpoints')).body;

  it('reads twelve addresses from pasted text, tests them, and creates them in one request', async () => {
    const addresses = Array.from({ length: 12 }, (_, i) => `${target.url}/site-${i + 1}`);
    await page.keyboard.press('n');
    await page.getByLabel('URL, host, or host:port').waitFor();
    await eventually('the field has the focus', () =>
      page.evaluate<boolean>('document.activeElement?.tagName === "INPUT"'),
    );
    await visit.paste(addresses.join('\n'));
    await page.getByText('12 endpoints tested: 12 up.').waitFor({ timeout: 60_000 });
    expect(await page.getByRole('list', { name: 'Endpoints to create' }).getByText('Up', { exact: true }).count()).toBe(
      12,
    );
    expect(await visit.barriers()).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await visit.overflow()).toBe(0);
    await page.setViewportSize({ width: 1280, height: 900 });

    await page.getByRole('button', { name: 'Create 12' }).click();
    await page.getByText('12 endpoints created.').waitFor();

    expect((await endpoints()).map(({ url }) => url).sort()).toEqual([...addresses].sort());
  });

  it('adds the addresses of a sitemap, creates none if one is refused and names it, and creates the others without it', async () => {
    target.body = `<urlset><url><loc>${target.url}/a</loc></url><url><loc>${target.url}/b</loc></url></urlset>`;
    await visit.open('/new/many');
    await page.getByLabel('From a sitemap').fill(target.url);
    await page.getByRole('button', { name: 'Read sitemap' }).click();
    await page.getByText('2 URLs read.').waitFor();
    const list = page.getByRole('list', { name: 'Endpoints to create' });
    await page.getByLabel('URLs or hosts, one per line').focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('\n169.254.169.254');
    await list.getByText('link-local', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Create 3' }).click();
    await page.getByRole('alert').waitFor();
    expect(await endpoints()).toHaveLength(12);
    await page.getByRole('button', { name: 'Remove icmp://169.254.169.254' }).click();
    await page.getByLabel(`Name of ${target.url}/b`).fill('The second');
    await page.getByRole('button', { name: 'Create 2' }).click();
    await eventually('both are there', async () => (await endpoints()).length === 14);
    expect((await endpoints()).slice(12).map(({ name }) => name)).toEqual([
      expect.stringContaining('/a'),
      'The second',
    ]);
  });
});
