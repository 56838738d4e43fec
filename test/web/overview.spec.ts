import type { Browser, Locator, Page } from 'playwright-core';
import { Database } from '../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { eventually } from '../../packages/testing/eventually';
import { launchBrowser, Visit } from './browser';
import { madeBefore, showcase } from './showcase';
import { addIncidents } from './showcase-incidents';

jest.setTimeout(120_000);

const DAY = 86_400_000;

describe('the overview', () => {
  let app: TestApp;
  let browser: Browser;
  let ids: Map<string, string>;
  let visit: Visit;
  let page: Page;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    ids = await showcase(app);
    await addIncidents(app, ids);
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
    await page.locator('.row').first().waitFor();
    await page.getByRole('heading', { name: 'Example shop' }).waitFor();
  });
  afterEach(async () => {
    await visit.close();
  });

  const row = (name: string) => page.locator('.row', { has: page.getByRole('link', { name, exact: true }) });
  const select = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const selectSeveral = () => page.getByRole('button', { name: 'Select', exact: true }).click();
  /** Chooses an entry of the View menu. */
  const view = async (name: string) => {
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByRole('button', { name, exact: true }).click();
  };
  const bar = () => page.getByRole('region', { name: 'Selected endpoints' });
  const statusOf = async (name: string): Promise<string> =>
    (await app.read.get<{ status: string }>(`/endpoints/${ids.get(name)}`)).body.status;
  const namesOf = async (website: string): Promise<string[]> =>
    (await app.read.get<{ name: string }[]>(`/websites/${website}/endpoints`)).body.map(({ name }) => name);
  const focused = (): Promise<string> => page.evaluate<string>('document.activeElement?.textContent');

  it('shows endpoints that are down first, with their website, and counts them below their website', async () => {
    const [first] = await page.locator('.rows > *').allTextContents();
    expect(first).toContain('Down');
    expect(await page.locator('.row').first().textContent()).toContain('Payments API');
    expect(await page.locator('.row').first().textContent()).toContain('Example shop');
    await page.locator('.group', { hasText: 'Example shop' }).getByText('1 listed above').waitFor();
  });

  it('shows next to an uptime how little of its window was watched', async () => {
    const id = await madeBefore(app.app.get(Database), ids.get('REST v2') ?? '', 2 * DAY);
    ids.set('REST v2', id);
    await page.reload();
    await page.getByLabel('Uptime over').selectOption('90d');
    await page.reload();
    await row('REST v2')
      .getByTitle(/ based on 2% of 90 days, the rest was not monitored$/)
      .waitFor({ state: 'attached' });
    expect(await row('Checkout').locator('.thin').count()).toBe(0);
    await visit.open(`/endpoints/${id}`);
    await page.getByTitle(/ based on 2% of 90 days, the rest was not monitored$/).waitFor();
  });

  it('folds a website, also with the keyboard, and remembers it', async () => {
    const fold = page.getByRole('button', { name: 'Example shop', exact: true });
    expect(await fold.getAttribute('aria-expanded')).toBe('true');
    await fold.focus();
    await page.keyboard.press('Enter');
    await row('Checkout').waitFor({ state: 'detached' });
    expect(await fold.getAttribute('aria-expanded')).toBe('false');
    await page.reload();
    await page.getByRole('button', { name: 'Example shop', exact: true, expanded: false }).waitFor();
    expect(await row('Checkout').count()).toBe(0);
    // A search still finds it.
    await page.getByLabel('Search endpoints').fill('checkout');
    await row('Checkout').waitFor();
    await page.getByLabel('Search endpoints').fill('');
    await view('Collapse all');
    await eventually('only what is down is left', async () => (await page.locator('.row').count()) === 1);
    await view('Expand all');
    await row('Checkout').waitFor();
  });

  it('says what is down, why, since when, and who was notified, and counts what expires soon', async () => {
    const headline = page.getByRole('region', { name: 'Overall status' });
    await headline.getByRole('heading', { name: 'Payments API is down' }).waitFor();
    await headline.getByText('Slack notified').waitFor();
    await headline.getByText(/^3\d min$/).waitFor();
    expect(await page.title()).toBe('(1) Overview · Uptime');
    // Over all rows: when the outage started, and whether it was the only one.
    await page.getByRole('img', { name: /^Down in the last 24 hours: .*\d\d:\d\d to now 1\.$/ }).waitFor();
    await headline.getByRole('link', { name: '2 expire soon' }).click();
    await page.getByRole('heading', { name: 'Expiring certificates' }).waitFor();
  });

  it.each([
    ['desktop', 1440, 900, 320],
    ['phone', 390, 844, 420],
  ])(
    'has its list in the first part of a %s, with an incident above it that can be acknowledged',
    async (_, width, height, most) => {
      const screen = await Visit.start(browser, app.url, { width, height });
      await screen.signIn(app.write.key ?? '');
      const headline = screen.page.getByRole('region', { name: 'Overall status' });
      await headline.getByText('Slack notified').waitFor();
      await screen.settled();
      expect((await screen.page.locator('.row').first().boundingBox())?.y).toBeLessThanOrEqual(most);
      expect(await screen.page.locator('.primary:visible, .alarm:visible').count()).toBeLessThanOrEqual(2);
      await screen.close();
    },
  );

  it('has its navigation on the left of a desktop, and at the bottom of a phone, with the rest in a menu', async () => {
    const nav = page.getByRole('navigation', { name: 'Main' });
    const boxOf = async () => (await nav.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.setViewportSize({ width: 1100, height: 900 });
    expect((await boxOf()).width).toBeLessThan(224);
    await page.setViewportSize({ width: 390, height: 844 });
    const { y, height } = await boxOf();
    expect(y + height).toBe(844);
    expect(await nav.getByRole('link').count()).toBe(3);
    await nav.getByRole('button', { name: 'More' }).click();
    await nav.getByRole('link', { name: 'Status pages' }).click();
    await page.getByRole('heading', { name: 'Status pages' }).waitFor();
  });

  it('has a checklist for the first hour that can be dismissed', async () => {
    const list = page.getByRole('region', { name: 'First steps' });
    await list.getByText('Done: ').first().waitFor({ state: 'attached' });
    await list.getByRole('link', { name: 'Create page' }).waitFor();
    expect(await visit.barriers()).toEqual([]);
    await list.getByRole('button', { name: 'Dismiss' }).click();
    await list.waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('.row').first().waitFor();
    await visit.settled();
    expect(await list.count()).toBe(0);
  });

  it('has rows of one line if the user chooses so, and remembers it', async () => {
    const heightOf = async () => (await row('Checkout').boundingBox())?.height;
    expect(await heightOf()).toBe(56);
    await view('Compact rows');
    await eventually('the row is lower', async () => (await heightOf()) === 40);
    await page.reload();
    await eventually('the row is still lower', async () => (await heightOf()) === 40);
  });

  it('counts the matches of search and website', async () => {
    const counters = page.getByRole('group', { name: 'Filter by status' });
    await page.getByLabel('Search endpoints').fill('checkout');
    await counters.getByRole('button', { name: '1 All' }).waitFor();
    await counters.getByRole('button', { name: '0 Down' }).waitFor();
  });

  it('moves the focus with j and k, so that a screen reader reads the endpoint and its status', async () => {
    await page.keyboard.press('j');
    await eventually('the first has the focus', async () => (await focused()) === 'Payments API');
    const described = await page.evaluate<string>(
      `document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent`,
    );
    expect(described).toBe('Down');
    await page.keyboard.press('j');
    await eventually('the second has the focus', async () => !['Payments API', ''].includes(await focused()));
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Payments API' }).waitFor();
  });

  it('creates a website, shows it while it is empty, renames, pauses, and deletes it', async () => {
    await view('New website');
    const dialog = page.getByRole('dialog', { name: 'New website' });
    await dialog.getByLabel('Name').fill('Harbour');
    await dialog.getByRole('button', { name: 'Create website' }).click();
    await dialog.locator('.field .error').waitFor();
    await dialog.getByLabel('URL').fill('https://harbour.example.com');
    await dialog.getByRole('button', { name: 'Create website' }).click();
    const group = page.locator('.group', { hasText: 'Harbour' });
    await group.getByRole('link', { name: 'Add one' }).waitFor();

    await page.getByRole('button', { name: 'Change Harbour' }).click();
    const change = page.getByRole('dialog', { name: 'Harbour' });
    await change.getByLabel('Name').fill('Port');
    await change.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Change Port' }).click();
    await page.getByRole('button', { name: 'Pause all its endpoints' }).click();
    await page.locator('.group', { hasText: 'Port' }).locator('.status.paused').waitFor();

    await page.getByRole('button', { name: 'Change Port' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.locator('.group', { hasText: 'Port' }).waitFor({ state: 'detached' });
  });

  it('opens the editor of a website’s status page, which is not public yet', async () => {
    for (const way of ['made', 'found'] as const) {
      await visit.open('/');
      await page.getByRole('button', { name: 'Change Platform' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Status page' }).click();
      await page.getByText('This is the page of a website').waitFor();
      expect(await page.getByLabel('Public', { exact: true }).isChecked()).toBe(false);
      const { body } = await app.read.get<unknown[]>('/status-pages');
      expect([way, body.length]).toEqual([way, 1]);
    }
  });

  it('deletes nothing on Enter, Enter: Cancel has the focus', async () => {
    await page.getByRole('button', { name: 'Change Example shop' }).click();
    const button = page.getByRole('button', { name: 'Delete', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete this website?' });
    await dialog.getByText('5 endpoints, their alert rules, and their whole history').waitFor();
    await eventually('Cancel has the focus', async () => (await focused()) === 'Cancel');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await namesOf(ids.get('Example shop') ?? '')).toHaveLength(5);
  });

  it('requires the name of a website with more than ten endpoints to be typed before it is deleted', async () => {
    const { body } = await app.write.post<{ id: string }>('/websites', {
      name: 'Large',
      url: 'https://large.example.com',
      endpoints: Array.from({ length: 11 }, (_, n) => ({
        name: `Large ${n}`,
        type: 'TCP',
        url: 'tcp://large.example.com:443',
        enabled: false,
      })),
    });
    await visit.open(`/websites/${body.id}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this website?' });
    const button = dialog.getByRole('button', { name: 'Delete this website' });
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByLabel('Type “Large” to continue').fill('Large');
    await button.click();
    await page.getByText('Large is deleted.').waitFor();
    await page.getByRole('heading', { name: 'Large', exact: true }).waitFor({ state: 'detached' });
  });

  it('pauses and resumes several endpoints that were selected by click, by range and by key', async () => {
    await selectSeveral();
    await select('Office uplink').click();
    await select('Bastion').click({ modifiers: ['Shift'] });
    const picked = ['Office uplink', 'Name server', 'Bastion'];
    await bar().getByText('3 selected').waitFor();
    for (const name of picked) expect(await select(name).isChecked()).toBe(true);
    expect(await visit.barriers()).toEqual([]);
    await bar().getByRole('button', { name: 'Pause' }).click();
    await bar().getByText('Paused: 3 of 3.').waitFor();
    expect(await Promise.all(picked.map(statusOf))).toEqual(['paused', 'paused', 'paused']);
    await bar().getByRole('button', { name: 'Dismiss' }).click();
    await bar().waitFor({ state: 'detached' });

    await page.getByLabel('Search endpoints').fill('platform');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await bar().getByText('1 selected').waitFor();
    await bar().getByRole('button', { name: 'Select all 4 shown' }).click();
    await bar().getByText('4 selected').waitFor();
    await bar().getByRole('button', { name: 'Resume' }).click();
    await bar().getByText('Resumed: 4 of 4.').waitFor();
    expect(await Promise.all(picked.map(statusOf))).not.toContain('paused');
  });

  it('shows which endpoints failed and why, and keeps them selected', async () => {
    await page.route('**/api/v1/endpoints/*', async (route) => {
      if (
        route.request().method() !== 'PUT' ||
        !route
          .request()
          .url()
          .endsWith(ids.get('Bastion') ?? '')
      ) {
        await route.fallback();
        return;
      }
      await route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        body: '{"title":"Not now","code":"conflict"}',
      });
    });
    await selectSeveral();
    await select('Office uplink').click();
    await select('Bastion').click();
    await bar().getByRole('button', { name: 'Resume' }).click();
    await bar().getByText('Resumed: 1 of 2. Failed: 1, still selected.').waitFor();
    await bar().getByRole('listitem').getByText('Bastion: Not now.').waitFor();
    expect(await select('Bastion').isChecked()).toBe(true);
    expect(await select('Office uplink').isChecked()).toBe(false);
  });

  it('moves several endpoints to another website', async () => {
    const { body } = await app.write.post<{ id: string }>('/websites', {
      name: 'Harbour',
      url: 'https://harbour.example.com',
    });
    await page.reload();
    await selectSeveral();
    await select('Bastion').click();
    await select('Name server').click();
    await bar().getByRole('button', { name: 'Move…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move 2 endpoints' });
    await dialog.getByLabel('Move to website').selectOption('Harbour');
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await bar().getByText('Moved: 2 of 2.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect((await namesOf(body.id)).toSorted()).toEqual(['Bastion', 'Name server']);
    expect(await namesOf(ids.get('Platform') ?? '')).not.toContain('Bastion');
    await page.locator('.group', { hasText: 'Harbour' }).getByText('2 endpoints').waitFor();
  });

  it('tags several endpoints, changes how often they are checked and who is notified', async () => {
    const names = ['Checkout', 'Search'];
    const contact = { name: 'Team', type: 'webhook', config: { url: 'https://hooks.example.com/uptime' } };
    expect((await app.write.post('/contacts', contact)).status).toBe(201);
    const change = async (button: string, title: string, fill: (dialog: Locator) => Promise<void>, action: string) => {
      for (const name of names) await select(name).click();
      await bar().getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog', { name: title });
      await fill(dialog);
      await dialog.getByRole('button', { name: action }).click();
    };
    await selectSeveral();
    await change(
      'Tags…',
      'Tags of 2 endpoints',
      (dialog) => dialog.getByLabel('Add').fill('Team:Shop, eu'),
      'Change tags',
    );
    await bar().getByText('Tagged: 2 of 2.').waitFor();
    const interval = async (dialog: Locator) => {
      await dialog.getByLabel('Interval', { exact: true }).fill('2');
    };
    await change('Interval…', 'Check interval of 2 endpoints', interval, 'Change interval');
    await bar().getByText('Changed: 2 of 2.').waitFor();
    for (const name of names) {
      const { body } = await app.read.get(`/endpoints/${ids.get(name)}`);
      expect(body).toMatchObject({ tags: ['eu', 'team:shop'], interval: 120 });
    }
    const team = {
      contacts: 'Contacts of 2 endpoints',
      rules: () => app.read.get<{ contact_id: string }[]>('/alerts?limit=100'),
    };
    const rulesOf = async (id: string) => (await team.rules()).body.filter((rule) => rule.contact_id === id).length;
    const list = async () => (await app.read.get<{ id: string; name: string }[]>('/contacts')).body;
    const idOf = async (name: string) => (await list()).find((each) => each.name === name)?.id ?? '';
    await change(
      'Contacts…',
      team.contacts,
      (dialog) => dialog.getByRole('checkbox', { name: /^Team/ }).check(),
      'Apply',
    );
    await eventually('they are added', async () => (await rulesOf(await idOf('Team'))) === 2);

    expect((await app.write.post('/contacts', { ...contact, name: 'Night' })).status).toBe(201);
    await page.reload();
    await selectSeveral();
    const replace = async (dialog: Locator) => {
      await dialog.getByText('2 of 2').waitFor();
      await dialog.getByLabel('Replace').selectOption('Team');
      await dialog.getByLabel('By').selectOption('Night');
      await dialog.getByText('This replaces the contact of 2 alert rules.').waitFor();
    };
    await change('Contacts…', team.contacts, replace, 'Apply');
    await eventually('they are replaced', async () => (await rulesOf(await idOf('Night'))) === 2);
    expect(await rulesOf(await idOf('Team'))).toBe(0);

    await page.reload();
    await selectSeveral();
    await change(
      'Contacts…',
      team.contacts,
      (dialog) => dialog.getByRole('checkbox', { name: /^Night/ }).uncheck(),
      'Apply',
    );
    await eventually('they are removed', async () => (await rulesOf(await idOf('Night'))) === 0);
  });

  it('continues as a wall with a separate read key, which is in no URL', async () => {
    const screen = await Visit.start(browser, app.url, { width: 1920, height: 1080 });
    const wall = screen.page;
    await screen.signIn(app.admin.key ?? '');
    await screen.open('/settings/keys');
    await wall.getByRole('button', { name: 'Open on a wall…' }).click();
    await wall.getByRole('button', { name: 'Open on a wall', exact: true }).click();
    await wall.locator('.wall li').first().getByText('Unexpected status, for').waitFor();
    expect(await wall.locator('.wall li').count()).toBe(12);
    await wall.getByText('Payments API is down').waitFor();
    expect(new URL(wall.url()).hash).toBe('#/?wall');
    expect(await wall.getByRole('navigation').count()).toBe(0);
    expect(await wall.evaluate<string>('document.documentElement.dataset.theme')).toBe('dark');
    expect(await screen.barriers()).toEqual([]);
    const { body } = await app.admin.get<{ name: string; role: string }[]>('/api-keys');
    expect(body.filter(({ name }) => name === 'Wall').map(({ role }) => role)).toEqual(['read']);
    await wall.getByRole('button', { name: 'Leave the wall' }).click();
    await wall.locator('.row').first().waitFor();
    expect(await wall.getByRole('button', { name: 'New website' }).count()).toBe(0);
    expect(screen.complaints).toEqual([]);
    await screen.close();
  });

  it('deletes several endpoints after a question', async () => {
    await selectSeveral();
    await select('Bastion').click();
    await select('Name server').click();
    await bar().getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete 2 endpoints?' })
      .getByRole('button', { name: 'Delete 2 endpoints' })
      .click();
    await page.getByText('2 endpoints are deleted').waitFor();
    await page.reload();
    for (const name of ['Bastion', 'Name server'])
      await eventually(`${name} is gone`, async () => {
        return (await app.read.get(`/endpoints/${ids.get(name)}`)).status === 404;
      });
  });

  it('offers a read-only key neither selection nor changes', async () => {
    const reader = await Visit.start(browser, app.url);
    await reader.signIn(app.read.key ?? '');
    await reader.page.locator('.row').first().waitFor();
    expect(await reader.page.getByRole('checkbox').count()).toBe(0);
    expect(await reader.page.getByRole('button', { name: /^(Change|New website)/ }).count()).toBe(0);
    await reader.close();
  });
});
