import { Database } from '../../../src/platform/database/database';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { startApp, type TestApp } from '../../harness/app/app';
import { hoursFromNow, writeState, writeWindow } from '../../harness/app/announced-work';
import { newDetectedIncident } from '../../harness/app/incidents';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface Told {
  id: string;
  title: string;
}

describe('the face of a public status page', () => {
  let app: TestApp;
  let organization: ServiceOrganization;
  let login: string;
  let page: string;
  let pages = 0;

  beforeAll(async () => {
    app = await startApp({ role: 'api', statusRateLimitPerSecond: 0 });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    pages += 1;
    organization = await app.organization(`Face ${pages}`);
    const website = await newWebsite(organization.write, 'Shop');
    login = await newEndpoint(organization.write, website, { name: 'Login' });
    const made = { title: 'Shop', slug: `face-${pages}`, enabled: true, groups: [{ websites: [website] }] };
    page = (await organization.write.post<{ id: string }>('/status-pages', made)).body.id;
  });

  const get = (form = '') => fetch(`${app.url}/status/face-${pages}${form}`);
  const text = async (form = ''): Promise<string> => (await get(form)).text();
  const told = async (): Promise<Told[]> => (JSON.parse(await text('.json')) as { incidents: Told[] }).incidents;
  const change = (fields: object) => organization.write.put(`/status-pages/${page}`, fields);
  /** Returns the path of its public update. */
  async function incident(title: string, days: number): Promise<string> {
    const bad = [{ endpoint: login, since: days * 1440 + 60, until: days * 1440 }];
    const id = await newDetectedIncident(app.app.get(Database), bad, { address: '203.0.113.77' });
    await organization.write.put(`/incidents/${id}`, { title });
    const update = { text: `About ${title}.`, public: true };
    const { status, body } = await organization.write.post<{ id: string }>(`/incidents/${id}/updates`, update);
    expect(status).toBe(201);
    return `/incidents/${id}/updates/${body.id}`;
  }

  it('has a page for each public incident, which the page and the feed link to', async () => {
    await incident('Recently', 2);
    const [recent] = await told();
    const path = `/status/face-${pages}/incidents/${recent?.id}`;
    expect(await text()).toContain(`<a href="${path}">Recently</a>`);
    expect(await text('/feed.atom')).toContain(`<link rel="alternate" type="text/html" href="${path}"/>`);
    const shown = await text(`/incidents/${recent?.id}`);
    expect(shown).toContain('<title>Shop: Recently</title>');
    expect(shown).toContain('About Recently.');
    expect(shown).not.toMatch(/203\.0\.113\.77|(?:inc|iu|ep|ws|org)_[0-9a-z]{26}/);
  });

  it('keeps the page of an incident after the incident has left the status page, until it is no longer public', async () => {
    const update = await incident('Long ago', 13);
    const [old] = await told();
    await app.app.get(Database).query(
      `UPDATE incident SET started_at = started_at - interval '20 days', ended_at = ended_at - interval '20 days'
        WHERE org_id = $1`,
      [organization.orgId],
    );
    await change({ description: 'Read again.' });
    expect(await told()).toEqual([]);
    expect(await text(`/incidents/${old?.id}`)).toContain('About Long ago.');
    expect((await organization.write.delete(update)).status).toBe(204);
    expect((await get(`/incidents/${old?.id}`)).status).toBe(404);
  });

  it('responds with the same 404 for incidents of others and for unknown ones', async () => {
    await incident('Ours', 1);
    const [ours] = await told();
    const website = await newWebsite(organization.write, 'Elsewhere');
    const made = { title: 'Other', slug: `other-${pages}`, enabled: true, groups: [{ websites: [website] }] };
    await organization.write.post('/status-pages', made);
    const paths = [
      `/status/other-${pages}/incidents/${ours?.id}`,
      `/status/face-${pages}/incidents/6f1c0f2e-5b1a-8c3d-8e4f-0123456789ab`,
      `/status/face-${pages}/incidents/%25`,
      `/status/face-${pages}/incidents/${'x'.repeat(36)}`,
    ];
    const replies = await Promise.all(paths.map((path) => fetch(app.url + path, { headers: { accept: 'text/html' } })));
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(await Promise.all(replies.map((reply) => reply.text()))).size).toBe(1);
  });

  it('has a calendar of announced maintenance, and of no other', async () => {
    const { orgId } = organization;
    await writeWindow(app, orgId, { name: 'Database upgrade', scope: { endpoints: [login] }, times: [[20, 22]] });
    await writeWindow(app, orgId, { name: 'Hush', public: false, times: [[30, 32]] });
    await change({ description: 'Read again.' });
    const reply = await get('/calendar.ics');
    expect(reply.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    const calendar = await reply.text();
    expect(calendar.match(/BEGIN:VEVENT/g)).toHaveLength(1);
    expect(calendar).toContain('SUMMARY:Maintenance: Database upgrade\r\n');
    const starts = hoursFromNow(20).toISOString().slice(0, 13).replace(/-/g, '');
    expect(calendar).toContain(`DTSTART:${starts}`);
    expect(await text()).toContain(`<a class="small" href="/status/face-${pages}/calendar.ics">Add to calendar</a>`);
  });

  it('may be indexed by search engines unless its setting says otherwise', async () => {
    expect((await get()).headers.get('x-robots-tag')).toBeNull();
    expect((await change({ indexed: false, support_url: 'https://example.com/help' })).body).toMatchObject({
      indexed: false,
      support_url: 'https://example.com/help',
    });
    for (const form of ['', '.json', '/feed.atom', '/history', '/calendar.ics'])
      expect((await get(form)).headers.get('x-robots-tag')).toBe('noindex');
    expect(await text()).toContain(
      '<a class="button" href="https://example.com/help" rel="noreferrer">Report a problem</a>',
    );
    const robots = await fetch(`${app.url}/robots.txt`);
    expect([robots.headers.get('content-type'), await robots.text()]).toEqual([
      'text/plain; charset=utf-8',
      'User-agent: *\nAllow: /status/\nDisallow: /\n',
    ]);
  });

  it.each([
    'javascript:alert(1)',
    'ftp://a.example',
    'https://user:pw@a.example',
    'mailto:nobody',
    'help',
    ' https://a.example',
  ])('refuses %j as the link to report a problem', async (support_url) => {
    const { status, body } = await change({ support_url });
    expect([status, body]).toMatchObject([400, { errors: [{ pointer: '/support_url' }] }]);
  });

  it('reloads itself every minute without a script, until a reader pauses it', async () => {
    expect((await get()).headers.get('refresh')).toBe('60');
    const paused = await get('?refresh=off');
    expect([paused.status, paused.headers.get('refresh')]).toEqual([200, null]);
    expect(await paused.text()).toContain('Resume updates');
    expect((await get('?refresh=5')).status).toBe(400);
    for (const form of ['.json', '/history', '/feed.atom']) expect((await get(form)).headers.get('refresh')).toBeNull();
  });

  it('has an icon that shows its state', async () => {
    await writeState(app, login, 'up');
    await change({ description: 'Up.' });
    const up = await text('/icon.svg');
    await writeState(app, login, 'down');
    await change({ description: 'Down.' });
    const down = await text('/icon.svg');
    expect(up).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(down).not.toBe(up);
  });
});
