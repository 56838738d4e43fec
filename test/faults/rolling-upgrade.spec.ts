import { FaultBench } from '../harness/processes/fault-bench';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { checkEngine } from '../harness/app/invariants';
import { FIRST_RELEASE } from '../harness/database/first-release';
import { eventually } from '../../packages/testing/eventually';
import { findPostgres } from '../harness/database/postgres-cluster';
import { watch } from '../harness/processes/service-process';

const ENDPOINTS = 20;

/**
 * The expand phase of a newer version. It adds columns and tables, with defaults, that the running version does not
 * know. There is one statement per table, because two tables locked at once could deadlock with the recorder.
 */
const NEWER_SCHEMA = [
  `ALTER TABLE website ADD COLUMN of_the_next_version text NOT NULL DEFAULT 'x'`,
  'ALTER TABLE endpoint ADD COLUMN of_the_next_version integer',
  'ALTER TABLE check_result ADD COLUMN of_the_next_version smallint',
  'CREATE TABLE of_the_next_version (id bigint PRIMARY KEY, endpoint_id uuid REFERENCES endpoint ON DELETE CASCADE)',
  `INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'OfTheNextVersion9999999999999')`,
];

const suite = findPostgres() === null ? describe.skip : describe;

suite('a rolling upgrade (skipped without PostgreSQL’s programs)', () => {
  let bench: FaultBench;
  let target: SwitchableServer;
  let hook: SwitchableServer;

  beforeAll(async () => {
    bench = await FaultBench.open();
    [target, hook] = [bench.keep(await SwitchableServer.start()), bench.keep(await SwitchableServer.start())];
  }, 180_000);
  afterAll(() => bench.close(), 60_000);

  it('keeps a version on the database of 0.1.0 working after the newer one’s migrations, and lets it start again', async () => {
    await bench.witness.query(FIRST_RELEASE);
    const running = await bench.start();
    expect((await running.api.get('/endpoints')).body).toMatchObject([{ name: 'Home page', enabled: false }]);
    await watch(running.api, ENDPOINTS, target.url, hook.url);
    await bench.allChecked(ENDPOINTS);
    const migrations = await bench.witness.query('SELECT name FROM migrations ORDER BY id');
    for (const statement of NEWER_SCHEMA) await bench.witness.query(statement);
    await bench.allChecked(ENDPOINTS);

    const started = await bench.start();
    expect(await bench.witness.query('SELECT name FROM migrations ORDER BY id')).toHaveLength(migrations.length + 1);
    for (const { api } of [running, started]) {
      const { status, body } = await api.post<{ id: string }>('/websites', { name: 'New', url: 'https://a.example' });
      expect(status).toBe(201);
      expect((await api.put(`/websites/${body.id}`, { name: 'Newer' })).status).toBe(200);
    }
    target.status = 500;
    await eventually(
      'all alerts are delivered',
      () => new Set(hook.seen.map(({ path }) => path)).size === ENDPOINTS,
      60_000,
    );
    running.signal('SIGTERM');
    expect(await running.ended()).toBe(0);
    target.status = 200;
    await eventually('all resolves are delivered', () => hook.seen.length >= 2 * ENDPOINTS, 60_000);
    await bench.allChecked(ENDPOINTS);
    expect(hook.seen).toHaveLength(2 * ENDPOINTS);
    expect([running.log, started.log].join('\n')).not.toMatch(/error/i);
    await checkEngine(bench.witness);
  }, 180_000);
});
