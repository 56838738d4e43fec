import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, DatabaseWitness, ServiceProcess, watch } from '../harness/processes/service-process';
import { fakeTime, SetClock } from '../harness/machine/set-clock';

const ENDPOINTS = 20;
const HOUR = 3600;

const suite = findPostgres() === null || fakeTime === null ? describe.skip : describe;

suite('wall clocks that are wrong or jump (skipped without faketime or PostgreSQL’s programs)', () => {
  let cluster: PostgresCluster;
  let witness: DatabaseWitness;
  let target: SwitchableServer;
  let hook: SwitchableServer;
  const clocks = [new SetClock(), new SetClock()];
  let services: ServiceProcess[] = [];

  beforeAll(async () => {
    buildService();
    cluster = await PostgresCluster.start();
    witness = DatabaseWitness.on(cluster.url);
    [target, hook] = await Promise.all([SwitchableServer.start(), SwitchableServer.start()]);
  }, 180_000);
  afterAll(async () => {
    await Promise.all(services.map((service) => service.kill()));
    for (const clock of clocks) clock.remove();
    await witness.close();
    await Promise.all([target.close(), hook.close()]);
    await cluster.remove();
  }, 60_000);

  async function allChecked(): Promise<void> {
    const [{ now } = { now: '' }] = await witness.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    await eventually(
      'everything is checked',
      async () =>
        (await witness.count('SELECT FROM endpoint_state WHERE last_checked_at > $1::timestamptz', [now])) ===
        ENDPOINTS,
      60_000,
    );
  }

  /** Checks continue at their interval, with the database's time, without an alert. */
  async function expectSteady(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await allChecked();
    expect(await witness.count('SELECT FROM check_result WHERE outcome & 3 <> 1')).toBe(0);
    expect(await witness.count('SELECT FROM check_result WHERE duration_us < 0 OR duration_us > 5000000')).toBe(0);
    expect(
      await witness.count(`SELECT FROM check_result WHERE checked_at > clock_timestamp() + interval '5 seconds'`),
    ).toBe(0);
    expect(
      await witness.count(`SELECT FROM check_result WHERE checked_at < clock_timestamp() - interval '10 minutes'`),
    ).toBe(0);
    expect(hook.seen).toEqual([]);
    await checkEngine(witness);
  }

  it('checks each slot once with instance clocks five minutes ahead and behind, and after jumps of an hour', async () => {
    clocks[0]?.set(300);
    clocks[1]?.set(-300);
    services = await Promise.all(clocks.map((clock) => ServiceProcess.start(cluster.url, clock.env)));
    const [one, two] = services;
    if (!one || !two) throw new Error('two services were expected');
    const date = async (service: ServiceProcess) =>
      Date.parse((await fetch(`${service.url}/health/live`)).headers.get('date') ?? '');
    expect((await date(one)) - (await date(two))).toBeGreaterThan(500_000);
    await watch(one.api, ENDPOINTS, target.url, hook.url, { endpoint: { interval: 2 } });
    await expectSteady();

    clocks[0]?.set(HOUR);
    clocks[1]?.set(-HOUR);
    await eventually('the clocks have jumped', async () => (await date(one)) - (await date(two)) > 7_000_000, 30_000);
    await expectSteady();

    target.status = 500;
    await eventually('all alerts are delivered', () => hook.seen.length >= ENDPOINTS, 60_000);
    expect(hook.seen).toHaveLength(ENDPOINTS);
    await checkEngine(witness);
    expect(services.map((service) => service.hasEnded)).toEqual([false, false]);
  }, 240_000);
});
