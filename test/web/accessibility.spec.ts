import type { Browser } from 'playwright-core';
import { Database } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { Browser as Person } from '../harness/app/browser';
import { sweepHeartbeats } from '../harness/app/heartbeats';
import { newAlert, newContact, newEndpoint, newWebsite } from '../harness/app/resources';
import { launchBrowser, Visit } from './browser';
import { showcase } from './showcase';
import { addIncidents, addOutage } from './showcase-incidents';
import { addPeople } from './showcase-people';
import { addProbes } from './showcase-probes';

jest.setTimeout(180_000);

/** Every page, in two parallel halves. `:name` is replaced with the ID of that name. */
const WATCHED = [
  '/',
  '/?status=down&q=pay',
  '/?q=nothing-like-this',
  '/endpoints/:Payments API',
  '/endpoints/:Name server',
  '/endpoints/:Nightly backup',
  '/endpoints/:Weekly report',
  '/endpoints/:Import',
  '/endpoints/:Payments API/edit',
  '/endpoints/:Storefront?view=locations',
  '/new',
  '/new/many',
  '/certificates',
  '/websites/:Example shop',
  '/reports',
  '/?wall',
];
const TOLD = [
  '/incidents',
  '/incidents/new',
  '/incidents/:Outage?public',
  '/escalation/:Payments API',
  '/alerts',
  '/alerts/events',
  '/alerts/failed',
  '/alerts/new',
  '/alerts/:slack alert',
  '/contacts',
  '/contacts/new',
  '/contacts/:Operations',
  '/maintenance',
  '/maintenance/new',
  '/maintenance/:Patch night',
  '/status-pages',
  '/status-pages/new',
  '/settings/keys',
  '/settings/probes',
  '/settings/organization',
  '/settings/audit-log',
  '/settings/configuration',
  '/settings/system',
  '/no-such-page',
];
/** Pages that look different for a user than for a key. */
const OWN = ['/settings/account', '/settings/people'];
/** Pages that draw something when they are empty. */
const EMPTY_PAGES = [
  '/',
  '/incidents',
  '/certificates',
  '/alerts',
  '/alerts/events',
  '/alerts/failed',
  '/contacts',
  '/maintenance',
  '/status-pages',
];
const WIDTHS = [1280, 390];
/** Other widths that must fit: the first at 200 % zoom, and the narrowest width in WCAG. */
const NARROWER: Readonly<Record<number, number>> = { 1280: 640, 390: 320 };
/** Everything that does not depend on colors is the same in dark mode. */
const COLOR_SCHEMES = [
  { colorScheme: 'light', rules: 'everything' },
  { colorScheme: 'dark', rules: 'colours' },
] as const;
const HALVES = ['what is watched', 'who is told'] as const;

describe('accessibility', () => {
  let app: TestApp;
  let browser: Browser;
  /** A key of an organization that is still empty. */
  let empty: TestApp['write'];
  let ids: Map<string, string>;
  /** An admin among other members. */
  let ada: Person;
  /**
   * The problems on the pages of the dashboard, by width. Both halves run at once, each in a separate browser
   * process.
   */
  let found: Map<number, Record<(typeof HALVES)[number], Promise<string[]>>>;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    ids = await showcase(app);
    ada = await addPeople(app);
    await addIncidents(app, ids);
    await addProbes(app, ids);
    ids.set('Outage', await addOutage(app, ids));
    await addQuiet();
    await addHeartbeats();
    ids.set('Operations', await newContact(app.write, { default: true }));
    const through = { type: undefined, config: undefined, contact_id: ids.get('Operations') };
    await newAlert(app.write, ids.get('Search') ?? '', through);
    empty = (await app.organization('Empty')).write;
    browser = await launchBrowser();
    found = new Map(
      WIDTHS.map((width) => {
        const watched = problemsOfWatched(width);
        const told = watched.then(() => problemsOfTold(width));
        for (const each of [watched, told]) each.catch(() => undefined);
        return [width, { 'what is watched': watched, 'who is told': told }];
      }),
    );
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });

  /** Adds a window in force and a future one, tags, a dependency, and an acknowledgement. */
  async function addQuiet(): Promise<void> {
    const [payments, primary] = [ids.get('Payments API'), ids.get('PostgreSQL primary')];
    const times = { starts_at: new Date().toISOString(), ends_at: new Date(Date.now() + 3_600_000).toISOString() };
    const weekly = { cron: '0 2 * * SUN', timezone: 'Asia/Kathmandu', duration: 7200 };
    const made = [
      await app.write.post<{ id: string }>('/maintenance-windows', {
        name: 'Move',
        scope: { endpoint_ids: [payments] },
        ...times,
      }),
      await app.write.put<{ id: string }>(`/endpoints/${payments}`, {
        tags: ['prod', 'payments'],
        depends_on: [primary],
      }),
      await app.write.put<{ id: string }>(`/endpoints/${payments}/acknowledgement`, { note: 'Restarting the workers' }),
      await app.write.post<{ id: string }>('/maintenance-windows', {
        name: 'Patch night',
        scope: { tags: ['prod'] },
        ...weekly,
      }),
    ];
    expect(made.map(({ status }) => status)).toEqual([201, 200, 200, 201]);
    ids.set('Patch night', made.at(-1)?.body.id ?? '');
  }

  /** Adds a job that runs again after a failure, a job that has not pinged yet, and a job that is late. */
  async function addHeartbeats(): Promise<void> {
    const website = ids.get('Example shop') ?? '';
    for (const [name, pings] of [
      ['Nightly backup', ['', '/start', '/3', '/start']],
      ['Weekly report', []],
      ['Import', ['']],
    ] as const) {
      const heartbeat = { every: 3600, grace: 60 };
      const id = await newEndpoint(app.write, website, { url: undefined, name, type: 'HEARTBEAT', heartbeat });
      const { body } = await app.write.get<{ heartbeat: { ping_id: string } }>(`/endpoints/${id}`);
      for (const ping of pings) {
        const path = `/ping/${body.heartbeat.ping_id}${ping}`;
        expect((await fetch(app.url + path, { method: 'POST', body: 'disk full' })).status).toBe(200);
      }
      ids.set(name, id);
    }
    const late = `UPDATE heartbeat SET expected_at = now() - interval '1 minute', deadline_at = now() WHERE endpoint_id = $1`;
    await app.app.get(Database).query(late, [parseId('endpoint', ids.get('Import'))]);
    await sweepHeartbeats(app);
  }

  const pathOf = (page: string): string =>
    page.replace(/:([A-Za-z ]+)/, (_, name: string) => ids.get(name) ?? `missing ${name}`);

  /** Returns the problems of the current page, in both color schemes, and in a window half as wide. */
  async function problemsOf(visit: Visit, name: string, width: number): Promise<string[]> {
    const problems: string[] = [];
    for (const { colorScheme, rules } of COLOR_SCHEMES) {
      await visit.page.emulateMedia({ colorScheme });
      await visit.settled();
      problems.push(...(await visit.barriers(rules)).map((barrier) => `${name}, ${colorScheme}: ${barrier}`));
    }
    const hidden = await visit.page
      .locator('.tabs [aria-current]')
      .evaluateAll((all, right) => all.filter((tab) => tab.getBoundingClientRect().right > right).length, width);
    if (hidden > 0) problems.push(`${name}: the tab of the page is out of sight`);
    for (const each of [width, NARROWER[width] ?? width]) {
      if (each !== width) {
        await visit.page.setViewportSize({ width: each, height: 900 });
        await visit.settled();
      }
      const cut = await visit.page
        .locator('.scroll:has(.blocks)')
        .evaluateAll((all) => all.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.ariaLabel));
      problems.push(...cut.map((label) => `${name}, ${each}: ${label} is cut`));
      if ((await visit.overflow()) > 0) problems.push(`${name}, ${each}: wider than the window`);
    }
    await visit.page.setViewportSize({ width, height: 900 });
    return problems;
  }

  /** Returns the problems of pages as seen with this key, and the problems of the window before that. */
  async function problemsAt(
    width: number,
    who: string | null | Person,
    pages: readonly string[],
    more: (visit: Visit) => Promise<string[]> = () => Promise.resolve([]),
  ): Promise<string[]> {
    const visit = await Visit.start(browser, app.url, { width });
    if (who instanceof Person) await visit.context.addCookies([who.asCookie]);
    else await visit.signIn(who ?? '');
    const problems: string[] = [];
    for (const page of pages) {
      await visit.open(pathOf(page));
      await visit.page.locator('main h1').first().waitFor({ state: 'attached' });
      problems.push(...(await problemsOf(visit, page, width)));
    }
    problems.push(...(await more(visit)), ...visit.complaints);
    await visit.close();
    return problems;
  }

  /**
   * The overview with its palette, every page linked from it, and on a phone the pages that draw something when they
   * are empty.
   */
  async function problemsOfWatched(width: number): Promise<string[]> {
    const inside = await problemsAt(width, app.admin.key, WATCHED, async (visit) => {
      await visit.open('/');
      await visit.page.locator('.row').first().waitFor();
      await visit.page.keyboard.press('Control+k');
      await visit.page.getByRole('dialog').getByRole('option').first().waitFor();
      return problemsOf(visit, 'palette', width);
    });
    // One column and a drawing. If they fit on a phone, they fit everywhere.
    return width > 390 ? inside : [...inside, ...(await problemsAt(width, empty.key, EMPTY_PAGES, askedWhoIsTold))];
  }

  /** The card that asks whom to notify, on the first endpoint of an organization without contacts. */
  async function askedWhoIsTold(visit: Visit): Promise<string[]> {
    const first = await newEndpoint(empty, await newWebsite(empty));
    await visit.open(`/endpoints/${first}`);
    await visit.page.getByRole('region', { name: 'Who should be notified?' }).waitFor();
    return problemsOf(visit, 'first contact', 390);
  }

  /** Alerts, windows, public pages and settings, the help, the sign-in page, and a user's settings. */
  async function problemsOfTold(width: number): Promise<string[]> {
    const told = await problemsAt(width, app.admin.key, TOLD, async (visit) => {
      await visit.page.keyboard.press('?');
      await visit.page.getByRole('dialog').waitFor();
      const help = await problemsOf(visit, 'help', width);
      await visit.page.keyboard.press('Escape');
      await visit.page.getByRole('button', { name: /^Sign out/ }).click();
      await visit.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      return [...help, ...(await problemsOf(visit, 'sign in', width))];
    });
    return [...told, ...(await problemsAt(width, ada, OWN, (visit) => invitedAndRemoved(visit, width)))];
  }

  /** The link of an invitation, and the confirmation before a member is removed. */
  async function invitedAndRemoved(visit: Visit, width: number): Promise<string[]> {
    const { page } = visit;
    await page.getByLabel('Email').fill(`dee.${width}@example.com`);
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('button', { name: 'Copy link' }).waitFor();
    const invited = await problemsOf(visit, 'invitation', width);
    await page.getByRole('button', { name: 'Remove Bo Larsen' }).click();
    await page.getByRole('dialog').getByLabel('Also revoke it').waitFor();
    return [...invited, ...(await problemsOf(visit, 'removal', width))];
  }

  it.each(HALVES.flatMap((half) => WIDTHS.map((width) => ({ half, width }))))(
    'has no errors on the pages of $half, light or dark, $width pixels wide, and they fit in',
    async ({ half, width }) => {
      expect(await found.get(width)?.[half]).toEqual([]);
    },
  );

  it('breaks no word of the navigation on a tablet, and marks chosen form controls in forced colors', async () => {
    const visit = await Visit.start(browser, app.url, { width: 1024 });
    const { page } = visit;
    await visit.signIn(app.admin.key ?? '');
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    for (const width of [900, 720, 641]) {
      await page.setViewportSize({ width, height: 900 });
      const heights = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().height));
      expect({ width, isOneLine: Math.max(...heights) < 40 }).toEqual({ width, isOneLine: true });
      expect(await visit.overflow()).toBe(0);
    }
    // It must also be visible in the narrowest window.
    await page.setViewportSize({ width: 320, height: 900 });
    const ends = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().right));
    expect(Math.max(...ends)).toBeLessThanOrEqual(320);
    const groundOf = (name: string) =>
      page.evaluate<string>(
        `getComputedStyle([...document.querySelectorAll('.top nav a')].find((link) => link.textContent === '${name}')).backgroundColor`,
      );
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await groundOf('Overview')).not.toBe(await groundOf('Alerts'));
    await visit.close();
  });

  it('has boxes in the rows only while the user selects', async () => {
    const visit = await Visit.start(browser, app.url, { width: 390 });
    const { page } = visit;
    await visit.signIn(app.write.key ?? '');
    const box = page.getByLabel('Select Payments API');
    await page.locator('.row').first().waitFor();
    expect(await box.count()).toBe(0);
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await box.check();
    await page.getByRole('region', { name: 'Selected endpoints' }).waitFor();
    await visit.close();
  });

  it.each(WIDTHS)('has no errors on the public status page, light or dark, %i pixels wide', async (width) => {
    await app.write.put(`/websites/${ids.get('Example shop')}/status-page`, { enabled: true });
    const visit = await Visit.start(browser, app.url, { width });
    await visit.page.goto(`${app.url}/status/example-shop`);
    expect([...(await problemsOf(visit, 'status page', width)), ...visit.complaints]).toEqual([]);
    await visit.close();
  });
});
