/** @lane slow */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { restoreBackup, saveBackup } from '../../../src/platform/database/backup';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { asSuperuser } from '../../harness/database/on-cluster';
import { findPostgres, PostgresCluster } from '../../harness/database/postgres-cluster';
import { hasPgbouncer, Pgbouncer } from '../../harness/servers/pgbouncer';

jest.setTimeout(180_000);

const suite = findPostgres() === null || !hasPgbouncer ? describe.skip : describe;

suite('a pooler in front of PostgreSQL (skipped without pgbouncer)', () => {
  let cluster: PostgresCluster;
  let transactions: Pgbouncer;
  let sessions: Pgbouncer;
  let folder: string;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    folder = mkdtempSync(join(tmpdir(), 'uptime-pooler-'));
    cluster = await PostgresCluster.start();
    [transactions, sessions] = await Promise.all([
      Pgbouncer.before(cluster.port, 'transaction'),
      Pgbouncer.before(cluster.port, 'session'),
    ]);
    await asSuperuser(cluster, 'postgres', 'CREATE DATABASE uptime', 'CREATE DATABASE restored');
    // Poolers pass this setting to the server.
    await asSuperuser(cluster, 'postgres', `ALTER DATABASE uptime SET datestyle = 'German'`);
  });
  afterAll(async () => {
    await Promise.all([transactions.close(), sessions.close()]);
    await cluster.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const at = ({ port }: { port: number }, database = 'uptime') => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const open = (url: string): Promise<DatabaseServer> => DatabaseServer.open({ databaseUrl: url, dataDir: '' });

  it('that refuses unknown session settings gets only known ones, and times are read', async () => {
    const server = await open(at(transactions));
    await server.migrate();
    const options = dataSourceOptions(server.target, { size: 2, name: 'test', queryTimeoutMs: 5000 });
    const source = await new DataSource(options).initialize();
    const [row] = (await source.query(`SELECT '2026-03-04T05:06:07Z'::timestamptz AS at`)) as { at: Date }[];
    await source.destroy();
    expect(row?.at.toISOString()).toBe('2026-03-04T05:06:07.000Z');
  });

  it('in transaction mode refuses a backup, because the settings of pg_dump would stay in a session of the service', async () => {
    const file = join(folder, 'refused');
    const saved = saveBackup({ databaseUrl: at(transactions), dataDir: '' }, file);
    await expect(saved).rejects.toThrow('DATABASE_URL points to a pooler in transaction mode');
    expect(existsSync(file)).toBe(false);
  });

  it('in session mode allows a backup to be saved and restored', async () => {
    const file = join(folder, 'saved');
    await saveBackup({ databaseUrl: at(sessions), dataDir: '' }, file);
    await restoreBackup({ databaseUrl: at(sessions, 'restored'), dataDir: '' }, file);
    const count = (database: string) => asSuperuser(cluster, database, 'SELECT count(*)::int AS count FROM migrations');
    expect(await count('restored')).toEqual(await count('uptime'));
  });

  it('with a database whose setting falsifies numbers is refused with the statement that corrects it', async () => {
    await asSuperuser(cluster, 'postgres', 'CREATE DATABASE odd', 'ALTER DATABASE odd SET extra_float_digits = -15');
    const server = await open(at(transactions, 'odd'));
    await expect(server.migrate()).rejects.toThrow(
      /^DATABASE_URL: database "odd" of .* has extra_float_digits set to -15, and the pooler .* ALTER ROLE "postgres" SET extra_float_digits = '1' there\.$/,
    );
    const direct = await open(at(cluster, 'odd'));
    await expect(direct.migrate()).resolves.toBeUndefined();
  });
});
