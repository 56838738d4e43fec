/** @lane slow */
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { checkEngine } from '../../harness/app/invariants';
import { eventually } from '../../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../../harness/database/postgres-cluster';
import { DatabaseWitness, watch } from '../../harness/processes/service-process';

/** The SQLSTATEs after which the same transaction may succeed. */
const RETRYABLE = {
  '40001': 'a serialization failure',
  '40P01': 'a deadlock',
  '55P03': 'an unavailable lock',
  '53300': 'too many connections',
};
/** A transaction and its three retries. */
const ATTEMPTS = 4;
const RAW_TEXT = 'raw text of the server';
const WEBSITE = { name: 'Shop', url: 'https://shop.example.com' };

(findPostgres() === null ? describe.skip : describe)('errors that PostgreSQL raises', () => {
  let cluster: PostgresCluster;
  let witness: DatabaseWitness;
  let app: TestApp;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    witness = DatabaseWitness.on(cluster.url);
    // Connection limits do not apply to superusers.
    await witness.query('CREATE ROLE uptime LOGIN');
    await witness.query('CREATE DATABASE uptime OWNER uptime');
    await witness.close();
    const url = cluster.url.replace(/postgres$/, 'uptime');
    witness = DatabaseWitness.on(url);
    app = await startOwnApp({ databaseUrl: url.replace('postgres@', 'uptime@') });
    await witness.query('CREATE SEQUENCE attempt');
  }, 120_000);
  afterEach(async () => {
    await witness.query('ALTER ROLE uptime CONNECTION LIMIT -1');
    await witness.query('DROP FUNCTION IF EXISTS fail() CASCADE');
  });
  afterAll(async () => {
    await app.close();
    await witness.close();
    await cluster.remove();
  });

  /**
   * Makes the first `times` inserts into the table fail. A sequence counts them, because it also counts inserts that
   * are rolled back.
   */
  async function raise(sqlState: string, times: number, table: string): Promise<void> {
    await witness.query('ALTER SEQUENCE attempt RESTART');
    await witness.query(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
         IF nextval('attempt') <= ${times} THEN RAISE EXCEPTION '${RAW_TEXT}' USING ERRCODE = '${sqlState}'; END IF;
         RETURN NEW;
       END $$`,
    );
    await witness.query(`CREATE TRIGGER fail BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION fail()`);
  }
  const attempts = () => witness.query<{ count: number }>('SELECT last_value::int AS count FROM attempt');
  const websites = () => witness.count('SELECT FROM website');

  describe.each(Object.entries(RETRYABLE))('%s, %s', (sqlState, what) => {
    it(`hides ${what} from the client if a retry succeeds`, async () => {
      const before = await websites();
      await raise(sqlState, ATTEMPTS - 1, 'website');
      expect((await app.admin.post('/websites', WEBSITE)).status).toBe(201);
      expect(await attempts()).toEqual([{ count: ATTEMPTS }]);
      expect(await websites()).toBe(before + 1);
    });

    it(`responds to ${what} that persists with 503 and Retry-After after three retries, without the server’s text`, async () => {
      const before = await websites();
      await raise(sqlState, 1000, 'website');
      const response = await app.admin.post<{ code: string }>('/websites', WEBSITE);
      expect([response.status, response.body.code]).toEqual([503, 'temporarily_unavailable']);
      expect(response.headers['content-type']).toMatch('application/problem+json');
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      expect(response.text).not.toContain(RAW_TEXT);
      expect(await attempts()).toEqual([{ count: ATTEMPTS }]);
      expect(await websites()).toBe(before);
    });
  });

  it('responds to an unknown error of PostgreSQL with 500, without its text and without a retry', async () => {
    await raise('XX000', 1000, 'website');
    const response = await app.admin.post<{ code: string }>('/websites', WEBSITE);
    expect([response.status, response.body.code]).toEqual([500, 'internal_error']);
    expect(response.text).not.toContain(RAW_TEXT);
    expect(await attempts()).toEqual([{ count: 1 }]);
  });

  it('answers 503 when the pool is exhausted, and recovers', async () => {
    await witness.query('ALTER ROLE uptime CONNECTION LIMIT 0');
    await witness.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'uptime'`);
    for (const response of [await app.admin.get('/websites'), await app.admin.post('/websites', WEBSITE)]) {
      expect(response.status).toBe(503);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
      expect(response.text).not.toContain('uptime"');
    }
    expect((await fetch(`${app.url}/health/live`)).status).toBe(200);
    await witness.query('ALTER ROLE uptime CONNECTION LIMIT -1');
    expect((await app.admin.get('/websites')).status).toBe(200);
    expect((await app.admin.post('/websites', WEBSITE)).status).toBe(201);
  });

  describe('while the recorder writes an alert event', () => {
    let target: SwitchableServer;
    let hook: SwitchableServer;

    beforeAll(async () => {
      [target, hook] = await Promise.all([SwitchableServer.start(), SwitchableServer.start()]);
    });
    afterAll(() => Promise.all([target.close(), hook.close()]));

    it.each(Object.keys(RETRYABLE))(
      'neither loses nor repeats a notification after %s while recording',
      async (sqlState) => {
        target.status = 200;
        const { endpoints, alerts } = await watch(app.admin, 1, target.url, hook.url);
        const [[endpoint = ''], [alert = '']] = [endpoints, alerts];
        const received = () => hook.seen.filter(({ body }) => body.includes(alert) && body.includes('alert.triggered'));
        const status = async () => (await app.read.get<{ status: string }>(`/endpoints/${endpoint}`)).body.status;
        await eventually('it is checked', async () => (await status()) === 'up');
        await raise(sqlState, 2 * ATTEMPTS, 'alert_event');
        target.status = 500;
        await eventually('the notification arrives', () => received().length > 0, 60_000);
        expect((await attempts())[0]?.count).toBe(2 * ATTEMPTS + 1);
        expect(received()).toHaveLength(1);
        await checkEngine(witness);
        await app.admin.delete(`/endpoints/${endpoint}`);
      },
      90_000,
    );
  });
});
