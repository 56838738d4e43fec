import { Client } from 'pg';
import { eventually } from '../../packages/testing/eventually';
import { asSuperuser } from '../harness/database/on-cluster';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, DatabaseWitness, ServiceProcess, watch } from '../harness/processes/service-process';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';

const ENDPOINTS = 8;
const WEBSITE = { name: 'Written', url: 'https://a.example' };

const suite = findPostgres() === null ? describe.skip : describe;

suite('several hosts in DATABASE_URL (skipped without PostgreSQL’s programs)', () => {
  let primary: PostgresCluster;
  let standby: PostgresCluster;
  let service: ServiceProcess;
  let target: SwitchableServer;
  let witness: DatabaseWitness;

  beforeAll(async () => {
    buildService();
    primary = await PostgresCluster.start();
    standby = await PostgresCluster.standby(primary.port);
    target = await SwitchableServer.start();
    witness = DatabaseWitness.on(standby.url);
    // The standby is the first of them, so the service must find out which one accepts writes.
    service = await ServiceProcess.start(
      `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`,
    );
  }, 180_000);
  afterAll(async () => {
    await service.kill();
    await witness.close();
    await target.close();
    await Promise.all([primary.remove(), standby.remove()]);
  }, 60_000);

  const write = () => service.api.post<{ code: string }>('/websites', WEBSITE);
  const connectionsOf = (cluster: PostgresCluster) =>
    asSuperuser(cluster, 'postgres', `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'uptime-monitor%'`);

  it('connect to the one that accepts writes, and to the promoted standby after the primary was killed', async () => {
    expect(await connectionsOf(standby)).toEqual([]);
    expect((await connectionsOf(primary)).length).toBeGreaterThan(0);
    await watch(service.api, ENDPOINTS, target.url, target.url);
    const checked = () => witness.count('SELECT FROM endpoint_state WHERE last_checked_at IS NOT NULL');
    await eventually('the standby follows', async () => (await checked()) === ENDPOINTS, 60_000);

    await primary.kill();
    const refused = await write();
    expect([refused.status, refused.body.code]).toEqual([503, 'storage_unavailable']);
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);

    await witness.query('SELECT pg_promote()');
    await eventually('writes succeed', async () => (await write()).status === 201, 30_000);
    const checks = await witness.count('SELECT FROM check_result');
    await eventually(
      'checks are recorded there',
      async () => (await witness.count('SELECT FROM check_result')) > checks + ENDPOINTS,
      60_000,
    );
    expect(service.hasEnded).toBe(false);
    await checkEngine(witness);
  }, 240_000);

  it('connect to a server that comes back only when it accepts writes', async () => {
    const client = new Client({ connectionString: standby.url });
    await client.connect();
    await client.query(`ALTER SYSTEM SET default_transaction_read_only = on`);
    await client.query('SELECT pg_reload_conf()');
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'uptime-monitor%'`,
    );
    await eventually('writes are refused', async () => (await write()).status === 503, 30_000);
    await client.query('SET default_transaction_read_only = off');
    await client.query(`ALTER SYSTEM RESET default_transaction_read_only`);
    await client.query('SELECT pg_reload_conf()');
    await client.end();
    await eventually('writes succeed', async () => (await write()).status === 201, 30_000);
  }, 120_000);
});
