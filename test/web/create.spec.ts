import type { Browser, Page } from 'playwright-core';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { eventually } from '../../packages/testing/eventually';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

const FIELD = 'URL, host, or host:port';

describe('the form that creates an endpoint', () => {
  let app: TestApp;
  let browser: Browser;
  let target: SwitchableServer;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    target = await SwitchableServer.start();
    app = await startOwnApp({ role: 'api' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
    await target.close();
  });
  beforeEach(async () => {
    visit = await Visit.start(browser, app.url);
    page = visit.page;
    await visit.signIn(app.write.key ?? '');
  });
  afterEach(() => visit.close());

  const focusedLabel = (): Promise<string> =>
    page.evaluate<string>('document.activeElement?.labels?.[0]?.textContent ?? document.activeElement?.tagName');
  const websites = async (): Promise<{ id: string; name: string; url: string }[]> =>
    (await app.read.get<{ id: string; name: string; url: string }[]>('/websites')).body;

  /** Opens the form and moves the focus elsewhere. */
  const openForm = async () => {
    await visit.open('/new');
    await page.getByLabel(FIELD).waitFor();
  };

  const WAYS: [string, () => Promise<unknown>][] = [
    ['the key n', () => page.keyboard.press('n')],
    [
      'the key n, after a click into the page',
      () =>
        page
          .locator('h1')
          .click()
          .then(() => page.keyboard.press('n')),
    ],
    ['the link of the empty overview', () => page.getByRole('link', { name: 'Add endpoint' }).click()],
    ['opening its URL', () => visit.open('/new')],
    ['a reload', () => visit.open('/new').then(() => page.reload())],
    [
      'the back button',
      () =>
        visit
          .open('/new')
          .then(() => visit.open('/alerts'))
          .then(() => page.goBack()),
    ],
  ];

  it.each(WAYS)('has the focus in the URL field after %s', async (_, go) => {
    await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor();
    await go();
    await page.getByLabel(FIELD).waitFor();
    await eventually('the field has the focus', async () => (await focusedLabel()) === FIELD);
    await page.keyboard.type('gateway.example.com/?x');
    expect(await page.getByLabel(FIELD).inputValue()).toBe('gateway.example.com/?x');
    expect(page.url()).toMatch(/#\/new$/);
  });

  it('has the focus in the title of any other page that is opened', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await eventually('the title has the focus', async () => (await focusedLabel()) === 'H1');
  });

  it('shows at the URL field that nothing is entered, and sends nothing', async () => {
    await openForm();
    for (const name of ['Add endpoint', 'Test']) {
      await page.getByRole('button', { name }).click();
      await page.locator('.field .error', { hasText: 'Enter a URL, a host, or host:port.' }).waitFor();
    }
    expect(await page.locator('.field .error').count()).toBe(1);
    expect(await page.getByLabel(FIELD).getAttribute('aria-invalid')).toBe('true');
  });

  it('explains errors of an interval, a timeout, and a condition, each once', async () => {
    await openForm();
    await page.getByLabel(FIELD).fill('shop.example.com');
    await page.getByLabel('Interval (seconds)').fill('0');
    await page.getByLabel('Timeout (seconds)').fill('999');
    await page.getByText('Conditions for up').click();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Target of condition 1').fill('banana');
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.locator('.error, [role=alert]').allTextContents()).toEqual([
      'Interval must be at least 1 second',
      'Timeout must be at most 300 seconds',
      'Target must be status codes and ranges such as 200-299,301',
      'Some fields are not valid.',
    ]);
  });

  it.each([
    ['169.254.169.254', 'HTTP'],
    ['127.0.0.1:99999', 'TCP'],
    ['ftp://files.example.com', 'HTTPS'],
  ])('shows at the URL field why %s cannot be watched, and leaves no website behind', async (url, type) => {
    await openForm();
    await page.getByLabel(FIELD).fill(url);
    await page.getByLabel('Name', { exact: true }).fill('Refused');
    await page.getByLabel('Type').selectOption(type);
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await eventually(
      'the field is wrong',
      async () => (await page.getByLabel(FIELD).getAttribute('aria-invalid')) === 'true',
    );
    const error = await page
      .locator('.field', { has: page.getByLabel(FIELD) })
      .locator('.error')
      .textContent();
    expect(error).not.toContain('complete URL');
    expect(await page.getByRole('alert').textContent()).toBe('Some fields are not valid.');
    expect(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBeNull();
    expect(await page.getByLabel('Website name').getAttribute('aria-invalid')).toBeNull();
    expect(await websites()).toEqual([]);
  });

  it('keeps the form until it is discarded, and in no storage of the browser', async () => {
    await openForm();
    await page.getByLabel(FIELD).fill('https://draft.example.com/?token=1');
    await page.getByRole('link', { name: 'Alerts' }).click();
    const left = page.getByRole('complementary', { name: 'Unsaved changes' });
    await left.getByText('You have an unsaved endpoint').waitFor();
    expect(await visit.barriers()).toEqual([]);
    await left.getByRole('link', { name: 'continue' }).click();
    await left.getByText('You have not saved this yet.').waitFor();
    expect(await page.getByLabel(FIELD).inputValue()).toBe('https://draft.example.com/?token=1');
    const stored = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(stored).not.toContain('draft.example.com');
    await left.getByRole('button', { name: 'Discard' }).click();
    await eventually('the form is empty', async () => (await page.getByLabel(FIELD).inputValue()) === '');
    expect(await left.count()).toBe(0);
  });

  it('shows the errors of the names of website and endpoint each at its own field', async () => {
    await openForm();
    await page.getByLabel(FIELD).fill('shop.example.com');
    await page.getByLabel('Website name').fill('w'.repeat(300));
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    const invalid = (label: string) => page.getByLabel(label, { exact: true }).getAttribute('aria-invalid');
    await eventually('the website is wrong', async () => (await invalid('Website name')) === 'true');
    expect([await invalid('Name'), await invalid(FIELD)]).toEqual([null, null]);
    await page.getByLabel('Website name').fill('Shop');
    await page.getByLabel('Name', { exact: true }).fill('e'.repeat(300));
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await eventually('the endpoint is wrong', async () => (await invalid('Name')) === 'true');
    expect(await invalid('Website name')).toBeNull();
    expect(await websites()).toEqual([]);
  });

  it('removes the result of a test when the tested settings change', async () => {
    target.status = 200;
    await openForm();
    await page.getByLabel(FIELD).fill(target.url);
    const verdict = page.locator('.verdict');
    const CHANGES: [string, () => Promise<unknown>][] = [
      ['the URL', () => page.getByLabel(FIELD).fill(`${target.url}/broken`)],
      ['the method', () => page.getByLabel('Method').selectOption('HEAD')],
      ['the timeout', () => page.getByLabel('Timeout (seconds)').fill('7')],
    ];
    for (const [what, change] of CHANGES) {
      await page.getByRole('button', { name: 'Test' }).click();
      await verdict.waitFor();
      await change();
      await eventually(`the verdict is gone after a change of ${what}`, async () => (await verdict.count()) === 0);
    }
    await page.getByRole('button', { name: 'Test' }).click();
    await verdict.waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Another name');
    expect(await verdict.count()).toBe(1);
  });

  it('shows errors of TLS settings at their fields, and saves valid ones', async () => {
    await openForm();
    await page.getByLabel(FIELD).fill('https://nas.example.com/?token=1');
    await page.getByText('TLS', { exact: true }).click();
    await page.getByLabel('Server certificate', { exact: true }).selectOption('Not verified');
    await page.getByLabel('Trusted certificates (optional)').fill('MIIB');
    await page.getByLabel('Server name (optional)').fill('192.0.2.1');
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    const labels = ['Server certificate', 'Trusted certificates (optional)', 'Server name (optional)'];
    for (const label of labels) {
      const field = page.getByLabel(label, { exact: true });
      await eventually(`${label} is wrong`, async () => (await field.getAttribute('aria-invalid')) === 'true');
    }
    await page.getByLabel(FIELD).fill('https://nas.example.com/');
    await page.getByLabel('Trusted certificates (optional)').fill('');
    await page.getByLabel('Server name (optional)').fill('nas.lan');
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('heading', { name: 'nas.example.com' }).waitFor();
    const [website] = await websites();
    const { body } = await app.write.get<{ tls: object }[]>(`/websites/${website?.id}/endpoints`);
    expect(body.map(({ tls }) => tls)).toEqual([{ verify: false, ca: null, server_name: 'nas.lan', warn_days: 14 }]);
    await app.write.delete(`/websites/${website?.id}`);
  });

  it('creates website and endpoint in one request, and a copy of the endpoint with its settings', async () => {
    const sent: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      // The URL is tested when the user pauses.
      if (request.method() === 'POST' && pathname !== '/api/v1/endpoints/test') sent.push(pathname);
    });
    await openForm();
    await page.getByLabel(FIELD).fill('https://shop.example.com/checkout');
    await page.getByLabel('Interval (seconds)').fill('90');
    await page.getByText('Request headers and body').click();
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel('Name of header 1').fill('Authorization');
    await page.getByLabel('Value of header 1').fill('Bearer of news');
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('heading', { name: 'shop.example.com/checkout' }).waitFor();
    expect(sent).toEqual(['/api/v1/websites']);
    expect(await page.getByRole('complementary', { name: 'Unsaved changes' }).count()).toBe(0);
    const [website] = await websites();
    expect([website?.name, website?.url]).toEqual(['shop.example.com', 'https://shop.example.com/']);

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('link', { name: 'Clone' }).click();
    await page.getByRole('heading', { name: 'A copy of shop.example.com/checkout' }).waitFor();
    await page.getByLabel(FIELD).fill('https://shop.example.com/basket');
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('heading', { name: 'shop.example.com/checkout copy', exact: true }).waitFor();
    const { body } = await app.write.get<{ url: string; interval: number; headers: { value: string }[] }[]>(
      `/websites/${website?.id}/endpoints`,
    );
    expect(body.map(({ url, interval, headers }) => [url, interval, headers[0]?.value])).toEqual([
      ['https://shop.example.com/checkout', 90, 'Bearer of news'],
      ['https://shop.example.com/basket', 90, 'Bearer of news'],
    ]);
  });
});
