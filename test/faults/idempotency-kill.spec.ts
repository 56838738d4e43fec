import { eventually } from '../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, DatabaseWitness, ServiceProcess } from '../harness/processes/service-process';

const suite = findPostgres() === null ? describe.skip : describe;

suite('kill -9 of an instance during a request with an Idempotency-Key (skipped without PostgreSQL’s programs)', () => {
  let cluster: PostgresCluster;
  let witness: DatabaseWitness;
  let survivor: ServiceProcess;

  beforeAll(async () => {
    buildService();
    cluster = await PostgresCluster.start();
    witness = DatabaseWitness.on(cluster.url);
    survivor = await ServiceProcess.start(cluster.url, { ROLE: 'api' });
  }, 180_000);
  afterAll(async () => {
    await survivor.kill();
    await witness.close();
    await cluster.remove();
  }, 60_000);

  const create = async ({ api, url }: ServiceProcess, key: string) => {
    const response = await fetch(`${url}/api/v1/websites`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({
        name: key,
        url: 'https://shop.example.com',
        endpoints: [{ name: 'Checkout', type: 'HTTP', url: 'http://127.0.0.1:9', enabled: false }],
      }),
    });
    return {
      status: response.status,
      text: await response.text(),
      replayed: response.headers.get('idempotency-replayed'),
      retryAfter: response.headers.get('retry-after'),
    };
  };
  /** Returns the stored data of the request: the website, its endpoint, their audit entries, and the response. */
  const stored = async (key: string) => [
    await witness.count('SELECT FROM website WHERE name = $1', [key]),
    await witness.count('SELECT FROM endpoint e JOIN website w ON w.id = e.website_id WHERE w.name = $1', [key]),
    await witness.count('SELECT FROM audit_log a JOIN website w ON w.id = a.resource_id WHERE w.name = $1', [key]),
    await witness.count('SELECT FROM idempotency_key WHERE key = $1', [key]),
  ];
  const NOTHING = [0, 0, 0, 0];
  const ALL = [1, 1, 1, 1];

  it.each([
    ['after_change', NOTHING],
    ['before_commit', NOTHING],
    ['after_commit', ALL],
  ])(
    'leaves all or nothing after a kill at %s, and the repeated request creates one website',
    async (point, left) => {
      const killed = await ServiceProcess.start(cluster.url, { ROLE: 'api', FAILPOINTS: `idempotency.${point}=kill` });
      await expect(create(killed, point)).rejects.toThrow();
      await killed.killed();
      expect(await stored(point)).toEqual(left);
      const again = await eventually('another instance answers', async () => {
        const response = await create(survivor, point);
        return response.status !== 409 && response;
      });
      expect([again.status, again.replayed]).toEqual([201, left === ALL ? 'true' : null]);
      expect(await stored(point)).toEqual(ALL);
      expect(await create(survivor, point)).toEqual({ ...again, replayed: 'true' });
    },
    90_000,
  );

  it('creates one website for one key on two instances at once: the second must wait while the first runs', async () => {
    const other = await ServiceProcess.start(cluster.url, { ROLE: 'api' });
    const counters = await witness.hold('SELECT FROM organization_use FOR UPDATE');
    const first = create(other, 'two instances');
    let second;
    try {
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%organization_use%'`;
      await eventually('the first waits', async () => (await witness.count(waiting)) > 0);
      second = await create(survivor, 'two instances');
    } finally {
      await counters.release();
    }
    expect([second.status, second.text, second.retryAfter]).toEqual([
      409,
      expect.stringContaining('idempotency_key_in_use'),
      '1',
    ]);
    const made = await first;
    expect(made.status).toBe(201);
    expect(await create(survivor, 'two instances')).toEqual({ ...made, replayed: 'true' });
    expect(await stored('two instances')).toEqual(ALL);
    await other.kill();
  }, 90_000);
});
