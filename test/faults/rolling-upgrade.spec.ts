import { buildService } from '../harness/child-service';
import { HttpSink } from '../harness/http-sink';
import { checkEngine } from '../harness/invariants';
import { eventually } from '../harness/poll';
import { findPostgres, PostgresCluster } from '../harness/postgres-cluster';
import { DatabaseWitness, ServiceProcess, watch } from '../harness/service-process';

const ENDPOINTS = 20;

/** What a newer version does first (expand): it adds what the version before does not know, with defaults. */
const NEWER_SCHEMA = `
  ALTER TABLE website ADD COLUMN of_the_next_version text NOT NULL DEFAULT 'x';
  ALTER TABLE endpoint ADD COLUMN of_the_next_version integer;
  ALTER TABLE check_result ADD COLUMN of_the_next_version smallint;
  CREATE TABLE of_the_next_version (id bigint PRIMARY KEY, endpoint_id uuid REFERENCES endpoint ON DELETE CASCADE);
  INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'OfTheNextVersion9999999999999');`;

const suite = findPostgres() === null ? describe.skip : describe;

suite('a rolling upgrade (skipped without PostgreSQL’s programs)', () => {
  let cluster: PostgresCluster;
  let witness: DatabaseWitness;
  let target: HttpSink;
  let hook: HttpSink;
  const services: ServiceProcess[] = [];

  beforeAll(async () => {
    buildService();
    [cluster, target, hook] = await Promise.all([PostgresCluster.start(), HttpSink.start(), HttpSink.start()]);
    witness = DatabaseWitness.on(cluster.url);
  }, 180_000);
  afterAll(async () => {
    await Promise.all(services.map((service) => service.kill()));
    await witness.close();
    await Promise.all([target.close(), hook.close()]);
    await cluster.remove();
  }, 60_000);

  const start = async (): Promise<ServiceProcess> => {
    const service = await ServiceProcess.start(cluster.url);
    services.push(service);
    return service;
  };
  const allChecked = async (): Promise<void> => {
    const [{ now } = { now: '' }] = await witness.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    const newer = 'SELECT FROM endpoint_state WHERE last_checked_at > $1::timestamptz';
    await eventually('all are checked', async () => (await witness.count(newer, [now])) === ENDPOINTS, 60_000);
  };

  it('whose migrations have run leaves the version before at work, and lets it start again', async () => {
    const running = await start();
    await watch(running.api, ENDPOINTS, target.url, hook.url);
    await allChecked();
    const migrations = await witness.query('SELECT name FROM migrations ORDER BY id');
    await witness.query(NEWER_SCHEMA);
    await allChecked();

    const started = await start();
    expect(await witness.query('SELECT name FROM migrations ORDER BY id')).toHaveLength(migrations.length + 1);
    for (const { api } of [running, started]) {
      const { status, body } = await api.post<{ id: string }>('/websites', { name: 'New', url: 'https://a.example' });
      expect(status).toBe(201);
      expect((await api.put(`/websites/${body.id}`, { name: 'Newer' })).status).toBe(200);
    }
    target.status = 500;
    await eventually('all are told', () => new Set(hook.seen.map(({ path }) => path)).size === ENDPOINTS, 60_000);
    running.signal('SIGTERM');
    expect(await running.ended()).toBe(0);
    target.status = 200;
    await eventually('all are told of the end', () => hook.seen.length >= 2 * ENDPOINTS, 60_000);
    await allChecked();
    expect(hook.seen).toHaveLength(2 * ENDPOINTS);
    expect([running.log, started.log].join('\n')).not.toMatch(/error/i);
    await checkEngine(witness);
  }, 180_000);
});
