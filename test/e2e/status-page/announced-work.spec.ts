import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import {
  hoursFromNow,
  type WindowRows,
  writeDay,
  writeOutage,
  writeState,
  writeWindow,
} from '../../harness/app/announced-work';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface Work {
  id: string;
  name: string;
  description: string;
  starts_at: string;
  ends_at: string;
  active: boolean;
  endpoints: string[];
}
interface Page {
  status: string;
  degraded: boolean;
  maintenance: Work[];
  endpoints: {
    name: string;
    status: string;
    degraded: boolean;
    maintenance: { name: string; until: string } | null;
    uptime_90d: number | null;
    watched_90d: number;
    days: { date: string; checks: number; planned: boolean }[];
  }[];
  outages: object[];
}
const HOSTILE = `<img src=x onerror="alert(1)">'&`;

describe('announced work on a public status page', () => {
  let app: TestApp;
  let database: Database;
  let organization: ServiceOrganization;
  let website: string;
  let checkout: string;
  let slug: string;
  let pages = 0;

  beforeAll(async () => {
    app = await startApp({ role: 'api', statusRateLimitPerSecond: 0 });
    database = app.app.get(Database);
  });
  afterAll(() => app.close());
  afterEach(() => jest.restoreAllMocks());
  beforeEach(async () => {
    pages += 1;
    organization = await app.organization(`Organization ${pages}`);
    website = await newWebsite(organization.write, 'Shop');
    checkout = await newEndpoint(organization.write, website, { name: 'Checkout' });
    slug = `page-${pages}`;
  });

  /** Publishes the page when everything is in place, because a page that was read is cached for 15 seconds. */
  async function publish(): Promise<Page> {
    const body = { enabled: true, slug };
    expect((await organization.write.put(`/websites/${website}/status-page`, body)).status).toBe(200);
    return (await (await fetch(`${app.url}/status/${slug}.json`)).json()) as Page;
  }
  const html = async (): Promise<string> => (await fetch(`${app.url}/status/${slug}`)).text();
  const text = async (form: string): Promise<string> => (await fetch(`${app.url}/status/${slug}${form}`)).text();

  const announce = (window: WindowRows) => writeWindow(app, organization.orgId, window);
  const set = (endpoint: string, state: 'up' | 'down' | 'degraded') => writeState(app, endpoint, state);
  const outage = (endpoint: string, hoursAgo: number, planned: boolean) =>
    writeOutage(app, endpoint, hoursAgo, planned);

  it('shows which maintenance is in progress and until when, while nothing else is down', async () => {
    const search = await newEndpoint(organization.write, website, { name: 'Search' });
    await set(checkout, 'down');
    await set(search, 'up');
    await announce({
      name: 'Database upgrade',
      description: 'We move to new machines.\nNo data is lost.',
      scope: { endpoints: [checkout] },
      times: [[-1, 2]],
    });
    const page = await publish();

    expect(page).toMatchObject({
      status: 'down',
      maintenance: [{ name: 'Database upgrade', active: true, endpoints: ['Checkout'] }],
      endpoints: [
        {
          name: 'Checkout',
          status: 'down',
          maintenance: { name: 'Database upgrade', until: page.maintenance[0]?.ends_at },
        },
        { name: 'Search', status: 'up', maintenance: null },
      ],
    });
    const shown = await html();
    expect(shown).toMatch(/<title>Shop: Maintenance in progress<\/title>/);
    expect(shown).toMatch(
      /<section class="hero maintenance"><h2><svg [^>]+><use [^>]+><\/svg><span>Maintenance in progress<\/span>/,
    );
    expect(shown).toMatch(/<span class="pill maintenance">.+ Maintenance<\/span>/);
    expect(shown).toContain('<p>We move to new machines.</p><p>No data is lost.</p>');
    expect(shown).toContain('Affects Checkout.');
    expect(shown).toMatch(/Database upgrade until <time [^>]+>[^<]+<\/time>\. Currently down\./);
    expect(await text('.svg')).toContain('<title>status: maintenance</title>');
  });

  it('comes after unplanned outages', async () => {
    const search = await newEndpoint(organization.write, website, { name: 'Search' });
    await set(checkout, 'up');
    await set(search, 'down');
    await announce({ scope: { endpoints: [checkout] }, times: [[-1, 2]] });
    await publish();

    const shown = await html();
    expect(shown).toMatch(
      /<section class="hero down">.+<span>Partial outage: Search<\/span>.*<\/section>\n<ul class="announced now">/,
    );
    expect(await text('.svg')).toContain('<title>status: down</title>');
  });

  it('shows in words and shape which endpoint is degraded, and that it works', async () => {
    await set(checkout, 'degraded');
    expect(await publish()).toMatchObject({
      status: 'up',
      degraded: true,
      maintenance: [],
      endpoints: [{ status: 'up', degraded: true, maintenance: null }],
    });
    const shown = await html();
    expect(shown).toMatch(/<span class="pill degraded"><svg [^>]+><use [^>]+><\/svg> Degraded<\/span>/);
    expect(shown).toContain('Up, with a warning.');
    expect(await text('.svg')).toContain('<title>status: degraded</title>');
  });

  it('lists the work planned within seven days, each window once with its times', async () => {
    await announce({ name: 'Patch day', recurring: true, times: [50, 26, 2].map((hour) => [hour, hour + 1]) });
    await announce({ name: 'Move', times: [[100, 300]] });
    await announce({ name: 'Far away', times: [[170, 171]] });
    const page = await publish();

    expect(page.maintenance.map(({ name, active }) => [name, active])).toEqual([
      ['Patch day', false],
      ['Patch day', false],
      ['Patch day', false],
      ['Move', false],
    ]);
    expect(new Set(page.maintenance.map(({ id }) => id)).size).toBe(4);
    const shown = await html();
    const planned = shown.slice(shown.indexOf('<h2 id="planned">'), shown.indexOf('<h2>Past incidents'));
    expect([...planned.matchAll(/<h3>([^<]+)<\/h3>/g)].map(([, name]) => name)).toEqual(['Patch day', 'Move']);
    expect(planned.match(/<time datetime="[\d-]+T[\d:.]+Z" data-until="[\d-]+T[\d:.]+Z">/g)).toHaveLength(4);
    expect(shown).toMatch(/<a href="#planned">Planned maintenance<\/a>: next on <time /);
    expect(shown).toContain('No data yet');
  });

  it('shows the next seven occurrences of a window that recurs each hour, and other windows next to them', async () => {
    const hourly = Array.from({ length: 60 }, (_, hour): [number, number] => [hour + 0.5, hour + 1]);
    await announce({ name: 'Hourly', recurring: true, times: hourly });
    await announce({ name: 'Rare', times: [[150, 151]] });
    await publish();

    const shown = await html();
    expect(shown.match(/data-until=/g)).toHaveLength(8);
    expect(shown).toContain('and more times');
    expect(shown).toContain('<h3>Rare</h3>');
  });

  it.each([
    ['by a tag of the endpoint', 'endpoint'],
    ['by a tag of its website', 'website'],
  ])('covers %s', async (_, table) => {
    await announce({ scope: { tags: ['db'] }, times: [[-1, 1]] });
    const id = table === 'website' ? parseId('website', website) : parseId('endpoint', checkout);
    await database.query(`UPDATE ${table} SET tags = '{db}' WHERE id = $1`, [id]);
    expect((await publish()).endpoints).toMatchObject([{ maintenance: { name: 'Upgrade' } }]);
  });

  it('is not shown if it is about something else, or of another organization', async () => {
    const elsewhere = await newEndpoint(organization.write, await newWebsite(organization.write, 'Blog'));
    await announce({ name: 'Secret of the blog', scope: { endpoints: [elsewhere] }, times: [[-1, 1]] });
    await announce({ name: 'Secret of a tag', scope: { tags: ['blog'] }, times: [[-1, 1]] });
    const other = organization;
    organization = await app.organization(`Neighbour ${pages}`);
    await announce({ name: 'Secret of neighbours', times: [[-1, 1]] });
    organization = other;

    expect((await publish()).maintenance).toEqual([]);
    for (const form of ['', '.json', '/feed.atom']) expect(await text(form)).not.toContain('Secret');
  });

  it('is not mentioned in any form while the window is not public', async () => {
    await set(checkout, 'down');
    await outage(checkout, 0.5, true);
    await outage(checkout, 30, true);
    const window = { name: 'Hush', description: 'Hush', public: false, recurring: true };
    await announce({
      ...window,
      times: [
        [-31, -29],
        [-1, 1],
        [3, 4],
      ],
    });
    const page = await publish();

    expect(page).toMatchObject({ status: 'down', maintenance: [], outages: [] });
    expect(page.endpoints).toMatchObject([{ status: 'down', maintenance: null }]);
    expect(page.endpoints[0]?.days.filter(({ planned }) => planned)).toEqual([]);
    expect(await html()).toContain('<span>Outage: Checkout</span>');
    for (const form of ['', '.json', '/feed.atom'])
      expect(await text(form)).not.toMatch(/hush|Maintenance|maintenance-/);
    expect(await text('.svg')).toContain('<title>status: down</title>');
  });

  it('shows nothing more of a window that was public before, but keeps the announcement', async () => {
    const id = await announce({ description: 'For everybody', times: [[-3, -1]] });
    await database.query(`UPDATE maintenance_window SET public = false, description = 'For us alone' WHERE id = $1`, [
      id,
    ]);
    await publish();
    expect(await text('/feed.atom')).toContain('Maintenance completed: Upgrade');
    for (const form of ['', '.json', '/feed.atom']) expect(await text(form)).not.toMatch(/For (us alone|everybody)/);
  });

  it('marks the days of planned outages, which do not count as outages or for the uptime', async () => {
    await outage(checkout, 30, true);
    await outage(checkout, 80, false);
    await announce({
      recurring: true,
      times: [
        [-31, -29],
        [-55, -53],
      ],
    });
    const page = await publish();
    const marked = page.endpoints[0]?.days.filter(({ planned }) => planned).map(({ date }) => date);

    expect(marked).toEqual([hoursFromNow(-30).toISOString().slice(0, 10)]);
    expect(page.outages).toHaveLength(1);
    const shown = await html();
    expect(shown).toContain('<path class="tick work" d="');
    expect(shown).toContain('1 with planned maintenance"');
    expect(shown).toContain('<span>planned maintenance</span></li>');
    expect(shown).toContain('Planned maintenance, not part of the uptime');
  });

  it('counts a day that was entirely in maintenance as watched, and shows no check of it', async () => {
    for (let day = 1; day <= 45; day++) await writeDay(app, checkout, day, { planned: day % 3 === 0 ? 1440 : 10 });
    const [endpoint] = (await publish()).endpoints;
    expect(endpoint).toMatchObject({ uptime_90d: 1, watched_90d: 0.5 });
    expect(endpoint?.days.reduce((sum, { checks }) => sum + checks, 0)).toBe(30 * 1430);
    expect(endpoint?.days.some(({ planned }) => planned)).toBe(false);
  });

  it('is an entry of the feed whose id stays while it is planned, runs, and is over', async () => {
    const id = await announce({ name: 'Move', description: 'To new machines.', times: [[3, 4]] });
    const entry = async () => {
      await publish();
      const feed = await text('/feed.atom');
      const [, urn, title] = /<entry>\n<id>(urn:uuid:[0-9a-f-]{36})<\/id>\n<title>([^<]+)/.exec(feed) ?? [];
      expect(feed.match(/<entry>/g)).toHaveLength(1);
      expect(feed).toMatch(/UTC\. Affects Checkout\.\nTo new machines\.<\/content>/);
      return { urn, title };
    };
    const move = (from: number, until: number) =>
      database.query('UPDATE maintenance_occurrence SET starts_at = $2, ends_at = $3 WHERE window_id = $1', [
        id,
        hoursFromNow(from),
        hoursFromNow(until),
      ]);
    const planned = await entry();
    await move(-1, 1);
    const active = await entry();
    await move(-2, -1);
    const over = await entry();

    expect([planned.title, active.title, over.title]).toEqual([
      'Planned maintenance: Move',
      'Maintenance in progress: Move',
      'Maintenance completed: Move',
    ]);
    expect(new Set([planned.urn, active.urn, over.urn]).size).toBe(1);
    await move(-100, -49);
    await publish();
    expect(await text('/feed.atom')).not.toContain('<entry>');
  });

  it('cannot be anything but text, and reveals no id', async () => {
    await announce({ name: HOSTILE, description: HOSTILE, times: [[-1, 1]] });
    await announce({ name: HOSTILE, description: HOSTILE, times: [[2, 3]] });
    await publish();
    const shown = await html();
    expect(shown).not.toMatch(/<img|onerror="/);
    expect(shown).not.toMatch(/\sstyle=/);
    expect(shown.match(/<script>/g)).toHaveLength(1);
    expect(await text('/feed.atom')).not.toContain('<img');
    for (const form of ['', '.json', '/feed.atom']) expect(await text(form)).not.toMatch(/mw_|ep_|ws_|org_/);
  });

  it.each([
    ['no window', 7, () => Promise.resolve()],
    ['a window that is not public', 7, () => announce({ public: false, times: [[-1, 1]] })],
    ['a window over everything', 9, () => announce({ times: [[-1, 1]] })],
    ['a window by tag that covers nothing', 7, () => announce({ scope: { tags: ['db'] }, times: [[-1, 1]] })],
  ])('costs few statements: with %s a page is read with %i', async (_, most, prepare) => {
    await prepare();
    await organization.write.put(`/websites/${website}/status-page`, { enabled: true, slug });
    const query = jest.spyOn(database, 'query');
    await text('.json');
    const asked = query.mock.calls.filter(([sql]) => /status_page|endpoint|maintenance/.test(sql)).length;
    // The statements find the page, its website, its endpoints, their days, outages, and incidents, and its
    // announcements.
    expect(asked).toBe(most);
  });
});
