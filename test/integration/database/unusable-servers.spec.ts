/** @lane slow */
import { Logger } from '@nestjs/common';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { asSuperuser } from '../../harness/database/on-cluster';
import { findPostgres, PostgresCluster } from '../../harness/database/postgres-cluster';

jest.setTimeout(120_000);

const suite = findPostgres() === null ? describe.skip : describe;

suite('a PostgreSQL that the service cannot use (skipped without PostgreSQL’s programs)', () => {
  let cluster: PostgresCluster;
  let standby: PostgresCluster;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    cluster = await PostgresCluster.start({ settings: ['max_connections=6', 'superuser_reserved_connections=3'] });
    standby = await PostgresCluster.standby(cluster.port, { settings: ['max_connections=6'] });
    await asSuperuser(cluster, 'postgres', 'CREATE ROLE monitor LOGIN', 'CREATE DATABASE monitor OWNER monitor');
  });
  afterAll(async () => {
    await Promise.all([cluster.remove(), standby.remove()]);
  });

  const open = ({ port }: { port: number }, database: string): Promise<DatabaseServer> =>
    DatabaseServer.open({ databaseUrl: `postgres://monitor@127.0.0.1:${port}/${database}`, dataDir: '' });

  it.each(['LATIN1', 'SQL_ASCII'])(
    'because of its encoding %s is refused with the statement that corrects it',
    async (encoding) => {
      const name = `of_${encoding.toLowerCase()}`;
      await asSuperuser(
        cluster,
        'postgres',
        `CREATE DATABASE ${name} OWNER monitor ENCODING '${encoding}' TEMPLATE template0`,
      );
      const server = await open(cluster, name);
      await expect(server.migrate()).rejects.toThrow(
        new RegExp(
          `^DATABASE_URL: database "${name}" of .* has the encoding ${encoding}; UTF8 is required\\. Create another one with CREATE DATABASE`,
        ),
      );
    },
  );

  it('because it is a standby is waited for, and named as one', async () => {
    const empty = await open(standby, 'monitor');
    const sentence = /cannot be used: it is a standby, which is read-only\. Gave up after 0\.1 s\./;
    await expect(empty.migrate([], 100)).rejects.toThrow(sentence);
    await (await open(cluster, 'monitor')).migrate();
    await expect((await open(standby, 'monitor')).migrate([], 100)).rejects.toThrow(sentence);
  });

  it('because all of its connections are in use is waited for, with an explanation of what to change', async () => {
    await asSuperuser(cluster, 'postgres', 'ALTER ROLE monitor CONNECTION LIMIT 0');
    const server = await open(cluster, 'monitor');
    await expect(server.migrate([], 100)).rejects.toThrow(
      'all of its connections are in use; raise max_connections, or lower DATABASE_POOL_API and DATABASE_POOL_WORKER (too many connections for role "monitor")',
    );
  });

  it('because the search_path of its user names no schema is refused', async () => {
    await asSuperuser(
      cluster,
      'postgres',
      'ALTER ROLE monitor CONNECTION LIMIT -1',
      'ALTER ROLE monitor SET search_path = missing',
    );
    await asSuperuser(cluster, 'postgres', 'CREATE DATABASE without OWNER monitor');
    const server = await open(cluster, 'without');
    await expect(server.migrate()).rejects.toThrow(/in database "without" of .* has no schema to create tables in/);
  });
});
