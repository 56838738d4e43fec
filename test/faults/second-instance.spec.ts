import { FaultProxy } from '../harness/servers/fault-proxy';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, DatabaseWitness, ServiceProcess, watch } from '../harness/processes/service-process';

const ENDPOINTS = 60;
/** By contract, a killed instance is replaced within 30 s. The rest is for a busy machine. */
const REPLACED_MS = 30_000;
const BUSY_MACHINE_MS = 30_000;

const suite = findPostgres() === null ? describe.skip : describe;

suite('two instances on one database (skipped without PostgreSQL’s programs)', () => {
  let cluster: PostgresCluster;
  let witness: DatabaseWitness;
  let proxy: FaultProxy;
  let target: SwitchableServer;
  let hook: SwitchableServer;
  let first: ServiceProcess;
  let second: ServiceProcess;

  beforeAll(async () => {
    buildService();
    cluster = await PostgresCluster.start();
    witness = DatabaseWitness.on(cluster.url);
    [proxy, target, hook] = await Promise.all([
      FaultProxy.to(cluster.port),
      SwitchableServer.start(),
      SwitchableServer.start(),
    ]);
  }, 180_000);
  afterAll(async () => {
    await proxy.close();
    await witness.close();
    await Promise.all([target.close(), hook.close()]);
    await cluster.remove();
  }, 60_000);
  beforeEach(async () => {
    // At the first start, both migrate an empty database at once.
    [first, second] = await Promise.all([
      ServiceProcess.start(cluster.url.replace(`:${cluster.port}/`, `:${proxy.port}/`)),
      ServiceProcess.start(cluster.url),
    ]);
    await watch(second.api, ENDPOINTS, target.url, hook.url, { endpoint: { interval: 2, timeout: 2 } });
    await eventually('both check', async () => (await owners()).length === 2, 60_000);
  }, 180_000);
  afterEach(async () => {
    proxy.set('none');
    target.status = 200;
    await Promise.all([first.kill(), second.kill()]);
    await witness.clear();
    await witness.query('DELETE FROM instance');
    hook.seen.splice(0);
  }, 60_000);

  const owners = () =>
    witness.query<{ by: number }>(
      'SELECT DISTINCT claimed_by AS by FROM endpoint_schedule WHERE claimed_by IS NOT NULL',
    );
  const triggered = () => witness.count('SELECT FROM alert WHERE triggered');
  const notified = (type: string) =>
    hook.seen.filter(({ body }) => body.includes(`"alert.${type}"`)).map(({ path }) => path);

  /** Fails with the log of both instances: which one considered the other dead, and when. */
  const isSound = () =>
    checkEngine(witness).catch((error: unknown) => {
      throw new Error(`${String(error)}\nthe first:\n${first.log}\nthe second:\n${second.log}`);
    });

  /** Waits until every endpoint has a check that started after this call. Returns how many milliseconds that took. */
  async function allChecked(what: string, limitMs: number): Promise<number> {
    const began = performance.now();
    const [{ now } = { now: '' }] = await witness.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    const done = async () =>
      (await witness.count('SELECT FROM endpoint_state WHERE last_checked_at > $1::timestamptz', [now])) === ENDPOINTS;
    await eventually(what, done, limitMs);
    return Math.round(performance.now() - began);
  }

  it('check each slot once and notify each alert once between two instances, for failure and recovery', async () => {
    for (let turn = 0; turn < 4; turn++) await allChecked('everything is checked', 30_000);
    await isSound();
    target.status = 500;
    await eventually('all alerts are delivered', () => notified('triggered').length >= ENDPOINTS, 60_000);
    target.status = 200;
    await eventually('all resolves are delivered', () => notified('resolved').length >= ENDPOINTS, 60_000);
    for (const type of ['triggered', 'resolved'])
      expect([notified(type).length, new Set(notified(type)).size]).toEqual([ENDPOINTS, ENDPOINTS]);
    expect(await triggered()).toBe(0);
    await isSound();
  }, 240_000);

  it('replace a killed instance within 30 s, check nothing twice and lose no alert', async () => {
    await first.kill();
    target.status = 500;
    const tookMs = await allChecked('the other instance checks its endpoints', REPLACED_MS + BUSY_MACHINE_MS);
    process.stderr.write(`F19: a killed instance was replaced after ${tookMs} ms\n`);
    await eventually('all alerts are delivered', () => notified('triggered').length >= ENDPOINTS, 60_000);
    expect([notified('triggered').length, await triggered()]).toEqual([ENDPOINTS, ENDPOINTS]);
    await isSound();
  }, 240_000);

  it('replace an instance that lost only its database connection, and take it back when it returns', async () => {
    proxy.set('silent');
    const tookMs = await allChecked('the other instance checks its endpoints', REPLACED_MS + BUSY_MACHINE_MS);
    process.stderr.write(`F21: an instance without database was replaced after ${tookMs} ms\n`);
    proxy.set('reset');
    proxy.set('none');
    await eventually('both instances claim again', async () => (await owners()).length === 2, 90_000);
    await allChecked('everything is checked', 30_000);
    expect(first.hasEnded).toBe(false);
    expect(await witness.count('SELECT FROM check_result WHERE outcome & 3 <> 1')).toBe(0);
    expect(hook.seen).toEqual([]);
    await isSound();
  }, 240_000);

  it('record no slot twice when a working instance is presumed dead', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const [{ by } = { by: 0 }] = await owners();
      const isRemoved = async () => {
        const silent = `UPDATE instance SET heartbeat_at = now() - interval '1 minute' WHERE id = $1 RETURNING id`;
        return (await witness.query(silent, [by])).length === 0;
      };
      await eventually('the other instance takes it for dead', isRemoved, 30_000);
      await allChecked('everything is checked', 30_000);
    }
    expect([first.hasEnded, second.hasEnded]).toEqual([false, false]);
    await isSound();
  }, 240_000);
});
