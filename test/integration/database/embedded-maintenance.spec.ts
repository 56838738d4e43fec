/**
 * @lane slow @alone
 * @databases embedded
 */
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WorkerDatabase } from '../../../src/platform/database/database';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { EmbeddedMaintenance } from '../../../src/platform/database/embedded/embedded-maintenance';

const MEGABYTE = 1024 * 1024;

describe('EmbeddedMaintenance', () => {
  let server: DatabaseServer;
  let database: WorkerDatabase;
  let maintenance: EmbeddedMaintenance;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    server = await DatabaseServer.open({ databaseUrl: 'embedded:memory', dataDir: '' });
    await server.migrate();
    const pool = { size: 5, name: 'test', queryTimeoutMs: 30_000 };
    database = new WorkerDatabase(await new DataSource(dataSourceOptions(server.target, pool)).initialize());
    maintenance = new EmbeddedMaintenance(database, ['notification']);
  });
  afterAll(async () => {
    await database.dataSource.destroy();
    await server.close();
  });

  const number = async (sql: string): Promise<number> => {
    const [row] = await database.query<{ n: number }>(sql);
    return row?.n ?? Number.NaN;
  };
  const logSize = (): Promise<number> => number(`SELECT sum(size)::int AS n FROM pg_ls_waldir()`);
  const checkpoint = async (): Promise<string | undefined> => {
    const [row] = await database.query<{ lsn: string }>(`SELECT redo_lsn::text AS lsn FROM pg_control_checkpoint()`);
    return row?.lsn;
  };

  it('keeps the write-ahead log small by its checkpoints', async () => {
    await database.query('CREATE TABLE filler (text text)');
    const write = (): Promise<unknown> =>
      database.query(`INSERT INTO filler SELECT repeat(md5(g::text), 30) FROM generate_series(1, 20000) g`);
    for (let round = 0; round < 8; round++) {
      await write();
      await maintenance.checkpoint();
    }
    expect(await logSize()).toBeLessThanOrEqual(112 * MEGABYTE);
    await database.query('DROP TABLE filler');
  }, 120_000);

  it('writes no checkpoint if nothing was written', async () => {
    await maintenance.checkpoint();
    const before = await checkpoint();
    await database.query('SELECT 1');
    await maintenance.checkpoint();
    expect(await checkpoint()).toBe(before);
  });

  it('vacuums and analyzes the tables that every check rewrites', async () => {
    await database.query(
      `INSERT INTO notification (id, org_id, alert_id, kind, incident_no, channel_type, destination, notice, next_attempt_at, created_at)
       SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'triggered', 1, 'webhook', '', '{}', now(), now()
         FROM generate_series(1, 1000)`,
    );
    await database.query(`DELETE FROM notification WHERE seq > 10`);
    await maintenance.vacuumHotTables();
    const [table] = await database.query<object>(
      `SELECT reltuples::int AS rows, relpages AS pages, relallvisible AS clean FROM pg_class WHERE relname = 'notification'`,
    );
    expect(table).toEqual({ rows: 10, pages: 1, clean: 1 });
  });

  it('leaves statistics of every table after vacuumAll', async () => {
    await maintenance.vacuumAll();
    const unknown = await database.query(
      `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples < 0`,
    );
    expect(unknown).toEqual([]);
  });
});
