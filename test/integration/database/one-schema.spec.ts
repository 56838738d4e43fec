/** @lane slow */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import { Initial1795564800000 } from '../../../src/platform/database/migrations/1795564800000-initial';
import { migrations } from '../../../src/platform/database/migrations/migrations';
import { plainDatabase } from '../../harness/database/database';
import { findPostgres, PostgresCluster } from '../../harness/database/postgres-cluster';

const suite = findPostgres() === null ? describe.skip : describe;

/** What pg_dump says of a database that these migrations made, and what they write into it. */
async function dumpOf(server: string, list: typeof migrations): Promise<{ schema: string; rows: unknown }> {
  const { url, drop } = await plainDatabase(server);
  const options = dataSourceOptions({ url }, { size: 1, name: 'one schema', queryTimeoutMs: 0 });
  const source = await new DataSource({ ...options, migrations: list }).initialize();
  try {
    await source.runMigrations();
    const program = join(findPostgres() ?? '', 'pg_dump');
    const text = execFileSync(program, ['--schema-only', '--no-owner', '-d', url], { encoding: 'utf8' });
    const rows: unknown = await source.query(
      `SELECT name, after_key, date_trunc('hour', done_until) AS hour FROM history_progress`,
    );
    // The two lines that guard a restore have a random key.
    return { schema: text.replace(/^\\(un)?restrict .*$/gm, ''), rows };
  } finally {
    await source.destroy();
    await drop();
  }
}

suite('the initial migration (skipped without PostgreSQL’s programs)', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => (cluster = await PostgresCluster.start()));
  afterAll(() => cluster.remove());

  it('makes the very schema and rows that all migrations before it made together', async () => {
    const before = await dumpOf(cluster.url, migrations);
    const now = await dumpOf(cluster.url, [Initial1795564800000]);
    expect(now).toEqual(before);
  }, 180_000);
});
