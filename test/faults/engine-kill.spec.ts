import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, DatabaseWitness, ServiceProcess, watch } from '../harness/processes/service-process';

const suite = findPostgres() === null ? describe.skip : describe;

suite('kill -9 of the only instance (skipped without PostgreSQL’s programs)', () => {
  let cluster: PostgresCluster;
  let witness: DatabaseWitness;
  let hook: SwitchableServer;
  let service: ServiceProcess | null = null;

  beforeAll(async () => {
    buildService();
    cluster = await PostgresCluster.start();
    witness = DatabaseWitness.on(cluster.url);
    hook = await SwitchableServer.start();
  }, 180_000);
  afterAll(async () => {
    await service?.kill();
    await witness.close();
    await hook.close();
    await cluster.remove();
  }, 60_000);
  afterEach(async () => {
    await service?.kill();
    await witness.clear();
    hook.seen.splice(0);
  });

  const outcomes = () =>
    witness.query<{ outcome: number }>(
      'SELECT DISTINCT outcome & 3 AS outcome FROM check_result r JOIN endpoint e ON e.key = r.endpoint_key',
    );
  const restart = async () => {
    service = await ServiceProcess.start(cluster.url);
    return service;
  };

  it('records no failure for 200 checks in flight at kill -9, and checks each endpoint again after the start', async () => {
    const target = await SwitchableServer.holding();
    // Long enough that no check ends or is due again before the last one has started.
    const settings = { endpoint: { interval: 300, timeout: 120 } };
    await watch((await restart()).api, 200, target.url, hook.url, settings);
    await eventually('all are in flight', () => target.seen.length === 200, 60_000);
    await service?.kill();
    expect(await witness.count('SELECT FROM check_result')).toBe(0);
    target.release(200);
    await restart();
    await eventually(
      'each endpoint is checked',
      async () => (await witness.count('SELECT DISTINCT endpoint_key FROM check_result')) === 200,
      60_000,
    );
    expect(await outcomes()).toEqual([{ outcome: 1 }]);
    expect(await witness.count('SELECT FROM alert_event')).toBe(0);
    expect(hook.seen).toEqual([]);
    await checkEngine(witness);
    await target.close();
  }, 180_000);

  it('leaves all or nothing of each result when killed repeatedly while results are written', async () => {
    const target = await SwitchableServer.start();
    await watch((await restart()).api, 40, target.url, hook.url);
    for (let round = 0; round < 2; round++) {
      target.status = round % 2 === 0 ? 500 : 200;
      const before = await witness.count('SELECT FROM check_result');
      await eventually(
        'results are written',
        async () => (await witness.count('SELECT FROM check_result')) > before + 10,
        60_000,
      );
      await service?.kill();
      await checkEngine(witness);
      // The claims of the killed instance expire after 20 s. Another test covers that wait.
      await witness.query(`UPDATE instance SET heartbeat_at = now() - interval '1 minute'`);
      await restart();
    }
    target.status = 200;
    await eventually(
      'all are up again',
      async () =>
        (await witness.count('SELECT FROM endpoint_state WHERE status = 1')) === 40 &&
        (await witness.count(`SELECT FROM notification WHERE state = 'pending'`)) === 0,
      90_000,
    );
    await checkEngine(witness);
    await target.close();
  }, 240_000);
});
