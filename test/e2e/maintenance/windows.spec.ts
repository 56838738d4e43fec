import { OccurrencePlanner } from '../../../src/maintenance/occurrence-planner.job';
import { MAINTENANCE_RETENTION } from '../../../src/maintenance/maintenance-retention';
import { RetentionJob } from '../../../src/platform/jobs/retention.job';
import { MaintenanceSweep } from '../../../src/maintenance/maintenance-sweep.job';
import { Database } from '../../../src/platform/database/database';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api, ApiResponse } from '../../../packages/testing/service/api';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

interface Span {
  starts_at: string;
  ends_at: string;
}

interface Window extends Record<string, unknown> {
  id: string;
  status: string;
  active_until: string | null;
  next: Span[];
  ends_at: string;
}

interface Refused {
  code: string;
  errors: object[];
}

interface Row {
  starts_at: Date;
  ends_at: Date;
  name: string;
  mute: boolean;
  begun: boolean;
  over: boolean;
}

describe('maintenance windows', () => {
  let app: TestApp;
  let clock: MovingClock;
  let database: Database;
  let website: string;
  let endpoint: string;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    // Windows start and end only through `clock.advance`.
    clock = MovingClock.frozenIn(app.app);
    database = app.app.get(Database);
    website = await newWebsite(app.write);
    endpoint = await newEndpoint(app.write, website);
  });
  afterAll(() => app.close());
  afterEach(async () => {
    await database.query('DELETE FROM maintenance_window');
    await database.query('DELETE FROM maintenance_occurrence');
    await database.query('DELETE FROM maintenance_scope');
  });

  const now = () => app.app.get(DatabaseClock).now().getTime();
  const at = (ms: number) => new Date(now() + ms).toISOString();
  const oneOff = (fromMs: number, toMs: number, fields: object = {}) => ({
    name: 'Move',
    scope: { all: true },
    starts_at: at(fromMs),
    ends_at: at(toMs),
    ...fields,
  });
  const hourly = (fields: object = {}) => ({
    name: 'Patches',
    scope: { all: true },
    cron: '0 * * * *',
    timezone: 'UTC',
    duration: 1800,
    ...fields,
  });
  const create = async (body: object, by: Api = app.write): Promise<Window> => {
    const response = await by.post<Window>('/maintenance-windows', body);
    expect([response.status, response.text]).toEqual([201, expect.any(String)]);
    return response.body;
  };
  const read = async (id: string) => (await app.read.get<Window>(`/maintenance-windows/${id}`)).body;
  const put = (id: string, body: object) => app.write.put<Window & Refused>(`/maintenance-windows/${id}`, body);
  const list = async (query = '') => (await app.read.get<Window[]>(`/maintenance-windows${query}`)).body;
  const ids = async (query = '') => (await list(query)).map(({ id }) => id);
  const rows = (id: string) =>
    database.query<Row>('SELECT * FROM maintenance_occurrence WHERE window_id = $1 ORDER BY starts_at', [
      parseId('maintenanceWindow', id),
    ]);
  const spans = async (id: string) =>
    (await rows(id)).map(({ starts_at, ends_at }) => [starts_at.getTime() - now(), ends_at.getTime() - now()]);
  const errors = ({ status, body }: ApiResponse<Refused>) => [status, body.errors];
  const advanceIntoHour = (ms: number) => clock.advance(HOUR - (now() % HOUR) + ms);

  it('creates a window and reads it back, alone, in the list and in the audit log', async () => {
    const scope = { website_ids: [website], endpoint_ids: [endpoint, endpoint], tags: ['Production', 'eu:west'] };
    const created = await app.write.post<Window>(
      '/maintenance-windows',
      oneOff(HOUR, 2 * HOUR, { name: ' Move ', scope }),
    );
    const { id } = created.body;
    expect(created).toMatchObject({
      status: 201,
      headers: { location: `/api/v1/maintenance-windows/${id}` },
      body: {
        id: expect.stringMatching(/^mw_\w{26}$/),
        name: 'Move',
        description: '',
        scope: { website_ids: [website], endpoint_ids: [endpoint], tags: ['eu:west', 'production'] },
        cron: null,
        timezone: null,
        duration: null,
        mute: true,
        exclude_from_uptime: true,
        public: true,
        status: 'scheduled',
        active_until: null,
        next: [{ starts_at: at(HOUR), ends_at: at(2 * HOUR) }],
        created_by: expect.any(String),
        created_at: at(0),
      },
    });
    expect(await read(id)).toEqual(created.body);
    expect(await list()).toEqual([created.body]);
    const log = await app.admin.get(`/audit-log?resource=maintenance&resource_id=${id}`);
    expect(log.body).toMatchObject([{ action: 'create', after: { name: 'Move', mute: true } }]);
  });

  it('is scheduled, active and ended by the time', async () => {
    const { id } = await create(oneOff(MINUTE, HOUR));
    expect(await read(id)).toMatchObject({ status: 'scheduled', active_until: null });
    clock.advance(MINUTE);
    expect(await read(id)).toMatchObject({ status: 'active', active_until: at(59 * MINUTE), next: [] });
    clock.advance(59 * MINUTE);
    expect(await read(id)).toMatchObject({ status: 'ended', active_until: null, next: [] });
  });

  it('that recurs is active while an occurrence runs and scheduled between', async () => {
    const { id } = await create(hourly());
    advanceIntoHour(MINUTE);
    expect(await read(id)).toMatchObject({ status: 'active', active_until: at(29 * MINUTE) });
    expect((await read(id)).next.map(({ starts_at }) => Date.parse(starts_at) - now())).toEqual(
      [1, 2, 3].map((hours) => hours * HOUR - MINUTE),
    );
    clock.advance(30 * MINUTE);
    expect(await read(id)).toMatchObject({ status: 'scheduled', active_until: null });
  });

  it('takes back its effect, while it runs, afterwards, and with parts of its scope deleted', async () => {
    const gone = await newEndpoint(app.write, website);
    const { id } = await create(oneOff(-4 * MINUTE, HOUR, { scope: { endpoint_ids: [gone], tags: ['a'] } }));
    const weekly = await create(hourly({ cron: '0 2 * * SUN', timezone: 'Europe/Berlin', duration: 600_000 }));
    await app.write.delete(`/endpoints/${gone}`);
    for (const ms of [0, 10 * MINUTE, DAY]) {
      clock.advance(ms);
      for (const window of [id, weekly.id]) {
        const before = await read(window);
        const response = await put(window, before);
        expect(response).toMatchObject({ status: 200, body: before });
      }
    }
  });

  it('changes only the fields that are sent', async () => {
    const before = await create(hourly());
    const changes = { description: 'Servers', mute: false, exclude_from_uptime: false, public: false };
    const after = await put(before.id, changes);
    expect(after).toMatchObject({ status: 200, body: { ...before, ...changes, updated_at: expect.any(String) } });
    const log = await app.admin.get<{ changed: string[] }[]>(`/audit-log?resource_id=${before.id}&limit=1`);
    expect(log.body[0]?.changed).toEqual(Object.keys(changes));
  });

  it('of one kind can be changed to the other', async () => {
    const { id } = await create(oneOff(HOUR, 2 * HOUR));
    const recurring = { cron: '0 2 * * *', timezone: 'UTC', duration: 60, starts_at: null, ends_at: null };
    expect(await put(id, recurring)).toMatchObject({ status: 200, body: { ...recurring, status: 'scheduled' } });
    const once = { cron: null, timezone: null, duration: null, starts_at: at(0), ends_at: at(HOUR) };
    expect(await put(id, once)).toMatchObject({ status: 200, body: { ...once, status: 'active' } });
    expect(await spans(id)).toEqual([[0, HOUR]]);
  });

  it.each([
    ['a start that is moved into the past', () => ({ starts_at: at(-DAY) }), '/starts_at', 'in_past'],
    ['an end before its start', () => ({ ends_at: at(-DAY) }), '/ends_at', 'out_of_range'],
    ['half a recurrence', () => ({ cron: '0 2 * * *', timezone: 'UTC' }), '/duration', 'required'],
    ['an empty scope', () => ({ scope: {} }), '/scope', 'required'],
  ])('refuses %s in a change', async (_, fields, pointer, code) => {
    const { id } = await create(oneOff(0, HOUR));
    expect(errors(await put(id, fields()))).toEqual([400, [expect.objectContaining({ pointer, code })]]);
  });

  it('with unknown ids or another organization’s is 404, with a pointer to each', async () => {
    const other = await app.organization('Other');
    const foreign = await newWebsite(other.write);
    const scope = { website_ids: [website, foreign], endpoint_ids: ['ep_00000000000000000000000000'] };
    const response = await app.write.post<Refused>('/maintenance-windows', hourly({ scope }));
    expect([response.status, response.body.code]).toEqual([404, 'not_found']);
    expect(response.body.errors).toEqual([
      expect.objectContaining({ pointer: '/scope/website_ids/1', code: 'not_found' }),
      expect.objectContaining({ pointer: '/scope/endpoint_ids/0', code: 'not_found' }),
    ]);
    const { id } = await create(hourly());
    expect((await put(id, { scope })).status).toBe(404);
    expect((await other.read.get(`/maintenance-windows/${id}`)).status).toBe(404);
    expect((await other.write.delete(`/maintenance-windows/${id}`)).status).toBe(404);
    expect((await other.write.post(`/maintenance-windows/${id}/end`)).status).toBe(404);
    expect((await other.read.get(`/maintenance-windows/${id}/occurrences`)).status).toBe(404);
    expect((await other.read.get('/maintenance-windows')).body).toEqual([]);
  });

  it('that runs is ended by request, once, and stays ended after a change of other fields', async () => {
    const { id } = await create(oneOff(0, HOUR));
    clock.advance(MINUTE);
    const end = () => app.write.post<Window & Refused>(`/maintenance-windows/${id}/end`);
    expect(await end()).toMatchObject({ status: 200, body: { status: 'ended', active_until: null } });
    expect(await end()).toMatchObject({ status: 409, body: { code: 'conflict' } });
    clock.advance(MINUTE);
    expect((await put(id, { name: 'Moved', mute: false, scope: { tags: ['a'] } })).body.status).toBe('ended');
    expect(await spans(id)).toEqual([[-2 * MINUTE, -MINUTE]]);
    expect((await put(id, { ends_at: at(2 * HOUR) })).body).toMatchObject({
      status: 'active',
      active_until: at(2 * HOUR),
    });
    expect(await spans(id)).toEqual([
      [-2 * MINUTE, -MINUTE],
      [0, 2 * HOUR],
    ]);
  });

  it('that recurs continues with its next occurrence after one was ended', async () => {
    const { id } = await create(hourly());
    expect((await app.write.post(`/maintenance-windows/${(await create(oneOff(HOUR, DAY))).id}/end`)).status).toBe(409);
    advanceIntoHour(5 * MINUTE);
    const ended = await app.write.post<Window>(`/maintenance-windows/${id}/end`);
    expect(ended.body).toMatchObject({ status: 'scheduled', active_until: null });
    expect((await put(id, { name: 'Patched' })).body.status).toBe('scheduled');
    const next = ended.body.next[0];
    expect(Date.parse(next?.starts_at ?? '') - now()).toBe(55 * MINUTE);
    clock.advance(55 * MINUTE);
    expect((await read(id)).status).toBe('active');
  });

  it('that recurs and runs at its creation counts from then', async () => {
    advanceIntoHour(10 * MINUTE);
    const { id } = await create(hourly());
    expect((await spans(id)).slice(0, 2)).toEqual([
      [0, 20 * MINUTE],
      [50 * MINUTE, 80 * MINUTE],
    ]);
  });

  it('that started up to five minutes ago is in force from its creation on', async () => {
    const { id } = await create(oneOff(-5 * MINUTE, HOUR));
    expect(await spans(id)).toEqual([[-5 * MINUTE, HOUR]]);
    const late = await app.write.post<Refused>('/maintenance-windows', oneOff(-5 * MINUTE - SECOND, HOUR));
    expect(errors(late)).toEqual([400, [expect.objectContaining({ pointer: '/starts_at', code: 'in_past' })]]);
  });

  it.each([
    ['its end', { ends_at: 'later' }],
    ['whether it mutes', { mute: false }],
    ['its scope', { scope: { tags: ['a'] } }],
    ['its name', { name: 'Other' }],
  ])('that runs is cut if %s changes, and its past stays', async (_, sent) => {
    const { id } = await create(oneOff(0, HOUR));
    await app.app.get(MaintenanceSweep).run();
    clock.advance(MINUTE);
    const fields = 'ends_at' in sent ? { ends_at: at(2 * HOUR) } : sent;
    const { body } = await put(id, fields);
    expect(body.status).toBe('active');
    const until = Date.parse(body.active_until ?? '') - now();
    expect(await spans(id)).toEqual([
      [-MINUTE, 0],
      [0, until],
    ]);
    expect(await rows(id)).toMatchObject([{ name: 'Move', mute: true, begun: true }, { begun: false }]);
  });

  it('that runs is not cut by a change of its description', async () => {
    const { id } = await create(oneOff(0, HOUR));
    clock.advance(MINUTE);
    expect((await put(id, { description: 'Soon' })).status).toBe(200);
    expect(await spans(id)).toEqual([[-MINUTE, 59 * MINUTE]]);
  });

  it('that is shortened to now ends now', async () => {
    const { id } = await create(oneOff(0, HOUR));
    clock.advance(MINUTE);
    expect((await put(id, { ends_at: at(-SECOND) })).body.status).toBe('ended');
    expect(await spans(id)).toEqual([[-MINUTE, 0]]);
  });

  it('that recurs until now ends now, and a second change in the same moment gives no conflict', async () => {
    const { id } = await create(hourly());
    advanceIntoHour(MINUTE);
    expect((await put(id, { mute: false })).body.status).toBe('active');
    expect((await put(id, { mute: true })).body.status).toBe('active');
    expect((await put(id, { ends_at: at(0) })).body).toMatchObject({ status: 'ended', next: [] });
    expect((await rows(id)).filter(({ ends_at }) => ends_at.getTime() > now())).toEqual([]);
  });

  it('that is deleted ends, and its past effect stays known', async () => {
    const { id } = await create(hourly());
    advanceIntoHour(MINUTE);
    expect((await app.write.delete(`/maintenance-windows/${id}`)).status).toBe(204);
    expect((await app.read.get(`/maintenance-windows/${id}`)).status).toBe(404);
    expect((await spans(id)).at(-1)).toEqual([-MINUTE, 0]);
    const log = await app.admin.get(`/audit-log?resource_id=${id}&limit=1`);
    expect(log.body).toMatchObject([{ action: 'delete', before: { cron: '0 * * * *' } }]);
  });

  describe('the list', () => {
    it('has the newest start first, recurring windows at their next one, page by page', async () => {
      const [past, soon] = [await create(oneOff(-MINUTE, HOUR)), await create(oneOff(30 * DAY, 31 * DAY))];
      const yearly = await create(hourly({ cron: '0 0 1 1 *' }));
      const next = await create(hourly());
      const expected = [past, soon, yearly, next].sort((a, b) => startOf(b) - startOf(a)).map(({ id }) => id);
      expect(await ids()).toEqual(expected);
      const first = await app.read.get<Window[]>('/maintenance-windows?limit=3');
      expect(first.headers['x-total-count']).toBe('4');
      const second = await list(`?limit=3&cursor=${first.headers['x-next-cursor']}`);
      expect([...first.body, ...second].map(({ id }) => id)).toEqual(expected);
      expect(
        (await app.read.get(`/maintenance-windows?status=active&cursor=${first.headers['x-next-cursor']}`)).status,
      ).toBe(400);
    });

    const startOf = ({ next, starts_at }: Window): number => Date.parse(next[0]?.starts_at ?? String(starts_at));

    it('is filtered by status, and a recurring window moves on when an occurrence starts', async () => {
      advanceIntoHour(40 * MINUTE);
      const recurring = await create(hourly());
      const [active, scheduled] = [await create(oneOff(0, DAY)), await create(oneOff(2 * DAY, 3 * DAY))];
      const ended = await create(oneOff(-MINUTE, -SECOND));
      expect(await ids('?status=ended')).toEqual([ended.id]);
      expect((await ids('?status=scheduled')).sort()).toEqual([recurring.id, scheduled.id].sort());
      expect(await ids('?status=active')).toEqual([active.id]);
      advanceIntoHour(MINUTE);
      await app.app.get(MaintenanceSweep).run();
      expect(await ids('?status=active')).toEqual([recurring.id, active.id]);
      clock.advance(30 * MINUTE);
      expect((await ids('?status=scheduled')).sort()).toEqual([recurring.id, scheduled.id].sort());
      expect((await app.read.get('/maintenance-windows?status=running')).status).toBe(400);
    });

    it('is filtered by windows that cover an endpoint or a website, through any scope', async () => {
      const site = await newWebsite(app.write);
      const [one, two] = [await newEndpoint(app.write, site), await newEndpoint(app.write, site)];
      await database.query(`UPDATE website SET tags = '{shop}' WHERE id = $1`, [parseId('website', site)]);
      await database.query(`UPDATE endpoint SET tags = '{db}' WHERE id = $1`, [parseId('endpoint', one)]);
      const of = async (scope: object) => (await create(hourly({ scope }))).id;
      const all = await of({ all: true });
      const bySite = await of({ website_ids: [site] });
      const byOne = await of({ endpoint_ids: [one] });
      const byTag = await of({ tags: ['db'] });
      const bySiteTag = await of({ tags: ['shop', 'x'] });
      await of({ website_ids: [website], tags: ['x'] });
      expect((await ids(`?endpoint_id=${one}`)).sort()).toEqual([all, bySite, byOne, byTag, bySiteTag].sort());
      expect((await ids(`?endpoint_id=${two}`)).sort()).toEqual([all, bySite, bySiteTag].sort());
      expect((await ids(`?website_id=${site}`)).sort()).toEqual([all, bySite, byOne, byTag, bySiteTag].sort());
      expect(await ids(`?website_id=${site}&endpoint_id=${endpoint}`)).toEqual([all]);
      expect(await ids('?endpoint_id=ep_00000000000000000000000000')).toEqual([]);
    });
  });

  describe('the occurrences', () => {
    const occurrences = async (id: string, query = '') =>
      (await app.read.get<Span[]>(`/maintenance-windows/${id}/occurrences${query}`)).body.map(
        ({ starts_at, ends_at }) => [Date.parse(starts_at) - now(), Date.parse(ends_at) - now()],
      );

    it('are the past ones unchanged, and the future ones, years ahead', async () => {
      const { id } = await create(hourly());
      advanceIntoHour(MINUTE);
      await app.write.post(`/maintenance-windows/${id}/end`);
      clock.advance(4 * MINUTE);
      await put(id, { duration: 600 });
      const from = at(-10 * MINUTE);
      // The change of the duration starts it again.
      expect(await occurrences(id, `?from=${from}&limit=4`)).toEqual([
        [-5 * MINUTE, -4 * MINUTE],
        [0, 5 * MINUTE],
        [55 * MINUTE, 65 * MINUTE],
        [115 * MINUTE, 125 * MINUTE],
      ]);
      expect((await occurrences(id, '?from=2090-05-01&limit=1'))[0]?.[0]).toBe(
        Date.parse('2090-05-01T00:00:00Z') - now(),
      );
      expect(await occurrences(id)).toHaveLength(20);
      expect((await app.read.get(`/maintenance-windows/${id}/occurrences?limit=101`)).status).toBe(400);
    });

    it('are written eight days ahead, also after the planner was away for days', async () => {
      const { id } = await create(hourly());
      const far = await create(oneOff(9 * DAY, 9 * DAY + HOUR));
      const planner = app.app.get(OccurrencePlanner);
      expect([(await rows(id)).length >= 8 * 24, (await rows(far.id)).length]).toEqual([true, 0]);
      clock.advance(36 * HOUR);
      const before = await rows(id);
      await planner.run();
      const after = await rows(id);
      expect(after.slice(0, before.length)).toEqual(before);
      expect(after.at(-1)?.starts_at.getTime()).toBeGreaterThan(now() + 8 * DAY - HOUR);
      expect(new Set(after.map(({ starts_at }) => starts_at.getTime())).size).toBe(after.length);
      expect(await spans(far.id)).toEqual([[9 * DAY - 36 * HOUR, 9 * DAY - 35 * HOUR]]);
      await planner.run();
      expect(await rows(id)).toEqual(after);
    });

    it('are not planned again if a window has no more', async () => {
      await create(hourly({ ends_at: at(3 * HOUR) }));
      await create(oneOff(HOUR, 2 * HOUR));
      clock.advance(4 * HOUR);
      await app.app.get(OccurrencePlanner).run();
      expect(await database.query(`SELECT id FROM maintenance_window WHERE planned_until < 'infinity'`)).toEqual([]);
      expect((await list()).map(({ status }) => status)).toEqual(['ended', 'ended']);
    });
  });

  it('stays for 400 days after its end, with its past effect', async () => {
    const { id } = await create(oneOff(0, HOUR));
    const forever = await create(hourly());
    clock.advance(HOUR);
    await app.app.get(MaintenanceSweep).run();
    const retention = app.app.get(RetentionJob);
    await retention.run(MAINTENANCE_RETENTION);
    expect(await rows(id)).toHaveLength(1);
    const old = `now() - interval '401 days'`;
    await database.query(`UPDATE maintenance_occurrence SET starts_at = ${old}, ends_at = ${old} WHERE over`);
    await database.query(`UPDATE maintenance_window SET starts_at = ${old}, ends_at = ${old} WHERE cron IS NULL`);
    await retention.run(MAINTENANCE_RETENTION);
    expect([await rows(id), await ids()]).toEqual([[], [forever.id]]);
    expect(await database.query('SELECT id FROM maintenance_scope')).toHaveLength(1);
  });

  it('is deleted with its organization', async () => {
    const { orgId, write } = await app.organization('Short-lived');
    await create(hourly(), write);
    expect((await app.operator.delete(`/organizations/${formatId('organization', orgId)}`)).status).toBe(204);
    for (const table of ['window', 'occurrence', 'scope'])
      expect(await database.query(`SELECT 1 FROM maintenance_${table} WHERE org_id = $1`, [orgId])).toEqual([]);
  });
  it('is refused when an organization has a thousand that are not over', async () => {
    const { write } = await app.organization('Full');
    const { id } = await create(oneOff(0, HOUR), write);
    const ids = Array.from({ length: 999 }, () => newUuid());
    await database.query(
      `INSERT INTO maintenance_window (id, org_id, name, scope_id, starts_at, ends_at, planned_until)
       SELECT new.id, org_id, name, scope_id, starts_at, ends_at, planned_until FROM maintenance_window m, unnest($2::uuid[]) AS new (id)
        WHERE m.id = $1`,
      [parseId('maintenanceWindow', id), ids],
    );
    const refused = await write.post<Refused & { quota: object }>('/maintenance-windows', hourly());
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'quota_exceeded', quota: { name: 'maintenance_windows', limit: 1000, used: 1000 } },
    });
    clock.advance(HOUR);
    await create(hourly(), write);
  });

  it('is refused when the scopes of an organization would name more than ten thousand ids and tags', async () => {
    const { write } = await app.organization('Wordy');
    const scope = { tags: Array.from({ length: 1000 }, (_, index) => `tag-${index}`) };
    for (let count = 0; count < 10; count++) await create({ ...oneOff(0, HOUR), scope }, write);
    const small = await create(oneOff(0, HOUR), write);
    const quota = { name: 'maintenance_scopes', limit: 10_000, used: 10_000 };
    const refused = { status: 409, body: { code: 'quota_exceeded', quota } };
    const one = { scope: { tags: ['one'] } };
    expect(await write.post('/maintenance-windows', { ...oneOff(0, HOUR), ...one })).toMatchObject(refused);
    expect(await write.put(`/maintenance-windows/${small.id}`, one)).toMatchObject(refused);
    expect(await write.put(`/maintenance-windows/${small.id}`, { name: 'Renamed' })).toMatchObject({ status: 200 });
  });

  it('is refused when an organization would have more than twenty thousand occurrences in the next days', async () => {
    const { write } = await app.organization('Busy');
    const often = { name: 'Often', scope: { all: true }, cron: '*/2 * * * *', timezone: 'UTC', duration: 60 };
    for (let count = 0; count < 3; count++) await create(often, write);
    expect(await write.post('/maintenance-windows', often)).toMatchObject({
      status: 409,
      body: { code: 'quota_exceeded', quota: { name: 'maintenance_occurrences', limit: 20_000 } },
    });
    expect((await write.get<object[]>('/maintenance-windows')).body).toHaveLength(3);
  });
});
