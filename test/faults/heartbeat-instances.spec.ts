import { settle } from '../../src/heartbeat/heartbeat-store';
import { HeartbeatSweep } from '../../src/heartbeat/heartbeat-sweep.job';
import { OrganizationService } from '../../src/identity/organization/organization.service';
import { Database } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import { armFailpoints } from '../../src/platform/observability/failpoints';
import { eventually } from '../../packages/testing/eventually';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { checkEngine } from '../harness/app/invariants';
import { newAlert, newEndpoint, newWebsite } from '../harness/app/resources';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { SwitchableServer } from '../harness/servers/switchable-server';

const HEARTBEATS = 30;
/** `PING_ROUNDS=100` is the full run. */
const ROUNDS = Number(process.env['PING_ROUNDS'] ?? 8);

interface Watched {
  id: string;
  pingId: string;
}

const suite = findPostgres() === null ? describe.skip : describe;

suite('two instances on one database that both accept pings and sweep (needs PostgreSQL)', () => {
  let cluster: PostgresCluster;
  let hook: SwitchableServer;
  let first: TestApp;
  let second: TestApp;
  let websiteId: string;
  let made = 0;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    hook = await SwitchableServer.start();
    first = await startOwnApp({ databaseUrl: cluster.url });
    second = await startOwnApp({ databaseUrl: cluster.url });
    websiteId = await newWebsite(first.write);
  }, 180_000);
  afterAll(async () => {
    await second.close();
    await first.close();
    await hook.close();
    await cluster.remove();
  }, 60_000);
  afterEach(() => void hook.seen.splice(0));

  const query = <Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> =>
    first.app.get(Database).query<Row>(sql, parameters);
  const ping = (app: TestApp, pingId: string, rest = '') =>
    fetch(`${app.url}/ping/${pingId}${rest}`).then(({ status }) => status);
  const make = async (heartbeat: object): Promise<Watched> => {
    const fields = { name: `Job ${++made}`, url: undefined, type: 'HEARTBEAT', heartbeat };
    const id = await newEndpoint(first.write, websiteId, fields);
    await newAlert(first.write, id, { type: 'webhook', config: { url: `${hook.url}/${id}` } });
    const { body } = await first.write.get<{ heartbeat: { ping_id: string } }>(`/endpoints/${id}`);
    return { id, pingId: body.heartbeat.ping_id };
  };
  const makeSome = async (heartbeat: object): Promise<Watched[]> => {
    const some: Watched[] = [];
    // A busy machine refuses many requests at once.
    while (some.length < HEARTBEATS) some.push(await make(heartbeat));
    return some;
  };
  const uuids = (all: readonly Watched[]) => all.map(({ id }) => parseId('endpoint', id));
  const lateAll = (all: readonly Watched[]) =>
    query(
      `UPDATE heartbeat SET expected_at = now() - interval '3 minutes', deadline_at = now() - interval '1 minute'
        WHERE endpoint_id = ANY ($1::uuid[])`,
      [uuids(all)],
    );
  const sweepBoth = async (): Promise<void> => {
    const sweep = (app: TestApp) => app.app.get(HeartbeatSweep).run();
    await Promise.all([sweep(first), sweep(second), sweep(first), sweep(second)]);
  };
  const settled = (all: readonly Watched[]) =>
    eventually('nothing is due or pending', async () => {
      await sweepBoth();
      const left = `SELECT FROM heartbeat WHERE endpoint_id = ANY ($1::uuid[]) AND (pending IS NOT NULL OR next_at <= now())`;
      return (await query(left, [uuids(all)])).length === 0;
    });
  /** Returns the checks that are up, the checks that are down, and the events of each. */
  const counts = (all: readonly Watched[]) =>
    query<{ up: number; down: number; events: number }>(
      `SELECT (SELECT count(*)::int FROM check_result r WHERE r.endpoint_key = e.key AND outcome & 3 = 1) AS up,
              (SELECT count(*)::int FROM check_result r WHERE r.endpoint_key = e.key AND outcome & 3 = 0) AS down,
              (SELECT count(*)::int FROM alert_event v JOIN alert a ON a.id = v.alert_id WHERE a.endpoint_id = e.id) AS events
         FROM endpoint e WHERE e.id = ANY ($1::uuid[])`,
      [uuids(all)],
    );
  const alike = <T>(value: T): T[] => Array.from({ length: HEARTBEATS }, () => value);

  it('record each missed run once and send its trigger once', async () => {
    const all = await makeSome({ every: 3600, grace: 120 });
    await lateAll(all);
    await settled(all);
    expect(await counts(all)).toEqual(alike({ up: 0, down: 1, events: 1 }));
    await eventually('each is told', () => hook.seen.length >= HEARTBEATS);
    expect(new Set(hook.seen.map(({ path }) => path)).size).toBe(HEARTBEATS);
    expect(hook.seen).toHaveLength(HEARTBEATS);
    await checkEngine(first.app.get(Database));
  }, 90_000);

  it('decide once if the late ping arrives at the moment in which both sweep', async () => {
    const all = await makeSome({ every: 3600, grace: 120 });
    await lateAll(all);
    const pings = all.map(({ pingId }, place) => ping(place % 2 === 0 ? first : second, pingId));
    const [statuses] = await Promise.all([Promise.all(pings), sweepBoth()]);
    expect(statuses).toEqual(alike(200));
    await settled(all);
    // Missed before the ping and recovered with it, or the ping came first.
    for (const { up, down, events } of await counts(all))
      expect([
        [1, 0, 0],
        [1, 1, 2],
      ]).toContainEqual([up, down, events]);
    await checkEngine(first.app.get(Database));
  }, 90_000);

  it('each accept simultaneous pings of the same job, and each ping is a separate check', async () => {
    const all = await makeSome({ every: 3600, grace: 120 });
    let taken = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const both = all.slice(0, 3).flatMap(({ pingId }) => [ping(first, pingId), ping(second, pingId, '/3')]);
      const statuses = await Promise.all(both);
      expect(statuses.every((status) => [200, 429].includes(status))).toBe(true);
      taken += statuses.filter((status) => status === 200).length;
    }
    const found = (await counts(all)).reduce((sum, { up, down }) => sum + up + down, 0);
    expect([taken > 3 * ROUNDS, found]).toEqual([true, taken]);
    const pings = 'SELECT FROM ping p JOIN endpoint e ON e.key = p.endpoint_key WHERE e.id = ANY ($1::uuid[])';
    expect(await query(pings, [uuids(all)])).toHaveLength(taken);
    await checkEngine(first.app.get(Database));
  }, 90_000);

  it('record what one has decided and not recorded yet before a decision of the other', async () => {
    const job = await make({ every: 3600 });
    armFailpoints(['heartbeat.committed=slow:once']);
    const failed = ping(first, job.pingId, '/fail');
    const pending = 'SELECT FROM heartbeat WHERE endpoint_id = ANY ($1::uuid[]) AND pending IS NOT NULL';
    await eventually('the first has decided', async () => (await query(pending, [uuids([job])])).length === 1);
    expect(await ping(second, job.pingId)).toBe(200);
    const both = [{ up: 1, down: 1, events: 2 }];
    expect(await counts([job])).toEqual(both);
    expect(await failed).toBe(200);
    expect(await counts([job])).toEqual(both);
    await checkEngine(first.app.get(Database));
  }, 90_000);

  it('keep the decision of the other while one waits to confirm its records', async () => {
    const endpointId = parseId('endpoint', (await make({ every: 3600 })).id) ?? '';
    const leave = (pending: string) =>
      query('UPDATE heartbeat SET pending = $2::jsonb WHERE endpoint_id = $1', [endpointId, pending]);
    await leave('[{"atMs": 1}]');
    let settling: Promise<void> | undefined;
    await first.app.get(Database).transaction(async (tx) => {
      await tx.query(`UPDATE heartbeat SET pending = pending || '{"atMs": 2}' WHERE endpoint_id = $1`, [endpointId]);
      settling = settle(second.app.get(Database), [{ endpointId, atMs: [1] }]);
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%UPDATE heartbeat h%'`;
      await eventually('it waits for the row', async () => (await query(waiting)).length === 1);
    });
    await settling;
    const left = 'SELECT pending FROM heartbeat WHERE endpoint_id = $1';
    expect(await query(left, [endpointId])).toEqual([{ pending: [{ atMs: 2 }] }]);
    await query('UPDATE heartbeat SET pending = NULL WHERE endpoint_id = $1', [endpointId]);
  }, 60_000);

  it('create one heartbeat from six simultaneous pings with create=1', async () => {
    const { body } = await first.write.get<{ ping_key: string }>(`/websites/${websiteId}`);
    const create = (app: TestApp, key: string) => ping(app, `${body.ping_key}/${key}`, '?create=1');
    for (let round = 0; round < ROUNDS; round++) {
      const statuses = await Promise.all(
        Array.from({ length: 6 }, (_, place) => create(place % 2 === 0 ? first : second, `nightly-${round}`)),
      );
      expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 201]);
      // A website accepts ten pings at once for heartbeats that do not exist yet, then one a second.
      for (const app of [first, second]) await app.advance('10 s');
    }
    expect(await query(`SELECT FROM endpoint WHERE external_key LIKE 'nightly-%'`)).toHaveLength(ROUNDS);
  }, 90_000);

  it('notice at once that the other has deleted an endpoint, a website, or an organization', async () => {
    const { pingId, id } = await make({ every: 3600 });
    expect(await ping(second, pingId)).toBe(200);
    expect((await first.write.delete(`/endpoints/${id}`)).status).toBe(204);
    expect(await ping(second, pingId)).toBe(404);

    const other = await first.organization('Leaving');
    const idOf = async (website: string) => {
      const endpoint = await newEndpoint(other.write, website, {
        url: undefined,
        type: 'HEARTBEAT',
        heartbeat: { every: 3600 },
      });
      return (await other.write.get<{ heartbeat: { ping_id: string } }>(`/endpoints/${endpoint}`)).body.heartbeat
        .ping_id;
    };
    const [gone, left] = [await newWebsite(other.write), await newWebsite(other.write)];
    const [ofWebsite, ofOrganization] = [await idOf(gone), await idOf(left)];
    expect([await ping(second, ofWebsite), await ping(second, ofOrganization)]).toEqual([200, 200]);
    expect((await other.write.delete(`/websites/${gone}`)).status).toBe(204);
    expect(await ping(second, ofWebsite)).toBe(404);
    await first.app.get(OrganizationService).remove(other.orgId);
    expect(await ping(second, ofOrganization)).toBe(404);
  }, 60_000);
});
