import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { migratedCluster } from './migrated-cluster';

export interface TestDatabase {
  /** For `Config.databaseUrl`. */
  readonly url: string;
  /** Removes it with everything in it; close the application first. */
  drop(): Promise<void>;
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/**
 * An empty database of its own for one test file, so that files run side by side: a new one on the server that
 * `TEST_DATABASE_URL` names (its user must be allowed to create databases), else the embedded database in memory.
 */
export async function freshDatabase(): Promise<TestDatabase> {
  const server = process.env['TEST_DATABASE_URL'];
  if (server === undefined || server === '')
    return { url: `embedded:memory:${await migratedCluster()}`, drop: async () => {} };
  const file = createHash('sha256')
    .update(expect.getState().testPath ?? '')
    .digest('hex');
  const name = `uptime_test_${file.slice(0, 8)}_${randomBytes(6).toString('hex')}`;
  await onServer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}
