import { FaultProxy } from '../harness/servers/fault-proxy';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, DatabaseWitness, ServiceProcess, watch } from '../harness/processes/service-process';

const ENDPOINTS = 8;
const WEBSITE = { name: 'Written', url: 'https://a.example' };

interface Received {
  type: string;
  data: { event: { incident_key: string } };
}

const suite = findPostgres() === null ? describe.skip : describe;

suite('a standby that takes over (skipped without PostgreSQL’s programs)', () => {
  let primary: PostgresCluster;
  let standby: PostgresCluster;
  /** The proxies between the service and its database, and between the standby and the primary. */
  let toDatabase: FaultProxy;
  let toPrimary: FaultProxy;
  let service: ServiceProcess;
  let target: SwitchableServer;
  let hook: SwitchableServer;
  let witness: DatabaseWitness;

  beforeAll(async () => {
    buildService();
    primary = await PostgresCluster.start();
    [toDatabase, toPrimary] = await Promise.all([FaultProxy.to(primary.port), FaultProxy.to(primary.port)]);
    standby = await PostgresCluster.standby(toPrimary.port);
    witness = DatabaseWitness.on(standby.url);
    [target, hook] = await Promise.all([SwitchableServer.start(), SwitchableServer.start()]);
    service = await ServiceProcess.start(primary.url.replace(`:${primary.port}/`, `:${toDatabase.port}/`));
  }, 180_000);
  afterAll(async () => {
    await service.kill();
    await witness.close();
    await Promise.all([target.close(), hook.close(), toDatabase.close(), toPrimary.close()]);
    await Promise.all([primary.remove(), standby.remove()]);
  }, 60_000);

  const received = (type: string): Received[] =>
    hook.seen.map(({ body }) => JSON.parse(body) as Received).filter((each) => each.type === `alert.${type}`);
  const keys = (type: string) => new Set(received(type).map(({ data }) => data.event.incident_key));
  const triggered = () => witness.count('SELECT FROM alert WHERE triggered');
  const checkedOnStandby = () => witness.count('SELECT FROM endpoint_state WHERE last_checked_at IS NOT NULL');
  const write = () => service.api.post<{ code: string }>('/websites', WEBSITE);

  it('answers 503 to writes until a standby without the last commits is promoted, then notifies again under the same keys', async () => {
    await watch(service.api, ENDPOINTS, target.url, hook.url);
    await eventually('the standby follows', async () => (await checkedOnStandby()) === ENDPOINTS, 60_000);

    toPrimary.set('reset');
    target.status = 500;
    await eventually('all alerts are delivered', () => keys('triggered').size === ENDPOINTS, 60_000);
    expect(await triggered()).toBe(0);
    const before = keys('triggered');

    await primary.kill();
    toDatabase.repoint(standby.port);
    await eventually('the standby is read', async () => (await service.api.get('/websites')).status === 200, 30_000);
    const refused = await write();
    expect([refused.status, refused.body.code]).toEqual([503, 'storage_unavailable']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);

    const promoted = performance.now();
    await witness.query('SELECT pg_promote()');
    await eventually('writes succeed', async () => (await write()).status === 201, 30_000);
    await eventually('the failures are found again', async () => (await triggered()) === ENDPOINTS, 60_000);
    process.stderr.write(`F13: derived again ${Math.round(performance.now() - promoted)} ms after the promotion\n`);
    await eventually('all alerts are delivered again', () => received('triggered').length >= 2 * ENDPOINTS, 60_000);

    target.status = 200;
    await eventually('all have recovered', () => received('resolved').length >= ENDPOINTS, 60_000);
    expect(await triggered()).toBe(0);
    expect(received('triggered')).toHaveLength(2 * ENDPOINTS);
    expect(received('resolved')).toHaveLength(ENDPOINTS);
    expect([keys('triggered'), keys('resolved')]).toEqual([before, before]);
    expect(service.hasEnded).toBe(false);
    await checkEngine(witness);
  }, 240_000);
});
