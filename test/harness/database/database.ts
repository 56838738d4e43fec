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
import { HOUR_MS } from '../../../src/platform/time/time-units';
import { migratedCluster, migrationsFingerprint } from './migrated-cluster';

export interface TestDatabase {
  /** The value for `Config.databaseUrl`. */
  readonly url: string;
  /** Drops the database and everything in it. Close the application first. */
  drop(): Promise<void>;
}

async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const onServer = (url: string, sql: string): Promise<unknown> => connected(url, (client) => client.query(sql));

/** Returns a database name with a prefix that all databases in a test file share. */
function databaseName(): string {
  const file = createHash('sha256')
    .update(expect.getState().testPath ?? '')
    .digest('hex');
  return `uptime_test_${file.slice(0, 8)}_${randomBytes(6).toString('hex')}`;
}

/**
 * Returns a separate migrated database for one test file, so that files can run in parallel. `CITUS_URLS` selects a
 * Citus cluster to distribute it over. `TEST_DATABASE_URL` selects a server whose user may create databases. The
 * default is the embedded database in memory.
 */
export async function freshDatabase(): Promise<TestDatabase> {
  const nodes = citusNodes();
  if (nodes !== null) return distributedDatabase(nodes);
  const server = process.env['TEST_DATABASE_URL'];
  if (server === undefined || server === '')
    return { url: `embedded:memory:${await migratedCluster()}`, drop: async () => {} };
  return databaseLike(await migratedTemplate(server), server);
}

export const plainDatabase = (server: string): Promise<TestDatabase> => databaseLike('template1', server);

async function databaseLike(template: string, server: string): Promise<TestDatabase> {
  const name = databaseName();
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return {
    url: urlOf(server, name),
    drop: async () => void (await onServer(server, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Held while a template is created. One worker creates it, and the others wait. */
const TEMPLATE_LOCK = 0x7465_6d70;

/**
 * Returns the migrated template database on that server, without connections. Copying it is faster than running the
 * migrations. The first test that needs it creates it. Like a `migratedCluster`, it is used only for the hour in which
 * it was created.
 */
const migratedTemplate = (server: string): Promise<string> =>
  connected(server, async (client) => {
    const hour = Math.floor(Date.now() / HOUR_MS);
    const name = `uptime_template_${hour}_${migrationsFingerprint()}`;
    if ((await templates(client)).includes(name)) return name;
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const made = await templates(client);
    if (made.includes(name)) return name;
    for (const old of made.filter((each) => Number(each.split('_')[2]) < hour - 1)) {
      await client.query(`ALTER DATABASE ${old} IS_TEMPLATE false`);
      await client.query(`DROP DATABASE ${old}`);
    }
    // A worker that was killed at this point may have left one behind.
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${name}`);
    await migrateDatabase(urlOf(server, name));
    await client.query(`ALTER DATABASE ${name} IS_TEMPLATE true ALLOW_CONNECTIONS false`);
    return name;
  });

async function templates(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE datistemplate AND starts_with(datname, 'uptime_template_')`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Returns a database that is migrated and distributed over these nodes. `workerAddresses` are the workers' addresses as
 * seen by the coordinator.
 */
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
