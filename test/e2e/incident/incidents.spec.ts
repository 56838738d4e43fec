/** @databases both */
import { IncidentChanged } from '../../../src/incident/incident-events';
import type { IncidentDetailView, IncidentUpdateView, IncidentView } from '../../../src/incident/incident.dto';
import { Database } from '../../../src/platform/database/database';
import { TransactionEvents } from '../../../src/platform/events/transaction-events';
import { formatId, parseId } from '../../../src/platform/ids/id';
import type { ApiResponse } from '../../../packages/testing/service/api';
import { startApp, type TestApp } from '../../harness/app/app';
import { newDetectedIncident, newIncident } from '../../harness/app/incidents';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface Refused {
  code: string;
  detail: string;
  errors: { pointer: string; code: string }[];
  quota?: object;
}
type Shown = IncidentDetailView & Refused;

const NOWHERE = 'inc_00000000000000000000000000';
const ALL = { all: true };

describe('incidents', () => {
  let app: TestApp;
  let database: Database;
  let website: string;
  let endpoint: string;
  let changes: IncidentChanged[] = [];

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    database = app.app.get(Database);
    website = await newWebsite(app.write);
    endpoint = await newEndpoint(app.write, website);
    app.app.get(TransactionEvents).on(IncidentChanged, (change) => Promise.resolve(void changes.push(change)));
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    await database.query('DELETE FROM incident WHERE org_id = $1', [app.orgId]);
    changes = [];
  });

  const detected = (until?: number) =>
    newDetectedIncident(database, [{ endpoint, ...(until !== undefined && { until }) }]);
  const read = async (id: string) => (await app.read.get<IncidentDetailView>(`/incidents/${id}`)).body;
  const say = (id: string, body: object) =>
    app.write.post<IncidentUpdateView & Refused>(`/incidents/${id}/updates`, body);
  const create = (body: object) => app.write.post<Shown>('/incidents', body);
  const put = (id: string, body: object) => app.write.put<Shown>(`/incidents/${id}`, body);
  const numbers = async (query: string) =>
    (await app.read.get<IncidentView[]>(`/incidents${query}`)).body.map(({ number }) => number);
  const codes = ({ status, body }: ApiResponse<Refused>) => [
    status,
    ...body.errors.map((e) => `${e.pointer} ${e.code}`),
  ];
  const refusal = ({ status, body }: ApiResponse<Refused>) => [status, body.code];
  const said = (id: string) =>
    changes.filter(({ incident }) => formatId('incident', incident.id) === id).map((c) => c.change);

  it('manual: created, read, changed, updated, ended, and deleted, each with one event and one entry of the audit log', async () => {
    const made = await create({ title: ' Payments are slow ', scope: { website_ids: [website], tags: ['Payments'] } });
    const { id } = made.body;
    expect(made).toMatchObject({
      status: 201,
      headers: { location: `/api/v1/incidents/${id}` },
      body: {
        kind: 'manual',
        severity: null,
        cause: null,
        summary: null,
        title: 'Payments are slow',
        state: 'open',
        status: 'investigating',
        public: false,
        scope: { website_ids: [website], tags: ['payments'] },
        endpoints: [],
        updates: [],
        endpoint_count: 0,
        acknowledgement: null,
      },
    });
    expect(await read(id)).toEqual(made.body);
    expect((await put(id, { title: 'Slow', scope: ALL })).body).toMatchObject({ title: 'Slow', scope: ALL });
    const update = await say(id, { text: ' It is the bank.\nWe wait. ', status: 'identified', public: true });
    expect(update).toMatchObject({
      status: 201,
      headers: { location: `/api/v1/incidents/${id}/updates/${update.body.id}` },
      body: {
        text: 'It is the bank.\nWe wait.',
        status: 'identified',
        public: true,
        automatic: false,
        edited_at: null,
      },
    });
    expect(await read(id)).toMatchObject({ status: 'identified', public: true, updates: [update.body] });
    await say(id, { text: 'Over.', status: 'resolved' });
    const ended = await read(id);
    expect(ended).toMatchObject({ state: 'ended', status: 'resolved', ended_at: expect.any(String) as string });
    expect(ended.updates.map(({ text }) => text)).toEqual(['Over.', 'It is the bank.\nWe wait.']);
    expect((await app.write.delete(`/incidents/${id}`)).status).toBe(204);
    expect((await app.read.get(`/incidents/${id}`)).status).toBe(404);
    expect(said(id)).toEqual(['opened', 'updated', 'updated', 'ended', 'deleted']);
    const entries = await database.query<{ action: string }>(
      `SELECT action FROM audit_log WHERE resource = 'incident' AND resource_id = $1 ORDER BY id`,
      [parseId('incident', id)],
    );
    expect(entries.map(({ action }) => action)).toEqual(['create', 'update', 'update', 'update', 'delete']);
  });

  it('manual with a public text start public, and their first update has their status', async () => {
    const fields = { title: 'Slow', scope: ALL, text: 'We look.', status: 'monitoring', public: true };
    const { body } = await create(fields);
    expect(body).toMatchObject({ public: true, status: 'monitoring' });
    expect(body.updates).toMatchObject([{ text: 'We look.', status: 'monitoring', public: true }]);
  });

  it.each<[what: string, body: object, ...wrong: string[]]>([
    ['nothing', {}, '/title required', '/scope required'],
    ['an empty title', { title: ' ', scope: ALL }, '/title invalid_format'],
    ['a title of 201 characters', { title: 'x'.repeat(201), scope: ALL }, '/title too_long'],
    ['a title of two lines', { title: 'a\nb', scope: ALL }, '/title invalid_characters'],
    ['a title with a bell', { title: 'a\u0007', scope: ALL }, '/title invalid_characters'],
    ['a title with half a character', { title: 'a\udc00', scope: ALL }, '/title invalid_characters'],
    ['no title', { title: null, scope: ALL }, '/title wrong_type'],
    ['an empty scope', { title: 'a', scope: {} }, '/scope required'],
    ['a mixed scope', { title: 'a', scope: { all: true, tags: ['a'] } }, '/scope/all invalid_format'],
    ['no scope', { title: 'a', scope: null }, '/scope wrong_type'],
    ['an empty text', { title: 'a', scope: ALL, text: '' }, '/text invalid_format'],
    ['a text of 5,001 characters', { title: 'a', scope: ALL, text: 'x'.repeat(5001) }, '/text too_long'],
    ['a text with NUL', { title: 'a', scope: ALL, text: 'a\0' }, '/text invalid_characters'],
    ['a text with half a character', { title: 'a', scope: ALL, text: 'a\ud800' }, '/text invalid_characters'],
    ['a text with a bell', { title: 'a', scope: ALL, text: 'a\u0007' }, '/text invalid_characters'],
    ['an unknown status', { title: 'a', scope: ALL, status: 'fixed' }, '/status invalid_format'],
    [
      'a first update with the status resolved',
      { title: 'a', scope: ALL, status: 'resolved' },
      '/status invalid_format',
    ],
    ['public as a text', { title: 'a', scope: ALL, text: 'a', public: 'true' }, '/public wrong_type'],
    ['public without a text', { title: 'a', scope: ALL, public: true }, '/text required'],
    ['an unknown field', { title: 'a', scope: ALL, colour: 'red' }, '/colour unknown_field'],
  ])('manual are refused for %s', async (_, body, ...wrong) => {
    const response = await create(body);
    expect(codes(response)).toEqual([400, ...wrong]);
  });

  it('are refused for a scope with unknown ids, and created with 200 and 5,000 characters', async () => {
    const foreign = await newWebsite((await app.organization('Other')).write);
    expect(refusal(await create({ title: 'a', scope: { website_ids: [foreign] } }))).toEqual([404, 'not_found']);
    const longest = { title: '😀'.repeat(100), scope: ALL, text: '&'.repeat(5000) };
    expect((await create(longest)).body).toMatchObject({ title: longest.title, updates: [{ text: longest.text }] });
  });

  it.each<[what: string, body: object, ...wrong: string[]]>([
    ['nothing', {}, '/text required'],
    ['an empty text', { text: '\n' }, '/text invalid_format'],
    ['a text of 5,001 characters', { text: 'x'.repeat(5001) }, '/text too_long'],
    ['a text with NUL', { text: 'a\0' }, '/text invalid_characters'],
    ['half a character', { text: '\ud800a' }, '/text invalid_characters'],
    ['an unknown status', { text: 'a', status: 'fixed' }, '/status invalid_format'],
    ['public as a text', { text: 'a', public: 'yes' }, '/public wrong_type'],
    [
      'everything at once',
      { text: 7, status: 7, public: 7 },
      '/text wrong_type',
      '/status invalid_format',
      '/public wrong_type',
    ],
  ])('accept no update with %s', async (_, body, ...wrong) => {
    const id = await newIncident(app.write);
    expect(codes(await say(id, body))).toEqual([400, ...wrong]);
    // A correction has the same rules for the text. The rest of an update can't be corrected.
    const { body: said } = await say(id, { text: 'a' });
    const ofText = wrong.filter((each) => each.startsWith('/text') && each !== '/text required');
    const edited = await app.write.put<Shown>(`/incidents/${id}/updates/${said.id}`, body);
    expect(edited.status === 200 ? [] : codes(edited)).toEqual(ofText.length > 0 ? [400, ...ofText] : []);
  });

  it.each<[what: string, body: object, ...wrong: string[]]>([
    ['an empty title', { title: '' }, '/title invalid_format'],
    ['a title of 201 characters', { title: 'x'.repeat(201) }, '/title too_long'],
    ['a title with NUL', { title: 'a\0' }, '/title invalid_characters'],
    ['an empty scope', { scope: {} }, '/scope required'],
    ['a mixed scope', { scope: { all: true, tags: ['a'] } }, '/scope/all invalid_format'],
    ['a malformed scope', { scope: { endpoint_ids: ['x'] } }, '/scope/endpoint_ids invalid_format'],
  ])('manual are not changed to %s', async (_, body, ...wrong) => {
    expect(codes(await put(await newIncident(app.write), body))).toEqual([400, ...wrong]);
  });

  it('detected: the response of a GET may be sent back, a title replaces the summary for people, a scope is refused', async () => {
    const id = await detected();
    const before = await read(id);
    expect(before).toMatchObject({
      kind: 'detected',
      summary: 'Checkout is down: connection refused',
      title: null,
      scope: null,
      status: null,
      endpoints: [{ endpoint_id: endpoint, endpoint_name: 'Checkout', ended_at: null, suppressed: false }],
    });
    expect(await put(id, before)).toMatchObject({ status: 200, body: before });
    expect(changes).toEqual([]);
    expect((await put(id, { title: 'Checkout', status: 'resolved', public: true })).body).toMatchObject({
      title: 'Checkout',
      summary: before.summary,
      status: null,
      public: false,
    });
    expect((await put(id, { title: null })).body.title).toBeNull();
    expect(codes(await put(id, { scope: ALL }))).toEqual([400, '/scope read_only']);
    expect(refusal(await app.write.delete(`/incidents/${id}`))).toEqual([409, 'conflict']);
  });

  it('manual keep a title and a scope', async () => {
    const id = await newIncident(app.write);
    expect(codes(await put(id, { title: null, scope: null }))).toEqual([400, '/title required', '/scope required']);
  });

  it('cannot be resolved while an endpoint is failing, and after the end only resolved and a postmortem are accepted', async () => {
    const open = await detected();
    const refused = await say(open, { text: 'Up again', status: 'resolved' });
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('1 endpoint')]);
    expect(refusal(await say(open, { text: 'Why', status: 'postmortem' }))).toEqual([409, 'conflict']);
    await database.query('UPDATE incident_member SET ended_at = now()');
    const over = await detected(5);
    expect(refusal(await say(over, { text: 'We look', status: 'investigating' }))).toEqual([409, 'conflict']);
    expect((await say(over, { text: 'Up again', status: 'resolved' })).status).toBe(201);
    expect((await say(over, { text: 'Why', status: 'postmortem' })).status).toBe(201);
    expect(await read(over)).toMatchObject({ status: 'resolved', state: 'ended' });
  });

  it('the first public update says that someone is investigating, or for one that is over that it is', async () => {
    const [over, open] = [await detected(5), await detected()];
    expect((await say(open, { text: 'a' })).body.status).toBeNull();
    expect((await say(open, { text: 'b', public: true })).body.status).toBe('investigating');
    expect((await say(over, { text: 'c', public: true })).body.status).toBe('resolved');
    expect(await read(open)).toMatchObject({ status: 'investigating', public: true });
  });

  it('updates are corrected and deleted; without its last public update by a person the incident is no longer public', async () => {
    const id = await detected(5);
    const [first, second] = [await say(id, { text: 'a', public: true }), await say(id, { text: 'b', public: true })];
    const path = `/incidents/${id}/updates/`;
    const edited = await app.write.put<IncidentUpdateView>(path + first.body.id, {
      ...first.body,
      text: 'A',
      public: false,
    });
    expect(edited.body).toEqual({ ...first.body, text: 'A', edited_at: expect.any(String) as string });
    const same = await app.write.put<IncidentUpdateView>(path + first.body.id, edited.body);
    expect(same.body).toEqual(edited.body);
    expect(said(id)).toEqual(['updated', 'updated', 'updated']);
    await database.query('UPDATE incident_update SET automatic = true, by_name = NULL WHERE id = $1', [
      parseId('incidentUpdate', second.body.id),
    ]);
    expect(refusal(await app.write.put(path + second.body.id, { text: 'c' }))).toEqual([409, 'conflict']);
    expect(refusal(await app.write.delete(path + second.body.id))).toEqual([409, 'conflict']);
    expect((await app.write.delete(path + first.body.id)).status).toBe(204);
    expect(await read(id)).toMatchObject({ public: false, updates: [{ text: 'b', public: false, automatic: true }] });
    const entry = await app.admin.get<{ before: object; after: object }[]>('/audit-log?resource=incident&limit=1');
    expect(entry.body).toMatchObject([{ before: { update: { text: 'A', public: true } }, after: { update: null } }]);
  });

  it('an unknown update, one of another incident and one of another organization are the same 404', async () => {
    const [one, two] = [await newIncident(app.write), await newIncident(app.write)];
    const { body } = await say(one, { text: 'a' });
    const paths = [`${two}/updates/${body.id}`, `${one}/updates/iu_00000000000000000000000000`, `${one}/updates/x`];
    for (const path of paths) expect((await app.write.put(`/incidents/${path}`, { text: 'b' })).status).toBe(404);
    const other = (await app.organization('Other')).write;
    const [foreign, unknown] = [await other.get(`/incidents/${one}`), await other.get(`/incidents/${NOWHERE}`)];
    const withoutId = ({ text }: ApiResponse) => text.replace(/"request_id":"[^"]+"|"instance":"[^"]+"/g, '');
    expect([foreign.status, withoutId(foreign)]).toEqual([404, withoutId(unknown)]);
  });

  it('have at most 100 updates by people, and an organization 100 open manual ones; of two at a limit one passes', async () => {
    const id = await newIncident(app.write);
    await database.query(
      `INSERT INTO incident_update (id, incident_id, org_id, at, text)
       SELECT gen_random_uuid(), $1, org_id, now(), 'x' FROM incident, generate_series(1, 99) WHERE id = $1`,
      [parseId('incident', id)],
    );
    const updates = await Promise.all([say(id, { text: 'a' }), say(id, { text: 'b' })]);
    expect(updates.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409]);
    expect(updates.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'quota_exceeded',
      quota: { name: 'incident_updates', limit: 100, used: 100 },
    });
    await database.query(
      `INSERT INTO incident (id, org_id, number, kind, scope_all, started_at, opened_at, joined_at, created_at, updated_at)
       SELECT gen_random_uuid(), org_id, -n, kind, true, now(), now(), now(), now(), now() FROM incident, generate_series(1, 98) n WHERE id = $1`,
      [parseId('incident', id)],
    );
    const made = await Promise.all([create({ title: 'a', scope: ALL }), create({ title: 'b', scope: ALL })]);
    expect(made.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409]);
    expect(made.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'quota_exceeded',
      quota: { name: 'manual_incidents', limit: 100, used: 100 },
    });
  });

  it('are listed newest start first, by state, kind, publicity, endpoint, website and start', async () => {
    const second = await newEndpoint(app.write, await newWebsite(app.write, 'Blog'));
    const bad = [
      { endpoint, since: 60, until: 50 },
      { endpoint: second, since: 30 },
    ];
    for (const one of bad) await newDetectedIncident(database, [one]);
    await newIncident(app.write, { scope: { endpoint_ids: [endpoint] }, text: 'a', public: true });
    const [a = 0, b = 0, c = 0] = (await numbers('')).sort((x, y) => x - y);
    const halfAnHourAgo = new Date(Date.now() - 40 * 60_000).toISOString();
    const expected: [query: string, found: number[]][] = [
      ['', [c, b, a]],
      ['?state=open', [c, b]],
      ['?state=ended', [a]],
      ['?state=merged', []],
      ['?kind=detected', [b, a]],
      ['?public=true', [c]],
      ['?public=false', [b, a]],
      [`?endpoint_id=${endpoint}`, [c, a]],
      [`?website_id=${website}`, [c, a]],
      [`?endpoint_id=${second}&kind=manual`, []],
      ['?website_id=ws_00000000000000000000000000', []],
      [`?from=${halfAnHourAgo}`, [c, b]],
      [`?to=${halfAnHourAgo}`, [a]],
    ];
    for (const [query, found] of expected) expect([query, await numbers(query)]).toEqual([query, found]);
    const page = await app.read.get<IncidentView[]>('/incidents?limit=2');
    expect([page.headers['x-total-count'], page.body.map(({ number }) => number)]).toEqual(['3', [c, b]]);
    expect(Object.keys(page.body[0] ?? {})).not.toContain('updates');
    const cursor = page.headers['x-next-cursor'] ?? '';
    expect(await numbers(`?limit=2&cursor=${cursor}`)).toEqual([a]);
    expect((await app.read.get(`/incidents?state=open&cursor=${cursor}`)).status).toBe(400);
  });

  it.each([
    ['?state=closed', '?state'],
    ['?kind=x', '?kind'],
    ['?public=1', '?public'],
    ['?endpoint_id=ws_1', '?endpoint_id'],
    ['?from=yesterday', '?from'],
    ['?from=2026-11-02&to=2026-11-01', '?from'],
    ['?limit=1001', '?limit'],
    ['?status=open', '?status'],
  ])('are not listed by %s', async (query, pointer) => {
    const { status, body } = await app.read.get<Refused>(`/incidents${query}`);
    expect([status, body.errors.map((e) => e.pointer)]).toEqual([400, [pointer]]);
  });

  it('show their endpoints page by page, failing ones first', async () => {
    const bad = [];
    for (const [name, until] of [['a', 5], ['b'], ['c', 4], ['d']] as const)
      bad.push({
        endpoint: await newEndpoint(app.write, website, { name }),
        since: 20 - bad.length,
        ...(until && { until }),
      });
    const id = await newDetectedIncident(database, bad);
    const names = ({ body }: ApiResponse<{ endpoint_name: string }[]>) => body.map((one) => one.endpoint_name);
    const first = await app.read.get<{ endpoint_name: string }[]>(`/incidents/${id}/endpoints?limit=3`);
    expect([first.headers['x-total-count'], names(first)]).toEqual(['4', ['b', 'd', 'a']]);
    const cursor = first.headers['x-next-cursor'] ?? '';
    expect(names(await app.read.get(`/incidents/${id}/endpoints?cursor=${cursor}`))).toEqual(['c']);
    expect((await app.read.get(`/incidents/${NOWHERE}/endpoints`)).status).toBe(404);
    expect((await read(id)).endpoints.map((one) => one.endpoint_name)).toEqual(['b', 'd', 'a', 'c']);
  });

  it('list the supported methods', async () => {
    const response = await fetch(`${app.url}/api/v1/incidents/${NOWHERE}/merge`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${app.write.key}` },
    });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
