import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { ExpiryJob } from '../../src/alert/expiry/expiry.job';
import { parseId } from '../../src/platform/ids/id';
import type { HttpProviderFake } from '../../packages/testing/channel/provider-double';
import { fakePagerDuty } from '../../packages/testing/providers/pagerduty';
import { fakeSlack } from '../../packages/testing/providers/slack';
import { fakeTwilio } from '../../packages/testing/providers/twilio';
import { always, HttpTarget, rawResponse } from '../../packages/testing/servers/http-target';
import type { Alert, Endpoint, Website } from '../../web/src/api/types';
import { Alerting, type Result } from '../harness/app/alerting';
import { DeliveryScene } from '../harness/app/delivery-scene';
import { newContact, newEndpoint, newWebsite } from '../harness/app/resources';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { TlsAuthority } from '../harness/servers/tls-authority';
import { launchBrowser, Visit } from './browser';
import { StepRecorder } from './step-recorder';

jest.setTimeout(120_000);

const ROOT = resolve(__dirname, '../..');
const MINUTE = 60_000;
const LOGO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
/** The maximum time that a user waits, if the issue names one. */
const AIMS = new Map([['a', ' (at most 20 s)']]);
/** The time zone in which it is six in the morning, so that current events happened last night. */
const AT_SIX = (() => {
  const east = ((6 - new Date().getUTCHours() + 12 + 24) % 24) - 12;
  return `Etc/GMT${east > 0 ? '-' : '+'}${Math.abs(east)}`;
})();

/**
 * The eight tasks of the second dashboard review, as a user does them who starts on the overview. The steps are
 * recorded in the page and match docs/contributing/before-after.md. Their durations are only printed, because a machine that runs
 * tests is slower than a user's machine.
 */
describe('the eight tasks of a working day', () => {
  let scene: DeliveryScene;
  let browser: Browser;
  let sites: SwitchableServer;
  let authority: TlsAuthority;
  let ending: HttpTarget;
  let receivers: Record<'On call' | 'Team' | 'Manager', HttpProviderFake>;
  let visit: Visit;
  let page: Page;
  let recorder: StepRecorder;
  let checkout: string;
  const tasks: { name: string; steps: number; screens: number; seconds: number }[] = [];

  beforeAll(async () => {
    authority = await TlsAuthority.create();
    const tls = await authority.issue({ untilDays: 10.5 });
    const [pager, chat, phone] = await Promise.all([fakePagerDuty(), fakeSlack(), fakeTwilio()]);
    receivers = { 'On call': pager, Team: chat, Manager: phone };
    for (const receiver of Object.values(receivers)) receiver.acceptAll();
    [scene, browser, sites, ending] = await Promise.all([
      DeliveryScene.start({ statusPageDomains: 'allow' }),
      launchBrowser(),
      SwitchableServer.start(),
      HttpTarget.listen(always(rawResponse(200)), { tls }),
    ]);
    const { admin } = scene.app;
    const shop = await newWebsite(admin, 'Example shop');
    checkout = await newEndpoint(admin, shop, { enabled: false });
    await newEndpoint(admin, shop, { name: 'Old shop', url: ending.url(), tls: { ca: authority.rootPem } });
    await newContact(admin, { name: 'On call', type: 'pagerduty', config: pager.config() });
    await newContact(admin, { name: 'Team', type: 'slack', config: chat.config() });
    await newContact(admin, { name: 'Manager', type: 'twilio', config: phone.config() });

    visit = await Visit.start(browser, scene.app.url, { timezoneId: AT_SIX });
    page = visit.page;
    recorder = await StepRecorder.on(visit);
    await visit.signIn(admin.key ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await scene.close();
    for (const server of [sites, ending]) await server.close();
    for (const receiver of Object.values(receivers)) await receiver.stop();
    console.log(
      tasks.map(({ name, seconds }) => `${name}: ${seconds.toFixed(1)} s${AIMS.get(name[0] ?? '') ?? ''}`).join('\n'),
    );
  });
  afterEach(() => expect(visit.complaints).toEqual([]));

  /** Runs a task, starting on the overview, and records its steps and duration. */
  async function task(name: string, work: () => Promise<unknown>) {
    await visit.open('/');
    await visit.settled();
    recorder.begin();
    const began = performance.now();
    await work();
    const seconds = (performance.now() - began) / 1000;
    const { steps, screens } = recorder.taken();
    tasks.push({ name, steps: steps.length, screens: screens.length - 1, seconds });
    return { steps, screens: screens.slice(1) };
  }
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const follow = (name: string) => page.getByRole('link', { name, exact: true }).first().click();
  const keys = async (...all: string[]) => {
    for (const key of all) await page.keyboard.press(key);
  };
  /** Checks the checkout endpoint this many minutes later, and sends everything that is due. */
  async function checked(afterMinutes: number, result: Result): Promise<void> {
    scene.clock.advance(afterMinutes * MINUTE);
    const endpointId = parseId('endpoint', checkout) ?? '';
    await Alerting.of(scene.nest).check([{ endpointId, result }], 'connection refused', scene.now());
    await scene.deliver();
  }
  const heard = () => Object.values(receivers).map(({ requests }) => requests.length);

  it('a: watches twelve sites from a list', async () => {
    const addresses = Array.from({ length: 12 }, (_, at) => `${sites.url}/site-${at + 1}`);
    const { steps } = await task('a. Twelve sites from a list', async () => {
      await keys('n');
      await page.getByLabel('URL, host, or host:port').and(page.locator(':focus')).waitFor();
      await visit.paste(addresses.join('\n'));
      await page.getByText('12 endpoints tested: 12 up.').waitFor({ timeout: 60_000 });
      await click('Create 12');
      await page.getByText('12 endpoints created.').waitFor();
    });
    expect(steps).toEqual(['key n', 'paste URL, host, or host:port', 'click Create 12']);
    const { body } = await scene.app.read.get<Endpoint[]>('/endpoints');
    expect(body.flatMap(({ url }) => (addresses.includes(url) ? [url] : []))).toHaveLength(12);
  });

  it('b: has the pager and the chat notified at once, the manager after half an hour, with six inputs', async () => {
    const { steps } = await task('b. PagerDuty and Slack at once, the manager after 30 minutes', async () => {
      await follow('Alerts');
      await follow('Escalation');
      await page.getByRole('combobox', { name: 'Escalation of' }).fill('example shop');
      await keys('Enter');
      await click('Notify On call at once');
      await click('Notify Team at once');
      await click('Notify Manager after 30 min');
      await click('Save');
      await page.getByText('The escalation of Example shop is saved.').waitFor();
    });
    const [, , ...inputs] = steps;
    expect(inputs).toEqual([
      'input Escalation of',
      'click Notify On call at once',
      'click Notify Team at once',
      'click Notify Manager after 30 min',
      'click Save',
    ]);
    const { body } = await scene.app.read.get<Alert[]>('/alerts');
    const ofOne = body.filter(({ endpoint_id }) => endpoint_id === checkout);
    expect(Object.fromEntries(ofOne.map(({ type, after }) => [type, after]))).toEqual({
      pagerduty: 0,
      slack: 0,
      twilio: 1800,
    });
  });

  it('c: plans a window on Sundays from two to four in Berlin', async () => {
    const { steps } = await task('c. Every Sunday 02:00 to 04:00 in Berlin', async () => {
      await follow('Maintenance');
      await follow('New window');
      await page.getByLabel('Name', { exact: true }).fill('Backups');
      await page.getByLabel('How often').selectOption('on days of the week');
      await page.getByRole('combobox', { name: 'Time zone' }).fill('berlin');
      await keys('Enter');
      await click('Create');
      await page.getByRole('heading', { name: 'Backups' }).waitFor();
    });
    expect(steps).toEqual([
      'click Maintenance',
      'click New window',
      'input Name',
      'input How often',
      'input Time zone',
      'click Create',
    ]);
    const { body } = await scene.app.read.get<object[]>('/maintenance-windows');
    expect(body).toMatchObject([{ cron: '0 2 * * 0', timezone: 'Europe/Berlin', duration: 7200, public: false }]);
  });

  it('d: finds on one screen why the checkout was down last night, and who was notified when', async () => {
    await checked(0, 'F');
    await checked(1, 'F');
    await checked(1, 'F');
    expect(heard()).toEqual([1, 1, 0]);
    await checked(31, 'F');
    expect(heard()).toEqual([1, 1, 1]);
    await checked(1, 'S');
    await checked(1, 'S');

    const incident = page.getByRole('list', { name: 'Alert events' }).getByRole('listitem');
    const told = (who: string) => incident.getByRole('row').filter({ hasText: who }).filter({ hasText: 'Triggered' });
    const { steps, screens } = await task('d. Why was checkout down last night, who was notified when', async () => {
      await keys('g', 'e');
      await page.getByLabel('Time', { exact: true }).selectOption('Last night');
      await incident.locator('summary').click();
      await told('Manager').getByText('Delivered').waitFor();
    });
    expect(steps).toEqual(['key g', 'key e', 'input Time', expect.stringMatching(/^click Checkout, down /)]);
    expect(screens).toEqual(['/alerts/events']);
    await incident.getByText(/^Checkout, down .*: connection refused$/).waitFor();
    await incident.getByText(/On call \(PagerDuty\) reached/).waitFor();
    for (const who of ['On call', 'Team', 'Manager'])
      expect(await told(who).allTextContents()).toEqual([expect.stringMatching(/\d\d:\d\d.*Delivered/)]);
  });

  it("e: gives a customer a status page with a logo, under the customer's domain", async () => {
    const { steps } = await task('e. A customer’s page with logo and domain', async () => {
      await follow('Status pages');
      await follow('New status page');
      await page.getByLabel('Title').fill('Example status');
      await page.getByLabel('Domain (optional)').fill('status.example.com');
      const logo = { name: 'logo.png', mimeType: 'image/png', buffer: LOGO };
      await page.getByLabel('Logo (optional)').setInputFiles(logo);
      await click('Add Example shop, all of 2 endpoints');
      await page.getByLabel('Public', { exact: true }).check();
      await click('Save');
      await page.getByRole('link', { name: 'Open', exact: true }).waitFor();
    });
    expect(steps).toEqual([
      'click Status pages',
      'click New status page',
      'input Title',
      'input Domain (optional)',
      'file Logo (optional)',
      'click Add Example shop, all of 2 endpoints',
      'click Public',
      'click Save',
    ]);
    const shown = await seenUnder('status.example.com');
    expect(shown).toContain('Checkout');
    expect(shown).toMatch(/<img[^>]+logo/);
  });

  it('f: migrates from Uptime Kuma', async () => {
    const backup = JSON.parse(readFileSync(join(ROOT, 'test/fixtures/moving-in/uptime-kuma-1.json'), 'utf8')) as {
      monitorList: { active: boolean }[];
    };
    // Requests nothing outside this machine.
    for (const monitor of backup.monitorList) monitor.active = false;
    const before = (await scene.app.read.get<Website[]>('/websites')).body.length;
    const { steps } = await task('f. From Uptime Kuma', async () => {
      await follow('Settings');
      await follow('Import and export');
      const buffer = Buffer.from(JSON.stringify(backup));
      await page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'kuma.json', mimeType: 'text/json', buffer });
      await click('Show the plan');
      await page.getByRole('region', { name: 'Differences' }).waitFor();
      await click('Apply');
      await page.getByText(/^\d+ created/).waitFor();
    });
    expect(steps).toEqual([
      'click Settings',
      'click Import and export',
      'file File',
      'click Show the plan',
      'click Apply',
    ]);
    expect((await scene.app.read.get<Website[]>('/websites')).body.length).toBeGreaterThan(before);
  });

  it('g: gives a colleague read access, with a link to send', async () => {
    const { steps } = await task('g. Read access for a colleague', async () => {
      await follow('Settings');
      await page.getByLabel('Email').fill('colleague@example.com');
      await click('Invite');
      await click('Copy link');
    });
    expect(steps).toEqual(['click Settings', 'input Email', 'click Invite', 'click Copy link']);
    const link = (await page.getByRole('status').locator('pre').textContent()) ?? '';
    const colleague = await Visit.start(browser, scene.app.url);
    await colleague.page.goto(link);
    await colleague.page.getByLabel('Name').fill('Colleague');
    await colleague.page.getByLabel('Password', { exact: true }).fill('three wise monkeys');
    await colleague.page.getByRole('button', { name: 'Create account' }).click();
    await colleague.page.locator('.row', { hasText: 'Checkout' }).waitFor();
    expect(await colleague.page.getByRole('link', { name: 'Add endpoint' }).count()).toBe(0);
    expect(colleague.complaints).toEqual([]);
    await colleague.close();
  });

  it('h: sees a certificate that expires in ten days, and who is notified', async () => {
    const row = page.getByRole('row').filter({ hasText: 'Old shop' });
    const { steps, screens } = await task('h. A certificate that ends in ten days', async () => {
      await page.getByRole('link', { name: 'expires soon' }).click();
      await row.getByText('10 days').first().waitFor();
    });
    expect(steps).toEqual(['click 1 expires soon']);
    expect(screens).toEqual(['/certificates']);
    await row.getByText('Team').waitFor();

    const [pagers = 0, ...people] = heard();
    await scene.nest.get(ExpiryJob).run();
    await scene.deliver();
    expect(heard()).toEqual([pagers, ...people.map((messages) => messages + 1)]);
    expect(receivers.Team.messages().at(-1)?.text).toMatch(/certificate/i);
    for (const receiver of Object.values(receivers)) receiver.verify();
  });

  it('takes as many steps as docs/contributing/before-after.md claims', () => {
    const page = readFileSync(join(ROOT, 'docs/contributing/before-after.md'), 'utf8');
    const rows = [...page.matchAll(/^\| ([a-h]\. .*?) +\|.*\| (\d+) steps?, (\d+) screens? +\|$/gm)];
    expect(rows.map(([, name, steps, screens]) => ({ name, steps: Number(steps), screens: Number(screens) }))).toEqual(
      tasks.map(({ name, steps, screens }) => ({ name, steps, screens })),
    );
  });

  /** Returns the page as a visitor of the domain sees it. */
  function seenUnder(host: string): Promise<string> {
    return new Promise((done, failed) => {
      request(scene.app.url, { headers: { host } }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => (body += text));
        response.on('end', () => done(body));
      })
        .on('error', failed)
        .end();
    });
  }
});
