/** @databases both */
import type { AuditEntryView } from '../../../src/audit/audit.dto';
import { Database } from '../../../src/platform/database/database';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';
import type { CreatedProbeView, ProbeView } from '../../../src/probe/probe.dto';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { startApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface Refusal {
  code: string;
  detail: string;
  errors: { pointer: string; code: string }[];
}
type State = Readonly<Record<string, boolean | number | string | null>>;

const MISSING = formatId('probe', newUuid());

describe('probes', () => {
  let app: TestApp;
  let other: ServiceOrganization;
  let database: Database;
  let keys = 0;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    other = await app.organization('Other');
    database = app.app.get(Database);
  });
  afterAll(() => app.close());
  // The number of probes is limited, and lists are read completely.
  afterEach(() => database.query('DELETE FROM probe'));

  const newKey = (): string => `probe-${++keys}`;
  const create = async (fields: object = {}, by: Api = app.admin, path = '/probes'): Promise<CreatedProbeView> => {
    const { status, body } = await by.post<CreatedProbeView>(path, { key: newKey(), ...fields });
    expect(status).toBe(201);
    return body;
  };
  const share = (fields: object = {}) => create(fields, app.operator, '/shared-probes');
  const read = async ({ id }: { id: string }, by: Api = app.read) => (await by.get<ProbeView>(`/probes/${id}`)).body;
  const put = (id: string, fields: object) => app.admin.put<ProbeView & Refusal>(`/probes/${id}`, fields);
  /** Writes the state that polls write. */
  const become = (id: string, state: State): Promise<unknown> => {
    const names = Object.keys(state);
    const values = names.map((name, i) => `${name} = $${i + 2}`).join(', ');
    return database.query(`UPDATE probe SET ${values} WHERE id = $1`, [parseId('probe', id), ...Object.values(state)]);
  };
  const stored = async (id: string) => {
    const [row] = await database.query<{ epoch: number; number: number; online: boolean; session: string | null }>(
      'SELECT epoch, number, online, session FROM probe WHERE id = $1',
      [parseId('probe', id)],
    );
    return row ?? { epoch: NaN, number: NaN, online: false, session: null };
  };
  const name = async (probe: string, { write, orgId }: { write: Api; orgId: string } = app, interval = 60) => {
    const endpoint = await newEndpoint(write, await newWebsite(write), { interval });
    await database.query(
      'INSERT INTO endpoint_location (endpoint_id, number, org_id, position, phase_ms) VALUES ($1, $2, $3, 0, 0)',
      [parseId('endpoint', endpoint), (await stored(probe)).number, orgId],
    );
    return endpoint;
  };
  const audit = async (id: string) =>
    (await app.admin.get<AuditEntryView[]>('/audit-log?limit=1000')).body.filter((entry) => entry.resource_id === id);

  describe('POST /probes', () => {
    it('creates one with all defaults and answers 201 with every field, its Location and the token', async () => {
      const { status, headers, body } = await app.admin.post<CreatedProbeView>('/probes', { key: 'fra' });
      expect([status, headers['location']]).toEqual([201, `/api/v1/probes/${body.id}`]);
      const { token, ...probe } = body;
      expect(token).toMatch(/^ump_[0-9A-Za-z]{36}$/);
      expect(probe).toEqual({
        id: expect.stringMatching(/^pr_[0-9a-hjkmnp-tv-z]{26}$/),
        key: 'fra',
        name: 'fra',
        region: '',
        enabled: true,
        allow_private: false,
        owner: null,
        shared: false,
        status: 'new',
        status_since: body.created_at,
        last_seen_at: null,
        address: null,
        version: null,
        protocol: null,
        types: null,
        clock_offset_ms: null,
        rtt_ms: null,
        lag_ms: null,
        buffered: null,
        dropped: null,
        skipped: null,
        checks_per_second: 0,
        endpoint_count: 0,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: body.created_at,
      });
      expect(await read(probe)).toEqual(probe);
    });

    it('creates one from the request, trimmed, with read-only fields ignored', async () => {
      const sent = { name: ' Frankfurt ', region: ' eu ', enabled: false, allow_private: true };
      const probe = await create({ ...sent, id: 'x', status: 'online', shared: true, last_seen_at: 1, types: 7 });
      expect(probe).toMatchObject({ ...sent, name: 'Frankfurt', region: 'eu', status: 'disabled', shared: false });
    });

    const bad: [string, object, string, string][] = [
      ['no key', { key: undefined }, '/key', 'required'],
      ['a key that is null', { key: null }, '/key', 'wrong_type'],
      ['a key that is not text', { key: 7 }, '/key', 'wrong_type'],
      ['an empty key', { key: '' }, '/key', 'invalid_format'],
      ['a key with capitals', { key: 'Fra' }, '/key', 'invalid_format'],
      ['a key with a slash', { key: 'shared/fra' }, '/key', 'invalid_format'],
      ['a key that is too long', { key: 'x'.repeat(65) }, '/key', 'invalid_format'],
      ['the key local', { key: 'local' }, '/key', 'reserved'],
      ['the key shared', { key: 'shared' }, '/key', 'reserved'],
      ['an empty name', { name: '  ' }, '/name', 'invalid_format'],
      ['a name that is null', { name: null }, '/name', 'wrong_type'],
      ['a name that is too long', { name: 'x'.repeat(256) }, '/name', 'too_long'],
      ['a name with a line break', { name: 'a\nb' }, '/name', 'invalid_characters'],
      ['a region that is too long', { region: 'x'.repeat(65) }, '/region', 'too_long'],
      ['a region that is not text', { region: ['eu'] }, '/region', 'wrong_type'],
      ['enabled as a text', { enabled: 'yes' }, '/enabled', 'wrong_type'],
      ['allow_private that is null', { allow_private: null }, '/allow_private', 'wrong_type'],
      ['an unknown field', { labels: [] }, '/labels', 'unknown_field'],
      ['a token', { token: 'ump_1' }, '/token', 'unknown_field'],
    ];
    it.each(bad)('refuses %s', async (_, fields, pointer, code) => {
      const { status, body } = await app.admin.post<Refusal>('/probes', { key: newKey(), ...fields });
      expect([status, body.code]).toEqual([400, 'validation_failed']);
      expect(body.errors).toEqual([expect.objectContaining({ pointer, code })]);
    });

    it('refuses a key that is taken in the organization; shared probes have separate keys', async () => {
      const key = newKey();
      await create({ key });
      await share({ key });
      await create({ key }, other.admin);
      for (const [by, path] of [
        [app.admin, '/probes'],
        [app.operator, '/shared-probes'],
      ] as const)
        expect(await by.post<Refusal>(path, { key })).toMatchObject({ status: 409, body: { code: 'conflict' } });
    });

    it('gives each a separate number, also after the numbers have restarted', async () => {
      const first = await stored((await create()).id);
      await database.query(`SELECT setval('probe_number', 32767)`);
      await database.query('UPDATE probe SET number = 1 WHERE number = $1', [first.number]);
      const numbers = [await create(), await create()].map(({ id }) => stored(id));
      expect((await Promise.all(numbers)).map(({ number }) => number)).toEqual([2, 3]);
    });
  });

  describe('GET /probes', () => {
    it('lists own and shared ones, oldest first, a page at a time', async () => {
      const made = [await create(), await share(), await create()].map(({ id }) => id);
      await create({}, other.admin);
      const first = await app.read.get<ProbeView[]>('/probes?limit=2');
      expect([first.body.map(({ id }) => id), first.headers['x-total-count']]).toEqual([made.slice(0, 2), '3']);
      const cursor = encodeURIComponent(first.headers['x-next-cursor'] ?? '');
      const second = await app.read.get<ProbeView[]>(`/probes?limit=2&cursor=${cursor}`);
      expect([second.body.map(({ id }) => id), second.headers['x-next-cursor']]).toEqual([made.slice(2), undefined]);
    });

    const SEEN = { last_seen_at: '2026-11-20T10:00:00.000Z', protocol: 1 };
    it.each<[string, State]>([
      ['new', {}],
      ['online', { ...SEEN, online: true }],
      ['offline', { ...SEEN, online: false }],
      ['unsupported', { ...SEEN, protocol: 99, online: true }],
      ['disabled', { ...SEEN, enabled: false, online: true }],
      ['disabled', { enabled: false }],
    ])('shows the status %s of one that is %j, and finds it by that status', async (status, state) => {
      const { id } = await create();
      await become(id, { ...state, status_since: '2026-11-20T09:00:00.000Z' });
      for (const asked of ['new', 'online', 'offline', 'disabled', 'unsupported']) {
        const { body } = await app.read.get<ProbeView[]>(`/probes?status=${asked}`);
        expect([asked, body.length]).toEqual([asked, asked === status ? 1 : 0]);
      }
      expect(await read({ id })).toMatchObject({ status, status_since: '2026-11-20T09:00:00.000Z' });
    });

    it('refuses an unknown status', async () => {
      expect(await app.read.get<Refusal>('/probes?status=lost')).toMatchObject({
        status: 400,
        body: { code: 'invalid_query', errors: [{ pointer: '?status' }] },
      });
    });

    const TOLD = {
      online: true,
      last_seen_at: '2026-11-20T10:00:00.000Z',
      address: '203.0.113.7',
      version: '0.2.0',
      protocol: 1,
      clock_offset_ms: 12.5,
      rtt_ms: 18.25,
      lag_ms: 40,
      buffered: 3,
      dropped: 5_000_000_000,
      skipped: 1,
    };
    it("shows what an organization's own probe reports of itself, and its work", async () => {
      const { id } = await create();
      await become(id, TOLD);
      await database.query(`UPDATE probe SET types = '{HTTP,TCP}' WHERE id = $1`, [parseId('probe', id)]);
      await name(id, app, 4);
      await app.write.put(`/endpoints/${await name(id, app, 2)}`, { enabled: false });
      const { online: _, ...told } = TOLD;
      const use = { endpoint_count: 2, checks_per_second: 0.25 };
      expect(await read({ id })).toMatchObject({ status: 'online', ...told, types: ['HTTP', 'TCP'], ...use });
    });

    it("shows a shared one without address, clock, and load, and counts only the organization's endpoints", async () => {
      const { id } = await share({ name: 'Virginia' });
      await become(id, TOLD);
      await Promise.all([name(id), name(id, other), name(id, other)]);
      const hidden = ['address', 'clock_offset_ms', 'rtt_ms', 'lag_ms', 'buffered', 'dropped', 'skipped'];
      const nothing = Object.fromEntries([...hidden, 'checks_per_second'].map((field) => [field, null]));
      const shown = { shared: true, name: 'Virginia', status: 'online', version: '0.2.0', ...nothing };
      expect(await read({ id })).toMatchObject({ ...shown, endpoint_count: 1 });
      expect(await read({ id }, other.read)).toMatchObject({ ...shown, endpoint_count: 2 });
      const { body } = await app.operator.get<ProbeView>(`/shared-probes/${id}`);
      expect(body).toMatchObject({ shared: true, address: '203.0.113.7', rtt_ms: 18.25, endpoint_count: 3 });
    });
  });

  describe('PUT /probes/:id', () => {
    it('changes only the fields that are sent', async () => {
      const { token: _, ...probe } = await create({ name: 'Frankfurt' });
      const { status, body } = await put(probe.id, { region: 'eu' });
      expect([status, body]).toEqual([200, { ...probe, region: 'eu', updated_at: body.updated_at }]);
      expect(await read(probe)).toEqual(body);
    });

    it('accepts the response of a GET, and refuses another key', async () => {
      const { token: _, ...probe } = await create();
      expect((await put(probe.id, probe)).body).toEqual(probe);
      expect((await put(probe.id, { key: 'another' })).body.errors).toEqual([
        expect.objectContaining({ pointer: '/key', code: 'immutable' }),
      ]);
    });

    it.each([
      ['a changed name', { name: 'Other' }, 0],
      ['nothing', { enabled: true, allow_private: false }, 0],
      ['allow_private', { allow_private: true }, 1],
      ['enabled', { enabled: false }, 1],
    ])("with %s, voids so much of the probe's instructions: %j", async (_, fields, more) => {
      const { id } = await create();
      const { epoch } = await stored(id);
      await put(id, fields);
      expect((await stored(id)).epoch).toBe(epoch + more);
    });

    it('ends the session of a probe that it disables, and shows it as never seen after it is enabled again', async () => {
      const { id } = await create();
      await become(id, { online: true, session: 'of a process that runs', last_seen_at: '2026-11-20T10:00:00Z' });
      const { body } = await put(id, { enabled: false });
      expect([body.status, body.status_since]).toEqual(['disabled', body.updated_at]);
      expect(await stored(id)).toMatchObject({ online: false, session: null });
      expect((await put(id, { enabled: true })).body).toMatchObject({ status: 'offline' });
    });
  });

  describe('DELETE /probes/:id', () => {
    it('refuses while endpoints name it, and shows how many; then it deletes the probe', async () => {
      const { id } = await create();
      const endpoints = [await name(id), await name(id)];
      const refused = () => app.admin.delete<Refusal>(`/probes/${id}`);
      expect(await refused()).toMatchObject({ status: 409, body: { code: 'conflict' } });
      expect((await refused()).body.detail).toMatch(/^2 endpoints use the probe\./);
      await database.query('DELETE FROM endpoint_location WHERE endpoint_id = ANY ($1::uuid[])', [
        endpoints.map((endpoint) => parseId('endpoint', endpoint)),
      ]);
      expect((await app.admin.delete(`/probes/${id}`)).status).toBe(204);
      expect((await app.read.get(`/probes/${id}`)).status).toBe(404);
      expect((await app.admin.delete(`/probes/${id}`)).status).toBe(404);
    });
  });

  it('of another organization, and shared ones, cannot be changed', async () => {
    const [foreign, shared] = [await create({}, other.admin), await share()];
    for (const id of [foreign.id, shared.id, MISSING]) {
      const asked = [
        await put(id, { name: 'Mine' }),
        await app.admin.post(`/probes/${id}/rotate`, {}),
        await app.admin.delete(`/probes/${id}`),
      ];
      expect([id, asked.map(({ status }) => status)]).toEqual([id, [404, 404, 404]]);
    }
    expect((await app.read.get(`/probes/${foreign.id}`)).status).toBe(404);
    expect((await app.operator.get(`/shared-probes/${foreign.id}`)).status).toBe(404);
  });

  it('that the operator shares are created, listed, changed, rotated, and deleted by the operator', async () => {
    await create();
    const { id, token: _, ...made } = await share({ name: 'Virginia' });
    const path = `/shared-probes/${id}`;
    expect((await app.operator.get<ProbeView[]>('/shared-probes?status=new')).body).toEqual([{ id, ...made }]);
    expect((await app.operator.put<ProbeView>(path, { allow_private: true })).body.allow_private).toBe(true);
    expect((await app.operator.post(`${path}/rotate`, {})).status).toBe(200);
    await name(id, other);
    expect((await app.operator.delete(path)).status).toBe(409);
    await database.query('DELETE FROM endpoint_location');
    expect((await app.operator.delete(path)).status).toBe(204);
    const { body } = await app.operator.get<AuditEntryView[]>('/organizations/audit-log?resource=probe');
    const acts = body.filter((entry) => entry.resource_id === id).map(({ action, changed }) => [action, changed]);
    expect(acts.reverse()).toEqual([
      ['create', []],
      ['update', ['allow_private']],
      ['update', ['token']],
      ['delete', []],
    ]);
    expect(await audit(id)).toEqual([]);
  });

  it('have their settings in the audit log, and never a token', async () => {
    const { id, key, token } = await create({ name: 'Frankfurt' });
    await put(id, { enabled: false });
    const rotated = await app.admin.post<{ token: string }>(`/probes/${id}/rotate`, {});
    await app.admin.delete(`/probes/${id}`);
    const settings = { key, name: 'Frankfurt', region: '', enabled: true, allow_private: false };
    const entries = await audit(id);
    expect(entries.reverse()).toMatchObject([
      { action: 'create', resource: 'probe', after: settings },
      { action: 'update', changed: ['enabled'], before: { enabled: true }, after: { enabled: false } },
      { action: 'update', changed: ['token'], before: { token: '********' }, after: { token: '********' } },
      { action: 'delete', before: { ...settings, enabled: false } },
    ]);
    for (const secret of [token, rotated.body.token]) expect(JSON.stringify(entries)).not.toContain(secret);
  });

  it('are deleted with their organization', async () => {
    const { admin, orgId } = await app.organization('Gone');
    await create({}, admin);
    expect((await app.operator.delete(`/organizations/${formatId('organization', orgId)}`)).status).toBe(204);
    expect(await database.query('SELECT 1 FROM probe WHERE org_id = $1', [orgId])).toEqual([]);
  });
});
