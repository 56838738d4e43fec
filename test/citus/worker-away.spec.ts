import { startOwnApp, type TestApp } from '../harness/app/app';
import { eventually } from '../../packages/testing/eventually';
import { citusNodes, NO_CITUS, onNode } from '../harness/database/citus-cluster';
import { distributedDatabase, type TestDatabase } from '../harness/database/database';
import { type Fault, FaultProxy } from '../harness/servers/fault-proxy';
import { SwitchableServer } from '../harness/servers/switchable-server';

jest.setTimeout(180_000);

/** Enough that every worker stores some of them, for any keys. */
const ENDPOINTS = 24;

const nodes = citusNodes();
const isHere = nodes?.every((node) => ['127.0.0.1', 'localhost'].includes(new URL(node).hostname)) ?? false;
const reason = nodes === null ? NO_CITUS : 'skipped: the nodes are not on this machine, where a proxy can cut them off';

(isHere ? describe : describe.skip)(`a worker of history that is away${isHere ? '' : ` (${reason})`}`, () => {
  let app: TestApp;
  let database: TestDatabase;
  let proxies: FaultProxy[];
  let target: SwitchableServer;
  let hook: SwitchableServer;

  // The coordinator knows the workers only by the proxies' addresses.
  beforeAll(async () => {
    if (nodes === null) throw new Error(NO_CITUS);
    const workers = nodes.slice(1);
    proxies = await Promise.all(workers.map((worker) => FaultProxy.to(Number(new URL(worker).port || 5432))));
    database = await distributedDatabase(
      nodes,
      proxies.map(({ port }) => ({ host: '127.0.0.1', port })),
    );
    [target, hook] = await Promise.all([SwitchableServer.start(), SwitchableServer.start()]);
    app = await startOwnApp({ databaseUrl: database.url });
    await watchAll();
  });
  afterAll(async () => {
    for (const proxy of proxies) proxy.set('none');
    await app.close();
    await Promise.all([target.close(), hook.close()]);
    await database.drop();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  });
  beforeEach(() => {
    hook.seen.splice(0);
  });

  async function watchAll(): Promise<void> {
    const website = await app.write.post<{ id: string }>('/websites', {
      name: 'Shop',
      url: 'https://shop.example.com',
    });
    for (let number = 0; number < ENDPOINTS; number++) {
      const endpoint = await app.write.post<{ id: string }>(`/websites/${website.body.id}/endpoints`, {
        type: 'HTTP',
        name: `Page ${number}`,
        url: `${target.url}/${number}`,
        interval: 1,
        timeout: 10,
      });
      await app.write.post('/alerts', {
        endpoint_id: endpoint.body.id,
        type: 'webhook',
        failure_threshold: 1,
        success_threshold: 1,
        config: { url: `${hook.url}/${number}` },
      });
    }
    await eventually('all endpoints are checked', async () => (await keysWithChecks()) === ENDPOINTS, 60_000);
  }
  const count = async (sql: string): Promise<number> => {
    const [row] = await onNode(database.url, `SELECT count(*)::int AS n FROM ${sql}`);
    return (row as { n: number }).n;
  };
  const keysWithChecks = () => count('(SELECT DISTINCT endpoint_key FROM check_result) AS seen');
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? NaN);
  };
  const told = (type: string) =>
    new Set(
      hook.seen.filter(({ body }) => (JSON.parse(body) as { type: string }).type.endsWith(type)).map(({ key }) => key),
    ).size;

  it.each<[string, Fault]>([
    ['refuses connections', 'reset'],
    ['does not respond', 'silent'],
  ])('stops no alert while it %s, and history follows when it is back', async (_, fault) => {
    const [proxy] = proxies;
    const events = await count('alert_event');
    proxy?.set(fault);
    target.status = 500;
    await eventually('everybody is told of every failure', () => told('triggered') === ENDPOINTS, 60_000);
    expect(await count('alert_event')).toBe(events + ENDPOINTS);
    target.status = 200;
    await eventually('everybody is told of every recovery', () => told('resolved') === ENDPOINTS, 60_000);
    expect(await metric('uptime_history_waiting')).toBeGreaterThan(0);
    expect((await fetch(`${app.url}/health/live`)).status).toBe(200);

    proxy?.set('none');
    await eventually('history has followed', async () => (await metric('uptime_history_waiting')) === 0, 90_000);
    expect(await metric('uptime_history_lost_total')).toBe(0);
    const twice = '(SELECT FROM check_result GROUP BY endpoint_key, checked_at HAVING count(*) > 1) AS twice';
    expect(await count(twice)).toBe(0);
    expect(await count('check_result WHERE outcome & 3 = 0')).toBeGreaterThan(0);
    expect(await count('outage WHERE ended_at IS NULL')).toBe(0);
  });

  it('has stored each check when the service stops', async () => {
    await app.stop();
    const made = target.seen.length;
    const stored = await count('check_result');
    // A check that the shutdown interrupts has reached the target and has no result.
    expect(stored).toBeGreaterThanOrEqual(made - ENDPOINTS);
    expect(stored).toBeLessThanOrEqual(made);
    await app.restart();
  });
});
