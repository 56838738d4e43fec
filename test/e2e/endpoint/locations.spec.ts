/** @databases both */
import { DataSource } from 'typeorm';
import type { AuditEntryView } from '../../../src/audit/audit.dto';
import type { EndpointView } from '../../../src/endpoint/endpoint.dto';
import { EndpointSchedule, locationPhaseMs, phaseMs } from '../../../src/endpoint/endpoint-schedule';
import { Database } from '../../../src/platform/database/database';
import { formatId, parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { collectQueries } from '../../harness/app/query-counter';
import { many } from '../../harness/many';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';

interface Problem {
  code: string;
  detail: string;
  errors: { pointer: string; code: string; message: string }[];
}
interface Row {
  location: string;
  phaseMs: number;
  version: string | null;
  status: number;
  failures: number;
  successes: number;
  lastCheckedAt: Date | null;
  lastKnownAt: Date | null;
}

const FIRST_CHECK = '2026-11-20T10:00:00.000Z';

describe('the locations of an endpoint', () => {
  let app: TestApp;
  let database: Database;
  let org: ServiceOrganization;
  let website: string;
  let counter = 0;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    database = app.app.get(Database);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    org = await app.organization(`Places ${++counter}`);
    website = await newWebsite(org.write);
    for (const key of ['fra', 'office', 'virginia']) await newProbe(key);
  });

  const newProbe = async (key: string, fields: object = {}): Promise<void> => {
    const { status, text } = await org.admin.post('/probes', { key, ...fields });
    if (status !== 201) throw new Error(text);
  };
  const made = (fields: object = {}): Promise<string> => newEndpoint(org.write, website, fields);
  const read = async (id: string): Promise<EndpointView> => (await org.read.get<EndpointView>(`/endpoints/${id}`)).body;
  const put = (id: string, body: object) => org.write.put<EndpointView & Problem>(`/endpoints/${id}`, body);
  const uuidOf = (id: string): string => parseId('endpoint', id) ?? '';
  const codesOf = ({ body }: { body: Problem }): [string, string][] =>
    body.errors.map(({ pointer, code }) => [pointer, code]);
  const rowsOf = (id: string): Promise<Row[]> =>
    database.query<Row>(
      `SELECT coalesce(p.key, 'local') AS location, l.phase_ms AS "phaseMs", l.version::text AS version, l.status, l.failures,
              l.successes, l.last_checked_at AS "lastCheckedAt", l.last_known_at AS "lastKnownAt"
         FROM endpoint_location l LEFT JOIN probe p ON p.number = l.number WHERE l.endpoint_id = $1 ORDER BY l.position`,
      [uuidOf(id)],
    );
  const scheduleOf = async (id: string) => {
    const [row] = await database.query<{
      located: boolean;
      scheduled: boolean;
      phaseMs: number;
      revision: number;
      isDue: boolean;
    }>(
      `SELECT located, scheduled, phase_ms AS "phaseMs", revision, next_check_at <= now() AS "isDue" FROM endpoint_schedule WHERE endpoint_id = $1`,
      [uuidOf(id)],
    );
    return row;
  };
  const ratesOf = async (): Promise<number> => {
    const [row] = await database.query<{ rate: number }>(
      'SELECT (check_rate / 1e6)::float8 AS rate FROM organization_use WHERE org_id = $1',
      [org.orgId],
    );
    return row?.rate ?? 0;
  };
  /** Assigns numbers like the sweep of the probes does. */
  const number = (id: string) =>
    database.query('UPDATE endpoint_location SET version = 5 WHERE endpoint_id = $1 AND number > 0', [uuidOf(id)]);
  /** Writes the recorder's state after some checks. */
  const seen = (id: string, fields: string) =>
    database.query(`UPDATE endpoint_state SET ${fields}, last_checked_at = '${FIRST_CHECK}' WHERE endpoint_id = $1`, [
      uuidOf(id),
    ]);

  it('are rows in the order in which they were sent, which share the interval evenly', async () => {
    const id = await made({ locations: ['fra', 'local', 'fra', 'office'], quorum: 2, interval: 60 });
    expect(await read(id)).toMatchObject({ locations: ['fra', 'local', 'office'], quorum: 2 });
    const phases = [0, 1, 2].map((turn) => locationPhaseMs(uuidOf(id), 60, { turn, of: 3 }));
    expect((await rowsOf(id)).map(({ location, phaseMs: phase }) => [location, phase])).toEqual([
      ['fra', phases[0]],
      ['local', phases[1]],
      ['office', phases[2]],
    ]);
    expect(await scheduleOf(id)).toMatchObject({ located: true, scheduled: true, phaseMs: phases[1] });
    expect(await ratesOf()).toBeCloseTo(3 / 60, 5);
  });

  it('are each shown with their result; endpoints with only local have no rows and show nothing', async () => {
    const id = await made({ locations: ['local', 'fra'] });
    expect((await read(id)).by_location).toEqual([
      { ...NOTHING_SEEN, location: 'local', name: 'local' },
      { ...NOTHING_SEEN, location: 'fra', name: 'fra' },
    ]);
    const alone = await made({ locations: ['local'] });
    expect(await read(alone)).toMatchObject({ locations: ['local'], quorum: 'majority', by_location: null });
    expect(await rowsOf(alone)).toEqual([]);
    expect(await scheduleOf(alone)).toMatchObject({ located: false, scheduled: true });
  });

  it('are read for a page in one statement, and in none if all endpoints have only local', async () => {
    await made();
    const statements = collectQueries(app.app.get(DataSource));
    const list = async (): Promise<number> => {
      const before = statements.length;
      expect((await org.read.get(`/websites/${website}/endpoints`)).status).toBe(200);
      return statements.slice(before).filter(([sql]) => /last_known_at/.test(sql)).length;
    };
    expect(await list()).toBe(0);
    await made({ locations: ['fra'] });
    await made({ locations: ['fra', 'office'] });
    expect(await list()).toBe(1);
  });

  it('keep an endpoint without local from being claimed by an instance', async () => {
    const id = await made({ locations: ['fra', 'office'] });
    expect(await scheduleOf(id)).toMatchObject({ located: true, scheduled: false, isDue: false });
    expect((await read(id)).next_check_at).toBeNull();
  });

  it('stay when the response of a GET is sent back: nothing changes, and nothing is sent to the probes again', async () => {
    const id = await made({ locations: ['fra', 'local'], quorum: 'any' });
    await number(id);
    const before = await rowsOf(id);
    await org.admin.put(`/probes/${(await org.read.get<{ id: string }[]>('/probes')).body[0]?.id}`, { enabled: false });
    const body = await read(id);
    expect(body.by_location?.[0]).toMatchObject({ location: 'fra', reason: 'disabled', counts: false });
    expect((await put(id, body)).status).toBe(200);
    expect(await rowsOf(id)).toEqual(before);
    const { body: log } = await org.admin.get<AuditEntryView[]>(`/audit-log?resource=endpoint&resource_id=${id}`);
    expect(log.map(({ action }) => action)).toEqual(['create']);
  });

  it('change without a new revision: streaks stay, a new one checks at once, and the others share the interval with it', async () => {
    const id = await made();
    await seen(id, 'status = 0, consecutive_failures = 7, consecutive_bad = 7');
    const revision = (await scheduleOf(id))?.revision;
    await put(id, { locations: ['local', 'fra'] });
    expect(await rowsOf(id)).toMatchObject([
      {
        location: 'local',
        status: 0,
        failures: 7,
        lastCheckedAt: new Date(FIRST_CHECK),
        lastKnownAt: new Date(FIRST_CHECK),
      },
      { location: 'fra', status: 2, failures: 0, lastCheckedAt: null, version: null },
    ]);
    await number(id);
    await put(id, { locations: ['office', 'fra', 'local'], quorum: 'all' });
    expect(await rowsOf(id)).toMatchObject([
      { location: 'office', version: null },
      { location: 'fra', version: null, phaseMs: locationPhaseMs(uuidOf(id), 60, { turn: 1, of: 3 }) },
      { location: 'local', failures: 7 },
    ]);
    expect((await scheduleOf(id))?.revision).toBe(revision);
    const { body: log } = await org.admin.get<AuditEntryView[]>(`/audit-log?resource=endpoint&resource_id=${id}`);
    expect(log[0]).toMatchObject({
      changed: ['locations', 'quorum'],
      before: { locations: ['local', 'fra'], quorum: 'majority' },
      after: { locations: ['office', 'fra', 'local'], quorum: 'all' },
    });
  });

  it('leave no row when only local remains, and their probes are instructed to forget the endpoint', async () => {
    const id = await made({ locations: ['fra', 'office'] });
    await put(id, { locations: ['local'] });
    expect(await rowsOf(id)).toEqual([]);
    expect(await scheduleOf(id)).toMatchObject({
      located: false,
      scheduled: true,
      isDue: true,
      phaseMs: phaseMs(uuidOf(id), 60),
    });
    expect(await removalsOf(id)).toBe(2);
    expect(await ratesOf()).toBeCloseTo(1 / 60, 5);
  });

  const removalsOf = async (id: string): Promise<number> =>
    (await database.query('SELECT 1 FROM probe_removal WHERE endpoint_id = $1', [uuidOf(id)])).length;

  it('are sent to the probes again when the interval or the target changes and when the endpoint or its website is paused, and forgotten when it is deleted', async () => {
    const id = await made({ locations: ['local', 'fra'] });
    const isToldAgain = async (work: () => Promise<unknown>): Promise<boolean> => {
      await number(id);
      await work();
      return (await rowsOf(id)).some(({ location, version }) => location === 'fra' && version === null);
    };
    expect(await isToldAgain(() => put(id, { name: 'Other' }))).toBe(false);
    expect(await isToldAgain(() => put(id, { interval: 90 }))).toBe(true);
    expect((await rowsOf(id))[1]?.phaseMs).toBe(locationPhaseMs(uuidOf(id), 90, { turn: 1, of: 2 }));
    expect(await isToldAgain(() => put(id, { headers: [{ key: 'Accept', value: 'text/html' }] }))).toBe(true);
    expect(await isToldAgain(() => put(id, { enabled: false }))).toBe(true);
    expect(await isToldAgain(() => put(id, { enabled: true }))).toBe(true);
    expect(await isToldAgain(() => org.write.put(`/websites/${website}`, { enabled: false }))).toBe(true);
    expect(await isToldAgain(() => org.write.put(`/websites/${website}`, { enabled: true }))).toBe(true);
    const off = await newWebsite(org.write, 'Off');
    await org.write.put(`/websites/${off}`, { enabled: false });
    expect(await isToldAgain(() => put(id, { website_id: off }))).toBe(true);
    expect((await read(id)).locations).toEqual(['local', 'fra']);
    await org.write.delete(`/endpoints/${id}`);
    expect([await rowsOf(id), await removalsOf(id)]).toEqual([[], 1]);
  });

  it('keep no result of another target, and have no vote from before a pause', async () => {
    const id = await made({ locations: ['local', 'fra'] });
    const saw = () =>
      database.query(
        `UPDATE endpoint_location SET status = 0, failures = 3, last_checked_at = now(), last_known_at = now() WHERE endpoint_id = $1`,
        [uuidOf(id)],
      );
    await saw();
    expect((await read(id)).by_location?.map(({ status, counts }) => counts && status)).toEqual(['down', 'down']);
    await put(id, { url: 'https://shop.example.com/other' });
    expect(await rowsOf(id)).toMatchObject([UNKNOWN, UNKNOWN]);
    for (const pause of [
      (enabled: boolean) => put(id, { enabled }),
      (enabled: boolean) => org.write.put(`/websites/${website}`, { enabled }),
    ]) {
      await saw();
      await pause(false);
      await pause(true);
      expect(await rowsOf(id)).toMatchObject([
        { ...UNKNOWN, failures: 3 },
        { ...UNKNOWN, failures: 3 },
      ]);
    }
  });

  it.each<[what: string, fields: object, errors: [pointer: string, code: string][]]>([
    ['none', { locations: [] }, [['/locations', 'out_of_range']]],
    ['eleven', { locations: many(11, (i) => `p${i}`) }, [['/locations', 'out_of_range']]],
    ['a value that is not a list', { locations: 'fra' }, [['/locations', 'wrong_type']]],
    ['no location', { locations: ['FRA'] }, [['/locations', 'invalid_format']]],
    ['null', { locations: null }, [['/locations', 'wrong_type']]],
    ['no quorum', { quorum: 'most' }, [['/quorum', 'invalid_format']]],
    ['half a vote', { quorum: 1.5 }, [['/quorum', 'invalid_format']]],
    ['no vote', { quorum: 0 }, [['/quorum', 'out_of_range']]],
    ['more votes than one', { quorum: 2 }, [['/quorum', 'exceeds_locations']]],
    [
      'several at once',
      { interval: 0, locations: ['local', 'nobody', 'shared/nobody'], quorum: 4 },
      [
        ['/interval', 'out_of_range'],
        ['/locations/1', 'unknown_location'],
        ['/locations/2', 'unknown_location'],
        ['/quorum', 'exceeds_locations'],
      ],
    ],
    [
      'any location but local for a heartbeat',
      { type: 'HEARTBEAT', url: undefined, heartbeat: { every: 600 }, locations: ['fra'] },
      [['/locations', 'not_supported']],
    ],
  ])('are refused: %s', async (_, fields, errors) => {
    const response = await org.write.post<Problem>(`/websites/${website}/endpoints`, { ...PAGE, ...fields });
    expect([response.status, codesOf(response)]).toEqual([400, errors]);
    const setup = await org.write.post<Problem>('/websites', {
      name: 'New',
      url: 'https://new.example.com',
      endpoints: [PAGE, { ...PAGE, ...fields }],
    });
    expect(codesOf(setup)).toEqual(errors.map(([pointer, code]) => [`/endpoints/1${pointer}`, code]));
  });

  it('are refused when they are another organization’s, disabled, or lack the type', async () => {
    const other = await app.organization('Others');
    await other.admin.post('/probes', { key: 'theirs' });
    await newProbe('off', { enabled: false });
    await database.query(`UPDATE probe SET types = '{TCP}' WHERE key = 'office'`);
    const body = { locations: ['theirs', 'off', 'office'] };
    const id = await made();
    expect(codesOf(await put(id, body))).toEqual([
      ['/locations/0', 'unknown_location'],
      ['/locations/1', 'unknown_location'],
      ['/locations/2', 'type_not_supported'],
    ]);
    await put(id, { locations: ['fra', 'virginia'], quorum: 2 });
    expect(codesOf(await put(id, { locations: ['fra'] }))).toEqual([['/quorum', 'exceeds_locations']]);
  });

  it('may not reach a private target unless their probe is allowed to', async () => {
    await newProbe('inside', { allow_private: true });
    const target = { url: 'tcp://10.1.2.3:5432', type: 'TCP' };
    const body = { ...PAGE, ...target, locations: ['inside', 'fra', 'local'] };
    const refused = await org.write.post<Problem>(`/websites/${website}/endpoints`, body);
    expect([refused.status, refused.body.code, codesOf(refused)]).toEqual([
      422,
      'target_not_allowed',
      [['/locations/1', 'invalid_format']],
    ]);
    expect(refused.body.errors[0]?.message).toContain('fra');
    const id = await made({ ...target, locations: ['inside'] });
    expect(codesOf(await put(id, { locations: ['inside', 'office'] }))).toEqual([['/locations/1', 'invalid_format']]);
    expect((await put(id, { locations: ['inside', 'local'] })).status).toBe(200);
  });

  it('count for the checks per second that the organization may have', async () => {
    await app.operator.put(`/organizations/${formatId('organization', org.orgId)}`, {
      quotas: { checks_per_second: 1 },
    });
    const endpoint = await made({ locations: ['local', 'fra'], interval: 2 });
    const refused = await put(endpoint, { locations: ['local', 'fra', 'office'] });
    expect([refused.status, refused.body.code]).toEqual([409, 'quota_exceeded']);
    expect((await put(endpoint, { locations: ['local', 'fra', 'office'], interval: 3 })).status).toBe(200);
  });

  it('find the endpoints that are checked there', async () => {
    await made({ name: 'Here' });
    await made({ name: 'Both', locations: ['local', 'fra'] });
    await made({ name: 'There', locations: ['fra'] });
    const named = async (location: string) => {
      const { body } = await org.read.get<EndpointView[]>(`/endpoints?location=${location}`);
      return body.map(({ name }) => name);
    };
    expect(await named('local')).toEqual(['Here', 'Both']);
    expect(await named('fra')).toEqual(['Both', 'There']);
    expect(await named('office')).toEqual([]);
    expect((await org.read.get('/endpoints?location=nobody')).status).toBe(404);
    expect((await org.read.get('/endpoints?location=NOBODY')).status).toBe(400);
  });

  it('stay unchanged when an older instance, which does not know them, changes the endpoint', async () => {
    const id = await made({ locations: ['fra', 'office'] });
    await database.query(
      `UPDATE endpoint_schedule SET interval_seconds = 30, timeout_seconds = 10, phase_ms = 40, active = true, revision = 1, scheduled = true,
              next_check_at = now() WHERE endpoint_id = $1`,
      [uuidOf(id)],
    );
    expect(await scheduleOf(id)).toMatchObject({ located: true, scheduled: false, isDue: false });
    expect(await read(id)).toMatchObject({ locations: ['fra', 'office'], next_check_at: null });
    expect((await put(id, { locations: ['fra', 'local'] })).status).toBe(200);
    expect(await scheduleOf(id)).toMatchObject({ scheduled: true, isDue: true });
  });

  it('keep an older instance from claiming the endpoint, because its result would be recorded as the verdict of all', async () => {
    const both = await made({ locations: ['local', 'fra'] });
    const here = await made();
    const claimedBy = async (columns: string, values: string): Promise<string[]> => {
      const [instance] = await database.query<{ id: number }>(
        `INSERT INTO instance (role${columns}) VALUES ('all'${values}) RETURNING id`,
      );
      const id = instance?.id ?? 0;
      const { slots } = await app.app.get(EndpointSchedule).claimOfOne(database, id, 10, 2, { orgId: org.orgId });
      await database.query('DELETE FROM instance WHERE id = $1', [id]);
      return slots.map(({ endpointId }) => endpointId);
    };
    expect(await claimedBy('', '')).toEqual([uuidOf(here)]);
    expect(await scheduleOf(both)).toMatchObject({ scheduled: true, isDue: true });
    expect(await claimedBy(', locations', ', true')).toEqual([uuidOf(both)]);
  });

  it('keep their probe: it cannot be deleted while an endpoint names it', async () => {
    const id = await made({ locations: ['fra'] });
    const [probe] = (await org.read.get<{ id: string }[]>('/probes')).body;
    expect((await org.admin.delete(`/probes/${probe?.id}`)).status).toBe(409);
    await put(id, { locations: ['local'] });
    expect((await org.admin.delete(`/probes/${probe?.id}`)).status).toBe(204);
  });
});

const PAGE = { name: 'Front', type: 'HTTPS', url: 'https://shop.example.com/' };
const NOTHING_SEEN = {
  status: 'unknown',
  since: null,
  last_checked_at: null,
  failures: 0,
  successes: 0,
  counts: false,
  stale: true,
  error: null,
  reason: 'stale',
};
const UNKNOWN = { status: 2, lastKnownAt: null };
