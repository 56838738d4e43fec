import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import {
  type CitusNodes,
  citusNodes,
  createOnAllNodes,
  distribute,
  dropOnAllNodes,
  migrateDatabase,
  type NodeAddress,
} from './citus-cluster';
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

/** Names of the same test file begin alike. */
function databaseName(): string {
  const file = createHash('sha256')
    .update(expect.getState().testPath ?? '')
    .digest('hex');
  return `uptime_test_${file.slice(0, 8)}_${randomBytes(6).toString('hex')}`;
}

/**
 * An empty database of its own for one test file, so that files run side by side: one that is migrated and distributed over
 * the Citus cluster that `CITUS_URLS` names, a new one on the server that `TEST_DATABASE_URL` names (its user must be
 * allowed to create databases), else the embedded database in memory.
 */
export async function freshDatabase(): Promise<TestDatabase> {
  const nodes = citusNodes();
  if (nodes !== null) return distributedDatabase(nodes);
  const server = process.env['TEST_DATABASE_URL'];
  if (server === undefined || server === '')
    return { url: `embedded:memory:${await migratedCluster()}`, drop: async () => {} };
  return plainDatabase(server);
}

/** An empty database on that server. */
export async function plainDatabase(server: string): Promise<TestDatabase> {
  const name = databaseName();
  await onServer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

/** Migrated and distributed over these nodes; the coordinator reaches the workers at `workerAddresses`, if given. */
export async function distributedDatabase(
  nodes: CitusNodes,
  workerAddresses?: readonly NodeAddress[],
): Promise<TestDatabase> {
  const name = databaseName();
  const url = await createOnAllNodes(nodes, name, workerAddresses);
  await migrateDatabase(url);
  await distribute(url);
  return { url, drop: () => dropOnAllNodes(nodes, name) };
}
