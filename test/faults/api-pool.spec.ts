import { FaultBench } from '../harness/processes/fault-bench';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres } from '../harness/database/postgres-cluster';
import { type ServiceProcess, watch } from '../harness/processes/service-process';

const ENDPOINTS = 12;
/** The number of connections in the API's pool. */
const POOL = 10;
const READERS = 3 * POOL;

const suite = findPostgres() === null ? describe.skip : describe;

suite('reads that exhaust the API’s pool (skipped without PostgreSQL’s programs)', () => {
  let bench: FaultBench;
  let target: SwitchableServer;
  let hook: SwitchableServer;
  let service: ServiceProcess;
  const reading = new AbortController();
  let hold: { release(): Promise<void> } | null = null;

  beforeAll(async () => {
    bench = await FaultBench.open();
    [target, hook] = [bench.keep(await SwitchableServer.start()), bench.keep(await SwitchableServer.start())];
    service = await bench.start();
    await watch(service.api, ENDPOINTS, target.url, hook.url);
  }, 180_000);
  afterAll(async () => {
    reading.abort();
    await hold?.release();
    await bench.close();
  }, 60_000);

  const waitingReads = () =>
    bench.witness.count(
      `SELECT FROM pg_stat_activity WHERE application_name = 'uptime-monitor api' AND wait_event_type = 'Lock'`,
    );
  const notified = () => new Set(hook.seen.map(({ path }) => path)).size;

  it('keeps checking and alerting while reads exhaust the API’s pool, and serves the API again afterwards', async () => {
    await bench.allChecked(ENDPOINTS);
    hold = await bench.witness.hold('LOCK TABLE audit_log IN ACCESS EXCLUSIVE MODE');
    const statuses = new Set<number>();
    const read = async () => {
      while (!reading.signal.aborted) statuses.add((await service.api.get('/audit-log')).status);
    };
    const readers = Promise.all(Array.from({ length: READERS }, read));
    await eventually('every connection of the pool waits', async () => (await waitingReads()) >= POOL, 60_000);

    const took = await bench.allChecked(ENDPOINTS);
    target.status = 500;
    const failing = performance.now();
    await eventually('every alert is delivered', () => notified() === ENDPOINTS, 60_000);
    process.stderr.write(
      `F15: all checked in ${Math.round(took)} ms, notified in ${Math.round(performance.now() - failing)} ms\n`,
    );
    // The reads time out together after a while. Then the next ones wait.
    await eventually('every connection of the pool waits still', async () => (await waitingReads()) >= POOL, 60_000);
    target.status = 200;
    await eventually('every resolve is delivered', () => hook.seen.length >= 2 * ENDPOINTS, 60_000);
    expect(hook.seen).toHaveLength(2 * ENDPOINTS);

    await hold.release();
    hold = null;
    reading.abort();
    await readers;
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const after = await Promise.all(Array.from({ length: READERS }, () => service.api.get('/audit-log')));
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 200));
    await checkEngine(bench.witness);
  }, 240_000);
});
