import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../packages/testing/eventually';
import { onTerminal, signInLinkIn, type Terminal } from '../harness/processes/terminal';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { launchBrowser, Visit } from './browser';
import { smallPng } from './small-png';

jest.setTimeout(240_000);

const ROOT = resolve(__dirname, '../..');
const PICTURES = join(ROOT, 'docs/images/first-hour');
const IS_PICTURED = process.env['SCREENSHOTS'] === '1';
/** Files that a clone does not have. Built files are copied. CI proves that a clone builds, because it is one. */
const NOT_CLONED = new Set(['.git', '.cache', 'node_modules', 'data', 'coverage', '.env']);

/**
 * Returns a clone with installed packages and a build, as after `git clone`, `npm ci`, and the first part of `npm
 * start`.
 */
function cloned(): string {
  const folder = mkdtempSync(join(tmpdir(), 'uptime-first-hour-'));
  for (const name of readdirSync(ROOT).filter((name) => !NOT_CLONED.has(name)))
    cpSync(join(ROOT, name), join(folder, name), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/**
 * The first hour of a new user, in one go. `npm run pictures` uses it to create the pictures of docs/get-started/quickstart.md.
 * The duration of each step is printed, next to its maximum on two idle cores. It isn't asserted, because a machine
 * that runs tests isn't idle.
 */
describe('the first hour', () => {
  let folder: string;
  let terminal: Terminal;
  let browser: Browser;
  let shop: SwitchableServer;
  let receiver: SwitchableServer;
  let page: Page;
  const visits: Visit[] = [];
  const steps: string[] = [];

  beforeAll(async () => {
    [shop, receiver] = [await SwitchableServer.start(), await SwitchableServer.start()];
    folder = cloned();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await terminal.interrupt();
    await shop.close();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
    console.log(steps.join('\n'));
    expect(visits.flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  const someone = async (): Promise<Visit> => {
    const visit = await Visit.start(browser, new URL(signInLinkIn(terminal.shown)).origin, { height: 800 });
    visits.push(visit);
    return visit;
  };

  const timed = async (step: string, most: string, work: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    await work();
    steps.push(`${step}: ${((performance.now() - began) / 1000).toFixed(1)} s (${most})`);
  };

  const picture = async (name: string, of: Page = page): Promise<void> => {
    if (!IS_PICTURED) return;
    mkdirSync(PICTURES, { recursive: true });
    await of.mouse.move(2, 2);
    await of.waitForTimeout(500);
    writeFileSync(join(PICTURES, `${name}.png`), smallPng(await of.screenshot()));
  };

  it('starts in a fresh clone without any setting, and prints a link', async () => {
    await timed('from npm start until it listens', 'built: at most 3 s', async () => {
      terminal = onTerminal('npm start', folder, { HOST: '127.0.0.1', PORT: '0' });
      await eventually('the banner', () => terminal.shown.includes('└'), 120_000);
    });
    expect(signInLinkIn(terminal.shown)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\/sign-in\//);
  });

  it('creates the first account through the link: a name, an email, a password', async () => {
    const visit = await someone();
    page = visit.page;
    await timed('from the link into the dashboard', 'one form', async () => {
      await page.goto(signInLinkIn(terminal.shown));
      await page.getByLabel('Name', { exact: true }).fill('Ada');
      await page.getByLabel('Email').fill('ada@example.com');
      await page.getByLabel('Password', { exact: true }).fill('three wise monkeys');
      await picture('0-make-it-yours');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor();
    });
    await picture('1-signed-in');
  });

  it('watches a page: paste its address, create, green', async () => {
    await page.getByRole('link', { name: 'Add endpoint' }).click();
    // It has the focus without a click.
    await page.getByLabel('URL, host, or host:port').and(page.locator(':focus')).waitFor();
    await page.keyboard.type(`${shop.url}/checkout`);
    await page.getByLabel('Name', { exact: true }).fill('Checkout');
    await page.getByLabel('Website name').fill('Example shop');
    await page.getByLabel(/^(Every|Interval)/).fill('2');
    await page.getByLabel(/^(Give up after|Timeout)/).fill('1');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByRole('status').getByText('Answered in').waitFor();
    await picture('2-tested-before-it-is-saved');
    await timed('from Create until it is up', 'at most 2 s', async () => {
      await page.getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByRole('heading', { name: 'Checkout' }).waitFor();
      await page.locator('.head .status.up').waitFor();
    });
  });

  it('creates an alert, tested before it is saved', async () => {
    await page.getByRole('link', { name: 'Add an alert rule' }).click();
    await page.getByLabel('URL', { exact: true }).fill(receiver.url);
    await page.getByLabel('Failures in a row to trigger').fill('2');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await eventually('the test message has arrived', () => receiver.seen.length === 1);
    await picture('3-alert-tried-out');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('shown only once').waitFor();
  });

  it('is notified when the page breaks, by the receiver and on the page', async () => {
    const types = () => receiver.seen.map(({ body }) => (JSON.parse(body) as { type: string }).type);
    await page.getByRole('link', { name: 'Alerts', exact: true }).first().click();
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await timed('from the break until the alert has arrived', 'at most 60 s', async () => {
      shop.status = 503;
      await eventually('the alert has arrived', () => types().includes('alert.triggered'), 60_000);
    });
    await page.getByRole('list', { name: 'Alert events' }).getByText('Checkout is down').first().waitFor();
    await picture('4-told');
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.locator('.row', { hasText: 'Checkout' }).locator('.status-mark.down').first().waitFor();
    await picture('5-down');
  });

  it('publishes a status page, whose settings show that it is public', async () => {
    await page.getByRole('link', { name: 'Status pages', exact: true }).click();
    await page.getByRole('link', { name: 'New status page' }).click();
    await page.getByLabel('Title').fill('Example status');
    await page.getByLabel('Add websites and endpoints').fill('checkout');
    await page.getByRole('button', { name: 'Add Checkout · Example shop' }).click();
    await page.getByLabel('Public', { exact: true }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    const address = await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href');
    const reader = await someone();
    await reader.page.goto(`${reader.url}${address}`);
    await reader.page.getByRole('heading', { name: 'Example status' }).waitFor();
    expect(await reader.page.locator('.hero').first().getAttribute('class')).toContain('down');
    await picture('6-status-page', reader.page);
  });

  it('is notified when the page has recovered', async () => {
    await page.getByRole('link', { name: 'Alerts', exact: true }).first().click();
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await timed('from the repair until it is told', 'at most 60 s', async () => {
      shop.status = 200;
      await page.getByRole('list', { name: 'Alert events' }).getByText('Resolved').first().waitFor({ timeout: 60_000 });
    });
  });

  it('gives a second person read-only access', async () => {
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByLabel('Name of a new key').fill('Colleague');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Copy the key “Colleague” now').waitFor();
    const key = (await page.getByText(/^ums_r_\w+$/).textContent()) ?? '';
    const colleague = await someone();
    await colleague.signIn(key);
    await colleague.page.locator('.row', { hasText: 'Checkout' }).waitFor();
    expect(await colleague.page.getByRole('link', { name: 'Add endpoint' }).count()).toBe(0);
    await colleague.page.getByText('Live', { exact: true }).waitFor();
    await picture('7-second-person', colleague.page);
  });
});
