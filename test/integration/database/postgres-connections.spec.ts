/** @lane slow */
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { PostgresServer } from '../../../src/platform/database/connection/postgres-server';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import { Database, type TransactionLimits } from '../../../src/platform/database/database';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import type { ExtensionMigration } from '../../../src/platform/database/extension-migrations';
import { migrations } from '../../../src/platform/database/migrations/migrations';
import { FaultProxy } from '../../harness/servers/fault-proxy';
import { eventually } from '../../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../../harness/database/postgres-cluster';

// Servers start, stop, and recover in these tests.
jest.setTimeout(120_000);

/** Long enough for any statement on a busy machine. Tests with an unresponsive server wait that long. */
const QUERY_TIMEOUT_MS = 3000;
/** Shorter, so that the server times out first, but long enough for the gap between two statements. */
const IDLE_MS = 1500;

const open = (url: string): Promise<DatabaseServer> => DatabaseServer.open({ databaseUrl: url, dataDir: '' });
const backend = async (database: Database): Promise<number | undefined> =>
  (await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]?.pid;

/** Uses a separate server, because it is stopped and frozen. Requires PostgreSQL's programs. */
(findPostgres() === null ? describe.skip : describe)('connections to a PostgreSQL server', () => {
  let cluster: PostgresCluster;
  const sources: DataSource[] = [];

  beforeAll(async () => {
    Logger.overrideLogger(false);
    cluster = await PostgresCluster.start();
  });
  afterEach(async () => {
    cluster.thaw();
    for (const source of sources.splice(0)) await source.destroy();
  });
  afterAll(async () => {
    await cluster.remove();
  });

  const createDatabase = async (name: string): Promise<string> => {
    const client = new Client({ connectionString: cluster.url });
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    return cluster.url.replace(/postgres$/, name);
  };
  /** Opens a pool of one connection, so that a lost connection is noticed at once. */
  const connect = async (url = cluster.url, limits: TransactionLimits = {}): Promise<Database> => {
    const pool = { size: 1, name: 'test', queryTimeoutMs: QUERY_TIMEOUT_MS };
    const source = await new DataSource(dataSourceOptions(PostgresServer.at(url), pool)).initialize();
    sources.push(source);
    return new Database(source, limits);
  };

  it('several instances that start together migrate once', async () => {
    const url = await createDatabase('together');
    const servers = await Promise.all([1, 2, 3].map(() => open(url)));
    await Promise.all(servers.map((server) => server.migrate()));
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('SELECT name FROM migrations ORDER BY id');
    await client.end();
    expect(rows).toEqual(migrations.map(({ name }) => ({ name })));
  });

  describe('a migration while an older version is running', () => {
    /** Changes `endpoint_state` and then `alert_event`, like a migration of the service. */
    const newer: ExtensionMigration = {
      extension: 'next',
      name: 'Next1800000000000',
      up: async (runner) => {
        for (const table of ['endpoint_state', 'alert_event'])
          await runner.query(`ALTER TABLE ${table} ADD COLUMN of_the_next_version integer`);
      },
    };
    const olderDatabase = async (name: string): Promise<{ url: string; session: () => Promise<Client> }> => {
      const url = await createDatabase(name);
      await (await open(url)).migrate();
      return {
        url,
        session: async () => {
          const client = new Client({ connectionString: url, lock_timeout: 20_000 });
          await client.connect();
          sessions.push(client);
          return client;
        },
      };
    };
    const sessions: Client[] = [];
    afterEach(async () => {
      for (const client of sessions.splice(0)) await client.end();
    });
    const WAITING = `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                      WHERE NOT l.granted AND a.application_name LIKE '%migrations%'`;
    const migrated = async (client: Client) => (await client.query('SELECT name FROM extension_migration')).rows.length;

    it('a migration gives way in a deadlock with a running instance', async () => {
      const { url, session } = await olderDatabase('deadlock');
      const [older, witness] = [await session(), await session()];
      await older.query('BEGIN');
      await older.query('LOCK TABLE alert_event IN ROW EXCLUSIVE MODE');
      const done = (await open(url)).migrate([newer]);
      await eventually('the migration waits', async () => (await witness.query(WAITING)).rows.length > 0);
      await older.query('LOCK TABLE endpoint_state IN ROW EXCLUSIVE MODE');
      await older.query('COMMIT');
      await done;
      expect(await migrated(witness)).toBe(1);
    });

    it('a migration that waits for a locked table does not block other sessions, and ends when it is free', async () => {
      const { url, session } = await olderDatabase('kept');
      const [keeper, older, witness] = [await session(), await session(), await session()];
      await keeper.query('BEGIN');
      await keeper.query('LOCK TABLE endpoint_state IN ROW EXCLUSIVE MODE');
      const done = (await open(url)).migrate([newer]);
      await eventually('the migration waits', async () => (await witness.query(WAITING)).rows.length > 0);
      await older.query('UPDATE endpoint_state SET status = status');
      expect(await migrated(witness)).toBe(0);
      await keeper.query('COMMIT');
      await done;
      expect(await migrated(witness)).toBe(1);
    });
  });

  it('a start waits for a PostgreSQL server that is started later', async () => {
    const url = await createDatabase('later');
    await cluster.stop();
    const migrated = open(url).then((server) => server.migrate());
    await cluster.restart();
    await expect(migrated).resolves.toBeUndefined();
  });

  it('a start without a PostgreSQL server fails with a clear message, without the password', async () => {
    const url = await createDatabase('never');
    await cluster.stop();
    try {
      const server = await open(url.replace('postgres@', 'postgres:s3cret@'));
      const given = server.migrate([], 100);
      await expect(given).rejects.toThrow(
        /^DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ cannot be reached: nothing listens there\. Gave up after 0\.1 s\./,
      );
      await expect(given).rejects.not.toThrow('s3cret');
    } finally {
      await cluster.restart();
    }
  });

  it('a start does not wait for a database that does not exist', async () => {
    const server = await open(cluster.url.replace(/postgres$/, 'missing'));
    await expect(server.migrate()).rejects.toThrow(
      /^DATABASE_URL: PostgreSQL at .* has no database "missing"\. Create it/,
    );
  });

  it('a pool survives the end of the server while its connections are idle', async () => {
    const database = await connect();
    await backend(database);
    await cluster.kill();
    await expect(database.query('SELECT 1')).rejects.toThrow();
    await cluster.restart();
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('a statement fails in time when the server freezes, and its connection is replaced', async () => {
    const database = await connect();
    const before = await backend(database);
    cluster.freeze();
    await expect(database.query('SELECT 1')).rejects.toThrow('Query read timeout');
    cluster.thaw();
    const after = await backend(database);
    expect(after).toEqual(expect.any(Number));
    expect(after).not.toBe(before);
  });

  it('a statement inside a transaction fails in time when the server freezes', async () => {
    const database = await connect();
    const before = await backend(database);
    const frozen = database.transaction(async (tx) => {
      await tx.query('SELECT 1');
      cluster.freeze();
      await tx.query('SELECT 2');
    });
    await expect(frozen).rejects.toThrow('Query read timeout');
    cluster.thaw();
    expect(await backend(database)).not.toBe(before);
  });

  it('the server releases the locks of a transaction whose client has silently disappeared', async () => {
    const proxy = await FaultProxy.to(cluster.port);
    const [lost, other] = await Promise.all([
      connect(cluster.url.replace(`:${cluster.port}/`, `:${proxy.port}/`), { idleMs: IDLE_MS }),
      connect(),
    ]);
    await other.query('CREATE TABLE held AS SELECT 1 AS id');
    const locked = lost.transaction(async (tx) => {
      await tx.query('SELECT id FROM held FOR UPDATE');
      proxy.set('silent');
      await tx.query('SELECT 2');
    });
    await expect(locked).rejects.toThrow('Query read timeout');
    const isFree = async () => (await other.query('SELECT id FROM held FOR UPDATE SKIP LOCKED')).length === 1;
    await eventually('the row is free', isFree, 30_000);
    proxy.set('reset');
    await proxy.close();
  });
});
