import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/platform/database/data-source-options';
import { EmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres';
import { eventually } from '../../packages/testing/eventually';
import { plainDatabase, type TestDatabase } from '../harness/database/database';
import { findPostgres, PostgresCluster } from '../harness/database/postgres-cluster';
import { buildService, DatabaseWitness, ServiceProcess } from '../harness/processes/service-process';

jest.setTimeout(240_000);

/** While a test holds this lock, the second migration stops at its commit, after its name was written. */
const GATE = 77;

/** Two migrations. The process that runs them kills itself at the point in `DIE`. */
const STOCK = `
const at = (point) => {
  if (process.env.DIE !== point) return undefined;
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
};
class Stock1800000000000 {
  async up(runner) {
    await runner.query('CREATE TABLE stock_entry (id int GENERATED ALWAYS AS IDENTITY, made_by text NOT NULL)');
    await runner.query("INSERT INTO stock_entry (made_by) VALUES ('the first')");
    await at('in the first');
  }
  async down() {}
}
class Stock1800000001000 {
  async up(runner) {
    await at('between the two');
    await runner.query('ALTER TABLE stock_entry ADD COLUMN amount int NOT NULL DEFAULT 0');
    if (process.env.GATE) {
      await runner.query("SET LOCAL lock_timeout = 0");
      await runner.query(\`CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock_shared(${GATE}); RETURN NULL; END'\`);
      await runner.query(\`CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON stock_entry
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION gate()\`);
    }
    await runner.query("INSERT INTO stock_entry (made_by) VALUES ('the second')");
    await at('in the second');
  }
  async down() {}
}
export default { name: 'stock', migrations: [Stock1800000001000, Stock1800000000000] };
`;
const FIRST = { names: ['Stock1800000000000'], entries: ['the first'] };
const NOTHING = { names: [], entries: [] };
const BOTH = { names: ['Stock1800000000000', 'Stock1800000001000'], entries: ['the first', 'the second'] };
const POINTS = [
  ['in the first', NOTHING],
  ['between the two', FIRST],
  ['in the second', FIRST],
] as const;

type Query = (sql: string) => Promise<Record<string, unknown>[]>;

/** Returns the migrations that are recorded, and those whose changes are stored. */
async function stateOf(query: Query): Promise<{ names: unknown[]; entries: unknown[] }> {
  const names = await query('SELECT name FROM extension_migration ORDER BY ran_at, name');
  const [table] = await query(`SELECT to_regclass('stock_entry') IS NOT NULL AS is_there`);
  const entries = table?.['is_there'] === true ? await query('SELECT made_by FROM stock_entry ORDER BY id') : [];
  return { names: names.map(({ name }) => name), entries: entries.map(({ made_by }) => made_by) };
}

describe('kill -9 in the migrations of an extension', () => {
  let folder: string;
  let env: Readonly<Record<string, string>>;
  const services: ServiceProcess[] = [];

  const launch = (databaseUrl: string, more: Readonly<Record<string, string>> = {}): ServiceProcess => {
    const service = ServiceProcess.launch(databaseUrl, { ...env, ...more });
    services.push(service);
    return service;
  };
  const start = async (databaseUrl: string, more: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> => {
    const service = await ServiceProcess.start(databaseUrl, { ...env, ...more });
    services.push(service);
    return service;
  };

  beforeAll(() => buildService());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'uptime-stock-'));
    writeFileSync(join(folder, 'stock.mjs'), STOCK);
    env = { EXTENSIONS: join(folder, 'stock.mjs'), ROLE: 'api' };
  });
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  describe('on the embedded database', () => {
    const state = async (): Promise<unknown> => {
      const embedded = await EmbeddedPostgres.start({ directory: join(folder, 'data') });
      const options = { size: 1, name: 'witness', queryTimeoutMs: 30_000 };
      const source = new DataSource(dataSourceOptions({ connect: () => embedded.connect() }, options));
      try {
        await source.initialize();
        return await stateOf((sql) => source.query(sql));
      } finally {
        await source.destroy();
        await embedded.close();
      }
    };

    it.each(POINTS)(
      '%s: each migration is applied completely or not at all, and the next start does the rest',
      async (point, left) => {
        const directory = { DATA_DIR: join(folder, 'data') };
        await launch('', { ...directory, DIE: point }).killed();
        expect(await state()).toEqual(left);
        await (await start('', directory)).kill();
        expect(await state()).toEqual(BOTH);
      },
    );
  });

  const suite = findPostgres() === null ? describe.skip : describe;

  suite('on PostgreSQL (skipped without its programs)', () => {
    let cluster: PostgresCluster;
    let database: TestDatabase;
    let witness: DatabaseWitness;
    beforeAll(async () => {
      cluster = await PostgresCluster.start();
    });
    afterAll(() => cluster.remove());
    beforeEach(async () => {
      database = await plainDatabase(cluster.url);
      witness = DatabaseWitness.on(database.url);
    });
    afterEach(async () => {
      await Promise.all(services.splice(0).map((service) => service.kill()));
      await witness.close();
      await database.drop();
    });
    const state = () => stateOf((sql) => witness.query(sql));
    const isAtGate = async () =>
      (await witness.count(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${GATE} AND NOT granted`)) > 0;

    it.each(POINTS)(
      '%s: each migration is applied completely or not at all, and the next start does the rest',
      async (point, left) => {
        await launch(database.url, { DIE: point }).killed();
        expect(await state()).toEqual(left);
        await start(database.url);
        expect(await state()).toEqual(BOTH);
      },
    );

    it('at the commit of the second: it is recorded with its name, and is not run again', async () => {
      const gate = await witness.hold(`SELECT pg_advisory_xact_lock(${GATE})`);
      const service = launch(database.url, { GATE: 'shut' });
      await eventually('it commits', isAtGate, 60_000);
      await service.kill();
      // The session of the killed process is still at its commit, so its changes are not visible yet.
      expect(await witness.count('SELECT FROM extension_migration')).toBe(1);
      await gate.release();
      await start(database.url, { GATE: 'open' });
      expect(await state()).toEqual(BOTH);
    });

    it('of the first of two instances that start at once: the other one waits as long as necessary, and continues', async () => {
      const gate = await witness.hold(`SELECT pg_advisory_xact_lock(${GATE})`);
      const slow = launch(database.url, { GATE: 'shut' });
      await eventually('the first commits', isAtGate, 60_000);
      const other = launch(database.url, { GATE: 'shut', LOG_LEVEL: 'info' });
      await eventually('the other one waits', () => other.log.includes('Another instance is migrating'), 60_000);
      await slow.kill();
      await gate.release();
      await eventually('the other one listens', () => other.url !== '' || other.hasEnded, 60_000);
      expect(await other.readiness()).toBe(200);
      expect(await state()).toEqual(BOTH);
    });

    it('and without a kill: of instances that start at once on an empty database each migration is run by one', async () => {
      const instances = await Promise.all([start(database.url), start(database.url), start(database.url)]);
      expect(await Promise.all(instances.map((instance) => instance.readiness()))).toEqual([200, 200, 200]);
      expect(await state()).toEqual(BOTH);
    });
  });
});
