import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine, checkInvariants } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, DatabaseWitness, ServiceProcess, watch } from '../harness/processes/service-process';
import { fakeTime, SetClock } from '../harness/machine/set-clock';

const ENDPOINTS = 10;
const INTERVAL = 2;
/** A check in flight, one more for the jump, and one because the window may start and end with a slot. */
const EXTRA_CHECKS = 3;
const HOUR = 3600;

const suite = findPostgres() === null || fakeTime === null ? describe.skip : describe;

suite('the clock of PostgreSQL jumps (skipped without faketime or PostgreSQL’s programs)', () => {
  const clock = new SetClock();
  let cluster: PostgresCluster;
  let witness: DatabaseWitness;
  let target: SwitchableServer;
  let hook: SwitchableServer;
  let service: ServiceProcess;

  beforeAll(async () => {
    buildService();
    clock.set(0);
    // PostgreSQL runs as another user, which must be able to read the file.
    chmodSync(dirname(clock.env['FAKETIME_TIMESTAMP_FILE'] ?? ''), 0o755);
    cluster = await PostgresCluster.start({ env: clock.env });
    witness = DatabaseWitness.on(cluster.url);
  }, 180_000);
  afterAll(async () => {
    await witness.close();
    await cluster.remove();
    clock.remove();
  }, 60_000);
  beforeEach(async () => {
    clock.set(0);
    [target, hook] = await Promise.all([SwitchableServer.start(), SwitchableServer.start()]);
    service = await ServiceProcess.start(cluster.url);
    await watch(service.api, ENDPOINTS, target.url, hook.url, { endpoint: { interval: INTERVAL } });
    for (let turn = 0; turn < 2; turn++) await allChecked();
  }, 120_000);
  afterEach(async () => {
    await service.kill();
    await Promise.all([target.close(), hook.close()]);
    await witness.clear();
    await witness.query('DELETE FROM instance');
  }, 60_000);

  const hits = (path: string, since: number) => target.seen.slice(since).filter((each) => each.path === path).length;
  const paths = Array.from({ length: ENDPOINTS }, (_, place) => `/${place}`);

  /** Waits until each target has been requested once more. */
  async function allChecked(): Promise<void> {
    const since = target.seen.length;
    await eventually('everything is checked', () => paths.every((path) => hits(path, since) > 0), 60_000);
  }
  async function jump(seconds: number): Promise<void> {
    const ahead = async () => {
      const [row] = await witness.query<{ now: number }>('SELECT extract(epoch FROM clock_timestamp())::float8 AS now');
      return (row?.now ?? 0) - Date.now() / 1000;
    };
    clock.set(seconds);
    await eventually('it has jumped', async () => Math.abs((await ahead()) - seconds) < 60);
  }
  /** Checks continue at their interval, without a burst and without an alert. */
  async function expectSteady(): Promise<void> {
    const [since, began] = [target.seen.length, performance.now()];
    for (let turn = 0; turn < 4; turn++) await allChecked();
    const slots = (performance.now() - began) / 1000 / INTERVAL;
    for (const path of paths) expect(hits(path, since)).toBeLessThanOrEqual(slots + EXTRA_CHECKS);
    expect(await witness.count('SELECT FROM check_result WHERE outcome & 3 <> 1')).toBe(0);
    expect(await witness.count('SELECT FROM check_result WHERE duration_us < 0 OR duration_us > 5000000')).toBe(0);
    expect(hook.seen).toEqual([]);
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
  }
  async function expectNotifiedOnce(): Promise<void> {
    target.status = 500;
    await eventually('all alerts are delivered', () => hook.seen.length >= ENDPOINTS, 60_000);
    expect(hook.seen.map(({ path }) => path).toSorted()).toEqual(paths);
  }

  it('runs each endpoint at most once more when PostgreSQL’s clock jumps an hour ahead, and alerts as usual', async () => {
    await jump(HOUR);
    await expectSteady();
    await expectNotifiedOnce();
    await checkEngine(witness);
  }, 120_000);

  it('continues checks within seconds when PostgreSQL’s clock jumps an hour back, and alerts as usual', async () => {
    await jump(-HOUR);
    await expectSteady();
    await expectNotifiedOnce();
    // Uses PostgreSQL's clock. The result of the last message may not be written yet, and would be overdue by this
    // process's clock.
    await checkInvariants(witness, new Date(Date.now() - HOUR * 1000));
  }, 180_000);

  it('ends an outage with its recovery, not before its start, when PostgreSQL’s clock jumps back during it', async () => {
    const own = 'FROM outage o JOIN endpoint e ON e.key = o.endpoint_key';
    target.status = 500;
    await eventually('all are down', async () => (await witness.count(`SELECT ${own}`)) === ENDPOINTS, 60_000);
    await jump(-HOUR);
    const back = `SELECT DISTINCT endpoint_key FROM check_result WHERE checked_at < clock_timestamp() + interval '1 minute'`;
    await eventually('all are checked by the new time', async () => (await witness.count(back)) === ENDPOINTS, 60_000);
    target.status = 200;
    const allUp = async () =>
      (await witness.count('SELECT FROM endpoint_state WHERE failing_since IS NULL')) === ENDPOINTS;
    await eventually('all are up', allUp, 60_000);
    const outages = await witness.query<{ seconds: number | null }>(
      `SELECT extract(epoch FROM ended_at - started_at)::float8 AS seconds ${own}`,
    );
    expect(outages).toEqual(Array.from({ length: ENDPOINTS }, () => ({ seconds: 0 })));
    expect(await witness.count('SELECT FROM alert_event WHERE duration_seconds < 0')).toBe(0);
  }, 180_000);
});
