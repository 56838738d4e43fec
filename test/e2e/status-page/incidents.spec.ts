import { Database } from '../../../src/platform/database/database';
import { startApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { hoursFromNow, writeOutage, writeState } from '../../harness/app/announced-work';
import { newDetectedIncident } from '../../harness/app/incidents';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface Told {
  id: string;
  title: string;
  status: string;
  started_at: string;
  ended_at: string | null;
  endpoints: string[];
  updates: { at: string; status: string | null; text: string }[];
}
interface Page {
  status: string;
  incidents: Told[];
  outages: { endpoint: string }[];
}
interface Month extends Page {
  month: string;
  earlier: string | null;
  later: string | null;
}

interface Detected {
  endpoints?: readonly string[];
  title?: string;
  from?: number;
  until?: number;
}

/** The forms of a page that visitors see. */
const FORMS = ['', '.json', '.svg', '/feed.atom', '/history', '/history.json'];
const HOUR = 3_600_000;

describe('incidents on a public status page', () => {
  let app: TestApp;
  let organization: ServiceOrganization;
  let website: string;
  let login: string;
  let slug: string;
  let pages = 0;

  beforeAll(async () => {
    app = await startApp({ role: 'api', statusRateLimitPerSecond: 0 });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    pages += 1;
    organization = await app.organization(`Organization ${pages}`);
    website = await newWebsite(organization.write, 'Shop');
    login = await newEndpoint(organization.write, website, { name: 'Login' });
    slug = `incidents-${pages}`;
    await organization.write.put(`/websites/${website}/status-page`, { enabled: true, slug });
  });

  const text = async (form: string): Promise<string> => (await fetch(`${app.url}/status/${slug}${form}`)).text();
  const json = async (): Promise<Page> => JSON.parse(await text('.json')) as Page;
  const month = async (query = ''): Promise<Month> => JSON.parse(await text(`/history.json${query}`)) as Month;
  /** `from` and `until` are hours from now. */
  async function detected({ endpoints = [login], title, from = -1, until }: Detected = {}): Promise<string> {
    const bad = endpoints.map((endpoint) => ({
      endpoint,
      since: -60 * from,
      ...(until !== undefined && { until: -60 * until }),
    }));
    const incident = await newDetectedIncident(app.app.get(Database), bad, { address: '203.0.113.77' });
    if (title !== undefined) await organization.write.put(`/incidents/${incident}`, { title });
    return incident;
  }
  async function say(incident: string, body: object, shown = true): Promise<string> {
    const reply = await organization.write.post<{ id: string }>(`/incidents/${incident}/updates`, {
      public: shown,
      ...body,
    });
    expect([reply.status, reply.text]).toEqual([201, reply.text]);
    return reply.body.id;
  }
  async function byHand(body: object): Promise<string> {
    const made = { title: 'Payments are slow', scope: { all: true }, public: true, text: 'We are looking.', ...body };
    return (await organization.write.post<{ id: string }>('/incidents', made)).body.id;
  }

  it('are shown with their public updates, the newest first, under the names of the page', async () => {
    const search = await newEndpoint(organization.write, website, { name: 'Search' });
    const incident = await detected({ endpoints: [login, search] });
    await writeState(app, login, 'down');
    expect((await json()).incidents).toEqual([]);

    await say(incident, { text: 'We see it.' });
    await say(incident, { text: 'Between us: the boss knows.' }, false);
    await say(incident, { text: 'The load balancer.', status: 'identified' });
    await organization.write.put(`/endpoints/${search}`, { name: 'Search of products' });
    const page = await json();
    expect(page.incidents).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        title: 'Login and Search of products are down',
        status: 'identified',
        started_at: expect.any(String) as string,
        ended_at: null,
        outages: [{ started_at: expect.any(String) as string, ended_at: null }],
        endpoints: ['Login', 'Search of products'],
        updates: [
          { at: expect.any(String) as string, status: 'identified', text: 'The load balancer.' },
          { at: expect.any(String) as string, status: 'investigating', text: 'We see it.' },
        ],
      },
    ]);
    const shown = await text('');
    expect(shown).toMatch(
      /<section class="hero down"><div class="row"><h2 dir="auto">Login and Search of products are down<\/h2>/,
    );
    expect(shown).toMatch(/The load balancer\..+We see it\./s);
    expect(await text('.svg')).toContain('<title>status: down</title>');
  });

  it('are not on a page without their endpoints', async () => {
    const hidden = await newEndpoint(organization.write, await newWebsite(organization.write, 'Inside'), {
      name: 'Vault',
    });
    await say(await detected({ endpoints: [hidden] }), { text: 'The vault is shut.' });
    await byHand({ title: 'The vault again', scope: { endpoint_ids: [hidden] } });
    for (const form of FORMS) expect(await text(form)).not.toMatch(/vault/i);
    expect((await json()).incidents).toEqual([]);
  });

  it('reveal nothing of hidden endpoints, notes, addresses, errors, keys, and numbers', async () => {
    const inside = await newWebsite(organization.write, 'Innermost');
    const hidden = await newEndpoint(organization.write, inside, { name: 'Vault' });
    const incident = await detected({ endpoints: [login, hidden] });
    await say(incident, { text: 'A note for us alone.' }, false);
    await say(incident, { text: 'We are at it.' });
    await organization.write.post(`/incidents/${incident}/split`, { endpoint_ids: [hidden] });
    await byHand({ title: 'By hand', scope: { endpoint_ids: [login, hidden] } });
    await writeOutage(app, login, 0.5, false);
    const { body } = await organization.read.get<{ updates: { by: string; id: string }[] }>(`/incidents/${incident}`);
    const [said] = body.updates;
    for (const form of FORMS) {
      const shown = await text(form);
      if (form !== '.svg') expect(shown).toContain('We are at it.');
      const secrets = [hidden, login, incident, said?.id, said?.by, website, organization.orgId];
      const words = ['Vault', 'Innermost', 'note for us', '203.0.113.77', 'connection was refused', 'number'];
      expect([form, [...secrets, ...words].filter((secret) => shown.includes(secret ?? ''))]).toEqual([form, []]);
      expect(/(?:inc|iu|ep|ws|sp|ak)_[0-9a-z]{26}|"by"|internal/.exec(shown)).toBeNull();
    }
  });

  it('are shown at once on this instance, and so is each change (Kuma #7131)', async () => {
    await json();
    const incident = await byHand({ text: 'First.' });
    expect((await json()).incidents).toMatchObject([{ updates: [{ text: 'First.' }] }]);
    const update = await say(incident, { text: 'Second.' });
    expect((await json()).incidents[0]?.updates).toHaveLength(2);
    await organization.write.put(`/incidents/${incident}/updates/${update}`, { text: 'Corrected.' });
    expect(await text('')).toContain('Corrected.');
    await organization.write.put(`/incidents/${incident}`, { title: 'Another title' });
    expect((await json()).incidents).toMatchObject([{ title: 'Another title' }]);
    await organization.write.delete(`/incidents/${incident}`);
    expect((await json()).incidents).toEqual([]);
  });

  it('keep earlier updates next to later ones (Kuma #579)', async () => {
    const first = await byHand({ title: 'First', text: 'One.' });
    await byHand({ title: 'Second', text: 'Two.' });
    await say(first, { text: 'Three.' });
    const shown = await text('');
    for (const said of ['One.', 'Two.', 'Three.']) expect(shown).toContain(`<p class="text" dir="auto">${said}</p>`);
  });

  it('are never below a headline that all services are operational, and the badge does not contradict them either (Kuma #908)', async () => {
    await writeState(app, login, 'up');
    const incident = await byHand({ title: 'Payments & <b>cards</b> are slow' });
    const shown = await text('');
    expect(shown).toContain('<title>Shop: Payments &amp; &lt;b&gt;cards&lt;/b&gt; are slow</title>');
    expect(shown).toMatch(
      /<section class="hero incident"><div class="row"><h2 dir="auto">Payments &amp; &lt;b&gt;cards&lt;\/b&gt; are slow<\/h2>/,
    );
    expect(shown).not.toContain('All services are operational');
    expect(await text('.svg')).toContain('<title>status: incident</title>');
    expect((await json()).status).toBe('up');

    await say(incident, { text: 'Over.', status: 'resolved' });
    expect(await text('')).toContain('<span>All services are operational</span></h2>');
    expect(await text('.svg')).toContain('<title>status: up</title>');
  });

  it('that were never closed change nothing once the checks have ended them (Cachet #790, #2423, #4578)', async () => {
    await writeState(app, login, 'up');
    const incident = await detected({ from: -3, until: -1 });
    await say(incident, { text: 'We thought that was it.' });
    const shown = await text('');
    expect(shown).toMatch(/<span>All services are operational<\/span>.+<h2>Past incidents<\/h2>.+Login was down/s);
  });

  it('that are resolved manually show this once (Kener #370)', async () => {
    const incident = await byHand({});
    await say(incident, { text: 'All well.', status: 'resolved' });
    const [told] = (await json()).incidents;
    expect(told?.updates.map(({ status }) => status)).toEqual(['resolved', 'investigating']);
    expect(told).toMatchObject({ status: 'resolved', ended_at: told?.updates[0]?.at });
  });

  it('show that they are over, also if all was taken back in between (uptimepage #75)', async () => {
    const incident = await detected({ from: -3, until: -1 });
    const update = await say(incident, { text: 'Told too early.' });
    await organization.write.delete(`/incidents/${incident}/updates/${update}`);
    for (const form of FORMS) expect(await text(form)).not.toContain('Told too early.');
    expect((await json()).incidents).toEqual([]);
    await say(incident, { text: 'It was the load balancer.' });
    expect((await json()).incidents).toMatchObject([{ status: 'resolved', ended_at: expect.any(String) as string }]);
  });

  it('leave the page fourteen days after their end, and stay in the history (Statping #187)', async () => {
    for (const days of [13.9, 14.1]) {
      const until = -24 * days;
      await say(await detected({ title: `${days} days ago`, from: until - 1, until }), { text: 'It was so.' });
    }
    expect((await json()).incidents.map(({ title }) => title)).toEqual(['13.9 days ago']);
    const ended = hoursFromNow(-24 * 14.1)
      .toISOString()
      .slice(0, 7);
    expect((await month(`?month=${ended}`)).incidents.map(({ title }) => title)).toContain('14.1 days ago');
  });

  it('include their outages, which are not listed again in page and feed, and all are in the JSON', async () => {
    await writeOutage(app, login, 5, false);
    for (let i = 0; i < 25; i++) await writeOutage(app, login, 1 + i / 100, false);
    await say(await detected({ from: -2, title: 'Told' }), { text: 'The load balancer.' });
    const [page, feed, { outages }] = await Promise.all([text(''), text('/feed.atom'), month()]);
    expect(page.match(/<h3>Login was down<\/h3>/g)).toHaveLength(1);
    expect(feed.match(/<title>Login was down<\/title>/g)).toHaveLength(1);
    expect(outages.length).toBeLessThanOrEqual(1);
    expect((await json()).outages).toHaveLength(20);
  });

  it('are one entry of the feed forever, which changes with each public update', async () => {
    const incident = await detected();
    const update = await say(incident, { text: 'First.' });
    const entry = async () => {
      const [, id, title, updated, said] =
        /<entry>\n<id>(.+?)<\/id>\n<title>(.+?)<\/title>.+?<updated>(.+?)<\/updated>.+?<content type="text">(.+?)<\/content>/s.exec(
          await text('/feed.atom'),
        ) ?? [];
      return { id, title, updated: Date.parse(updated ?? ''), said };
    };
    const first = await entry();
    expect([first.title, first.said]).toEqual([
      'Login is down',
      expect.stringMatching(/^Since .+Affects Login\.\n\n.+: First\.$/s),
    ]);
    await say(incident, { text: 'A note.' }, false);
    expect(await entry()).toEqual(first);
    await say(incident, { text: 'Second.', status: 'identified' });
    const second = await entry();
    expect([second.id, second.updated > first.updated]).toEqual([first.id, true]);
    expect(second.said).toMatch(/Identified: Second\..+Investigating: First\./s);
    await organization.write.delete(`/incidents/${incident}/updates/${update}`);
    const third = await entry();
    expect([third.id, third.said?.includes('First.')]).toEqual([first.id, false]);
    expect((await text('/feed.atom')).match(/<entry>/g)).toHaveLength(1);
  });

  it('are shown as text, regardless of their content', async () => {
    const hostile = '<script>alert(1)</script> javascript:alert(1) ]]> http://a.example/?x="><b>';
    await byHand({ title: '<b>"&\'', text: '&'.repeat(5000) });
    await byHand({ title: 'T', text: hostile });
    const ids = (await json()).incidents.map(({ id }) => id);
    const shown = [await text(''), (await Promise.all(ids.map((id) => text(`/incidents/${id}`)))).join('')];
    for (const page of shown) {
      expect(page).toContain('&amp;'.repeat(5000));
      expect(page).toContain(
        '&lt;script&gt;alert(1)&lt;/script&gt; javascript:alert(1) ]]&gt; <a href="http://a.example/?x="',
      );
      expect(page.match(/<script>/g)?.length).toBeLessThanOrEqual(2);
      expect(page).not.toMatch(/<b>|href="javascript/);
    }
    const feed = await text('/feed.atom');
    expect(feed).toContain('&lt;script&gt;');
    expect((await json()).incidents.map((incident) => incident.updates[0]?.text)).toEqual([hostile, '&'.repeat(5000)]);
  });

  it('of a month are a page and a document, with the months next to it, cached and with the policy of the page', async () => {
    const lastMonth = new Date();
    lastMonth.setUTCDate(0);
    const before = lastMonth.toISOString().slice(0, 7);
    const now = new Date().toISOString().slice(0, 7);
    const hours = (lastMonth.getTime() - Date.now()) / HOUR;
    await say(await detected({ title: 'Back then', from: hours - 1, until: hours }), { text: 'It was so.' });
    await byHand({});
    expect(await month()).toMatchObject({
      month: now,
      earlier: before,
      later: null,
      incidents: [{ title: 'Payments are slow' }],
    });
    expect(await month(`?month=${before}`)).toMatchObject({
      month: before,
      later: now,
      incidents: [{ title: 'Back then' }],
    });

    const page = await fetch(`${app.url}/status/${slug}/history?month=${before}`);
    const shown = await page.text();
    expect(shown).toContain(`<a href="/status/${slug}/history?month=${now}" rel="next">`);
    expect(shown).toMatch(/<h3 dir="auto"><a href="[^"]+">Back then<\/a><\/h3>.+It was so\./s);
    expect(page.headers.get('cache-control')).toBe('public, max-age=15');
    const main = await fetch(`${app.url}/status/${slug}`);
    expect(page.headers.get('content-security-policy')).toBe(main.headers.get('content-security-policy'));
    const again = await fetch(page.url, { headers: { 'If-None-Match': page.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
    expect(await main.text()).toContain(`<a class="small" href="/status/${slug}/history">History by month</a>`);
  });

  it.each(['2026-13', '26-1', '9999-12', '', 'x', '2026-11&month=2026-10'])('have no month %s', async (asked) => {
    for (const form of ['history', 'history.json']) {
      const reply = await fetch(`${app.url}/status/${slug}/${form}?month=${asked}`);
      const { code, errors } = (await reply.json()) as { code: string; errors: { pointer: string }[] };
      expect([reply.status, code, errors[0]?.pointer]).toEqual([400, 'invalid_query', '?month']);
    }
  });

  it('cost a page one statement, and one more if they include outages', async () => {
    const statements = async (change: Promise<unknown>): Promise<number> => {
      await change;
      const query = jest.spyOn(app.app.get(Database), 'query');
      await text('.json');
      const isAbout = (sql: string) => /incident|outage/.test(sql) && !sql.includes('endpoint_overview');
      const asked = query.mock.calls.filter(([sql]) => isAbout(sql)).length;
      query.mockRestore();
      return asked;
    };
    expect(await statements(byHand({}))).toBe(2);
    expect(await statements(say(await detected(), { text: 'The load balancer.' }))).toBe(3);
  });

  it('have no history without a page', async () => {
    const replies = await Promise.all(
      ['history', 'history.json'].map((form) => fetch(`${app.url}/status/not-there/${form}`)),
    );
    expect(replies.map(({ status }) => status)).toEqual([404, 404]);
  });

  it('that were merged into another leave page, feed, and history, and are restored when they are split back', async () => {
    const search = await newEndpoint(organization.write, website, { name: 'Search' });
    const [one, two] = [await detected({ title: 'One' }), await detected({ endpoints: [search], title: 'Two' })];
    await say(one, { text: 'Said of one.' });
    await say(two, { text: 'Said of two.' });
    // An incident that is split off is another entry of the feed.
    const seen = async () => [
      (await json()).incidents.map((each) => ({ ...each, id: '' })),
      (await text('/feed.atom')).replace(/<id>[^<]+<\/id>|\/incidents\/[0-9a-f-]{36}"/g, ''),
    ];
    const before = await seen();
    expect(before[0]).toHaveLength(2);
    expect((await organization.write.post(`/incidents/${one}/merge`, { incident_ids: [two] })).status).toBe(200);
    const { incidents } = await json();
    expect(incidents).toMatchObject([{ title: 'One', endpoints: ['Login', 'Search'] }]);
    expect(incidents[0]?.updates.map((update) => update.text).sort()).toEqual(['Said of one.', 'Said of two.']);
    expect(await text('/feed.atom')).not.toContain('Two');
    expect((await organization.write.post(`/incidents/${one}/split`, { endpoint_ids: [search] })).status).toBe(201);
    expect(await seen()).toEqual(before);
  });
});
