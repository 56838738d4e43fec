import { setTimeout as sleep } from 'node:timers/promises';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, DatabaseWitness, ServiceProcess, watch } from '../harness/processes/service-process';

/** How long PostgreSQL is stopped. `AWAY_SECONDS=30` is the full length. */
const AWAY_MS = Number(process.env['AWAY_SECONDS'] ?? 8) * 1000;
const ENDPOINTS = 12;

const suite = findPostgres() === null ? describe.skip : describe;

suite('PostgreSQL becomes unavailable (skipped without its programs)', () => {
  let cluster: PostgresCluster;
  let witness: DatabaseWitness;
  let target: SwitchableServer;
  let hook: SwitchableServer;
  let service: ServiceProcess;
  let hold: { release(): Promise<void> } | null = null;

  beforeAll(async () => {
    buildService();
    cluster = await PostgresCluster.start();
    witness = DatabaseWitness.on(cluster.url);
    [target, hook] = await Promise.all([SwitchableServer.start(), SwitchableServer.start()]);
    service = await ServiceProcess.start(cluster.url);
  }, 180_000);
  afterAll(async () => {
    await service.kill();
    await witness.close();
    await Promise.all([target.close(), hook.close()]);
    await cluster.remove();
  }, 60_000);
  beforeEach(async () => {
    await watch(service.api, ENDPOINTS, target.url, hook.url);
    await allChecked();
  }, 60_000);
  afterEach(async () => {
    cluster.thaw();
    if (cluster.pid === null) await cluster.restart();
    await hold?.release();
    hold = null;
    target.status = 200;
    await witness.clear();
    hook.seen.splice(0);
  });

  const eventsOf = () => witness.count('SELECT FROM alert_event');
  /** Waits until every endpoint has a check that started after this call. */
  async function allChecked(limitMs = 60_000): Promise<void> {
    const [{ now } = { now: '' }] = await witness.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    await eventually(
      'every endpoint is checked',
      async () =>
        (await witness.count('SELECT FROM endpoint_state WHERE last_checked_at > $1::timestamptz', [now])) ===
        ENDPOINTS,
      limitMs,
    );
  }
  async function expectUndisturbed(): Promise<void> {
    expect(service.hasEnded).toBe(false);
    expect(await eventsOf()).toBe(0);
    expect(hook.seen).toEqual([]);
    expect(await witness.count('SELECT FROM check_result WHERE outcome & 3 <> 1')).toBe(0);
    await checkEngine(witness);
  }
  const skipped = async (why: string): Promise<number> => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(new RegExp(`^uptime_slots_skipped_total\\{why="${why}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  const statusOf = async (path: string) => fetch(`${service.url}${path}`).then(({ status }) => status);

  it(`answers 503 while PostgreSQL is stopped for ${AWAY_MS / 1000} s, stays alive, and recovers within seconds without an alert`, async () => {
    const overloaded = await skipped('overload');
    await cluster.stop();
    const until = performance.now() + AWAY_MS;
    let requests = 0;
    while (performance.now() < until) {
      const response = await service.api.get<{ code: string }>('/websites');
      expect([response.status, response.body.code]).toEqual([503, 'storage_unavailable']);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      expect([await statusOf('/health/live'), await service.readiness()]).toEqual([200, 503]);
      requests++;
      // One address may ask only so many times a second.
      await sleep(50);
    }
    expect(requests).toBeGreaterThan(5);
    await cluster.restart();
    const back = performance.now();
    await eventually('the API responds', async () => (await service.api.get('/websites')).status === 200, 10_000);
    await allChecked(15_000);
    process.stderr.write(`F10: every endpoint checked ${Math.round(performance.now() - back)} ms after the return\n`);
    // A missed slot isn't an overload.
    expect([(await skipped('overload')) - overloaded, (await skipped('database')) >= ENDPOINTS]).toEqual([0, true]);
    await expectUndisturbed();
  }, 120_000);

  it('loses no acknowledged write when PostgreSQL is killed during API writes', async () => {
    const acknowledged: string[] = [];
    const statuses = new Set<number>();
    const writing = new AbortController();
    const write = async () => {
      while (!writing.signal.aborted) {
        const response = await service.api.post<{ id: string }>('/websites', {
          name: 'Written',
          url: 'https://a.example',
        });
        statuses.add(response.status);
        if (response.status === 500) throw new Error(service.log);
        if (response.status === 201) acknowledged.push(response.body.id);
      }
    };
    const writers = Promise.all([write(), write(), write(), write()]);
    await eventually('many writes are acknowledged', () => acknowledged.length > 100, 30_000);
    await cluster.kill();
    await eventually('writes are refused', () => statuses.has(503));
    await cluster.restart();
    const before = acknowledged.length;
    await eventually('writes succeed again', () => acknowledged.length > before + 20, 30_000);
    writing.abort();
    await writers;
    expect(statuses).toEqual(new Set([201, 503]));
    const list = (await service.api.get<{ id: string }[]>('/websites')).body.map(({ id }) => id);
    expect(new Set(list).size).toBe(list.length);
    expect(acknowledged.filter((id) => !list.includes(id))).toEqual([]);
    await allChecked();
    await expectUndisturbed();
  }, 120_000);

  it('answers 503 while PostgreSQL is frozen, stays alive, and has intact connection pools afterwards', async () => {
    cluster.freeze();
    const responses = Promise.all(Array.from({ length: 30 }, () => service.api.get('/websites')));
    const settled = new AbortController();
    void responses.then(() => settled.abort());
    while (!settled.signal.aborted) {
      expect(await statusOf('/health/live')).toBe(200);
      // An address that asks more than 200 times a second is refused.
      await sleep(20);
    }
    expect((await responses).map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 503));
    cluster.thaw();
    await eventually('the API responds', async () => (await service.api.get('/websites')).status === 200, 60_000);
    const again = await Promise.all(Array.from({ length: 30 }, () => service.api.get('/websites')));
    expect(again.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200));
    await allChecked(90_000);
    await expectUndisturbed();
  }, 240_000);

  it('triggers the other alerts while one alert’s row is locked, and that one afterwards', async () => {
    hold = await witness.hold('SELECT 1 FROM alert ORDER BY id LIMIT 1 FOR UPDATE');
    target.status = 500;
    await eventually(
      'the other alerts have triggered',
      async () => (await witness.count('SELECT FROM alert WHERE triggered')) === ENDPOINTS - 1,
      60_000,
    );
    await hold.release();
    hold = null;
    await eventually(
      'the locked one has triggered as well',
      async () => (await witness.count('SELECT FROM alert WHERE triggered')) === ENDPOINTS,
      60_000,
    );
    await eventually(
      'each alert is delivered',
      () => new Set(hook.seen.map(({ path }) => path)).size === ENDPOINTS,
      60_000,
    );
    expect(hook.seen).toHaveLength(ENDPOINTS);
    await checkEngine(witness);
  }, 240_000);
});
