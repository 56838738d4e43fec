/** @lane slow */
import { MaintenanceSweep } from '../../../src/maintenance/maintenance-sweep.job';
import { Database } from '../../../src/platform/database/database';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { sweepHeartbeats } from '../../harness/app/heartbeats';
import { newAlert, newEndpoint, newMaintenanceWindow, newWebsite } from '../../harness/app/resources';

interface Job {
  id: string;
  pingId: string;
}

const [RUN, OTHER] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const HOUR_MS = 3_600_000;

describe('runs of a heartbeat in combination with other features of an endpoint', () => {
  let app: TestApp;
  let websiteId: string;
  beforeAll(async () => {
    app = await startOwnApp();
    websiteId = await newWebsite(app.write);
  });
  afterAll(() => app.close());

  const make = async (heartbeat: object, more: object = {}, website = websiteId): Promise<Job> => {
    const id = await newEndpoint(app.write, website, { url: undefined, type: 'HEARTBEAT', heartbeat, ...more });
    const { body } = await app.write.get<{ heartbeat: { ping_id: string } }>(`/endpoints/${id}`);
    return { id, pingId: body.heartbeat.ping_id };
  };
  const status = async (pingId: string, rest = '') => (await fetch(`${app.url}/ping/${pingId}${rest}`)).status;
  const ping = async ({ pingId }: Job, rest = ''): Promise<void> => expect(await status(pingId, rest)).toBe(200);
  const read = async ({ id }: { id: string }) =>
    (
      await app.read.get<{
        status: string;
        heartbeat: { next_expected_at: string | null; last_ping_at: string | null; running_since: string | null };
      }>(`/endpoints/${id}`)
    ).body;
  const says = async ({ id }: Job): Promise<string[]> =>
    (await app.read.get<{ outcome: string; error: { code: string } | null }[]>(`/endpoints/${id}/checks`)).body.map(
      ({ outcome, error }) => error?.code ?? outcome,
    );
  const sweep = () => sweepHeartbeats(app);
  const afterLastPing = async (job: Job): Promise<number | null> => {
    const { next_expected_at: expected, last_ping_at: last } = (await read(job)).heartbeat;
    return expected === null ? null : (Date.parse(expected) - Date.parse(last ?? '')) / HOUR_MS;
  };
  const isTriggered = async (alert: string) =>
    (await app.read.get<{ triggered: boolean }>(`/alerts/${alert}`)).body.triggered;

  it('are overdue once for each of two that overlap, and are over with the end of either', async () => {
    const job = await make({ every: 86_400, max_runtime: 600 });
    const alert = await newAlert(app.write, job.id);
    await ping(job, `/start?rid=${RUN}`);
    await app.advance('5 min');
    await ping(job, `/start?rid=${OTHER}`);
    await app.advance('6 min');
    await sweep();
    expect([await says(job), await isTriggered(alert)]).toEqual([['heartbeat_overran'], true]);
    await app.advance('5 min');
    await sweep();
    await app.advance('5 min');
    await sweep();
    expect(await says(job)).toEqual(['heartbeat_overran', 'heartbeat_overran']);
    await ping(job, `?rid=${OTHER}`);
    const { status: shown, heartbeat } = await read(job);
    expect([shown, await isTriggered(alert)]).toEqual(['up', false]);
    // The other run continues, and isn't reported again for taking too long.
    expect(heartbeat.running_since).not.toBeNull();
    await app.advance('1 h');
    await sweep();
    expect((await says(job))[0]).toBe('up');
  });

  it('are expected by a changed schedule from the last ping on, never in the past', async () => {
    const job = await make({ every: 86_400 });
    const change = async (heartbeat: object) =>
      expect((await app.write.put(`/endpoints/${job.id}`, { heartbeat })).status).toBe(200);
    await change({ every: 43_200 });
    expect(await afterLastPing(job)).toBeNull();
    await ping(job);
    expect(await afterLastPing(job)).toBe(12);
    await change({ every: 7200 });
    expect(await afterLastPing(job)).toBe(2);
    await app.advance('90 min');
    await change({ every: 3600 });
    expect(await afterLastPing(job)).toBe(2);
    await sweep();
    expect(await says(job)).toEqual(['up']);
  });

  it('are not watched while the website is disabled, and not late when it is enabled again', async () => {
    const website = await newWebsite(app.write, 'Closed');
    const job = await make({ every: 3600, grace: 60, max_runtime: 60 }, {}, website);
    await ping(job);
    await ping(job, '/start');
    await app.write.put(`/websites/${website}`, { enabled: false });
    await app.advance('3 h');
    await sweep();
    await ping(job, '/fail');
    await ping(job, '/start');
    await app.advance('1 h');
    expect([await says(job), await afterLastPing(job)]).toEqual([['up'], null]);
    await app.write.put(`/websites/${website}`, { enabled: true });
    await sweep();
    expect([await says(job), await afterLastPing(job)]).toEqual([['up'], 2]);
  });

  it('suppress the alerts of endpoints that depend on the heartbeat, and are suppressed by its parents', async () => {
    const refused = { url: 'http://127.0.0.1:1/', type: 'HTTP', interval: 3600 };
    const check = async (id: string) => expect((await app.write.post(`/endpoints/${id}/checks`)).status).toBe(201);
    const backup = await make({ every: 86_400 });
    const restore = await newEndpoint(app.write, websiteId, { ...refused, depends_on: [backup.id] });
    const ofRestore = await newAlert(app.write, restore, { failure_threshold: 1 });
    await ping(backup, '/fail');
    await check(restore);
    expect([(await read({ id: restore })).status, await isTriggered(ofRestore)]).toEqual(['down', false]);

    const server = await newEndpoint(app.write, websiteId, refused);
    await check(server);
    const job = await make({ every: 86_400 }, { depends_on: [server] });
    const ofJob = await newAlert(app.write, job.id);
    await ping(job, '/1');
    expect([(await read(job)).status, await isTriggered(ofJob)]).toEqual(['down', false]);
    // Once nothing suppresses it, the failure is reported without waiting for tomorrow's run.
    expect((await app.write.put(`/endpoints/${job.id}`, { depends_on: [] })).status).toBe(200);
    await sweep();
    expect([await says(job), await isTriggered(ofJob)]).toEqual([['heartbeat_failed', 'heartbeat_failed'], true]);
  });

  it('can be pinged by a replaced URL for another day', async () => {
    const job = await make({ every: 3600 });
    await app.write.post(`/endpoints/${job.id}/heartbeat/rotate`);
    await ping(job);
    await app.app
      .get(Database)
      .query(`UPDATE heartbeat SET old_until = old_until - interval '1 day' WHERE old_ping_id = $1`, [job.pingId]);
    expect(await status(job.pingId)).toBe(404);
  });

  it('have no check slots, no matter how the heartbeat was created or changed, and count for the quota by the period', async () => {
    const { write, orgId } = await app.organization('Slots');
    const rows = () =>
      app.app.get(Database).query(
        `SELECT e.external_key AS key FROM endpoint_schedule s JOIN endpoint e ON e.id = s.endpoint_id
          WHERE e.org_id = $1 AND NOT s.scheduled AND s.next_check_at = 'infinity' AND s.claimed_by IS NULL
          ORDER BY e.external_key`,
        [orgId],
      );
    const rate = async () => {
      const use = 'SELECT (check_rate / 1e6)::float8 AS rate FROM organization_use WHERE org_id = $1';
      return (await app.app.get(Database).query<{ rate: number }>(use, [orgId]))[0]?.rate ?? NaN;
    };
    const declared = { key: 'declared', name: 'Declared', type: 'HEARTBEAT', heartbeat: { every: 100 } };
    const document = {
      version: 1,
      owner: 'shop-repo',
      websites: [{ key: 'shop', name: 'Shop', url: 'https://shop.example.com/', endpoints: [declared] }],
    };
    expect((await write.put('/configuration', document)).status).toBe(200);
    const [website] = (await write.get<{ id: string; ping_key: string }[]>('/websites')).body;
    if (!website) throw new Error('no website was made');
    expect(await rate()).toBeCloseTo(1 / 100, 5);
    expect(await status(website.ping_key, '/created?create=1')).toBe(201);
    expect(await rate()).toBeCloseTo(1 / 100 + 1 / 86_400, 5);
    const id = await newEndpoint(write, website.id, {
      url: undefined,
      key: 'made',
      type: 'HEARTBEAT',
      heartbeat: { every: 200 },
    });
    const all = [{ key: 'created' }, { key: 'declared' }, { key: 'made' }];
    expect(await rows()).toEqual(all);

    const enable = async (path: string) => {
      for (const enabled of [false, true]) expect((await write.put(path, { enabled })).status).toBe(200);
    };
    await write.put(`/endpoints/${id}`, { heartbeat: { every: 31_536_000 } });
    expect(await rate()).toBeCloseTo(1 / 100 + 2 / 86_400, 5);
    for (const key of ['created', 'declared']) await status(website.ping_key, `/${key}/fail`);
    await enable(`/endpoints/${id}`);
    await enable(`/websites/${website.id}`);
    await write.put(`/endpoints/${id}/acknowledgement`, {});
    await write.delete(`/endpoints/${id}/acknowledgement`);
    const now = app.app.get(DatabaseClock).now().getTime();
    const [starts_at, ends_at] = [now, now + HOUR_MS].map((time) => new Date(time).toISOString());
    const window = await newMaintenanceWindow(write, { starts_at, ends_at });
    await write.post(`/maintenance-windows/${window}/end`);
    await app.app.get(MaintenanceSweep).run();
    expect(await rows()).toEqual(all);
    await write.delete(`/websites/${website.id}`);
    expect(await rate()).toBe(0);
  });
});
