import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { DatabaseServer } from '../../../src/platform/database/database-server';

const DISTRIBUTE = join(__dirname, '../../../deploy/citus/distribute.sql');

/** The node that receives queries, followed by the workers. */
export type CitusNodes = readonly [coordinator: string, ...workers: string[]];

/** The address at which Citus reaches a node. By default, the address that this process uses. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** Returns the cluster specified in `CITUS_URLS`, coordinator first, or `null`. Its users must be superusers. */
export function citusNodes(): CitusNodes | null {
  const [coordinator, ...workers] = (process.env['CITUS_URLS'] ?? '').split(',').filter((url) => url !== '');
  if (coordinator === undefined) return null;
  if (workers.length === 0)
    throw new Error('CITUS_URLS needs a coordinator and at least one worker, separated by commas.');
  return [coordinator, ...workers];
}

/** The title for suites that require a cluster. */
export const NO_CITUS = 'skipped: CITUS_URLS names no cluster';

/** Runs all statements on one connection, so that session settings apply to later statements. */
export async function onNode(url: string, ...statements: readonly string[]): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const sql of statements) rows = (await client.query<Record<string, unknown>>(sql)).rows ?? [];
    return rows;
  } finally {
    await client.end();
  }
}

export function urlOf(node: string, database: string): string {
  const url = new URL(node);
  url.pathname = `/${database}`;
  return url.href;
}

const addressOf = (node: string): NodeAddress => {
  const { hostname, port } = new URL(node);
  return { host: hostname, port: port === '' ? 5432 : Number(port) };
};

const citusCall = (name: string, { host, port }: NodeAddress): string => `SELECT ${name}('${host}', ${port})`;

/** Creates an empty database with the extension on every node, and registers the workers with the coordinator. */
export async function createOnAllNodes(
  nodes: CitusNodes,
  name: string,
  workerAddresses: readonly NodeAddress[] = nodes.slice(1).map(addressOf),
): Promise<string> {
  await Promise.all(
    nodes.map(async (node) => {
      await onNode(node, `CREATE DATABASE ${name}`);
      await onNode(urlOf(node, name), 'CREATE EXTENSION citus');
    }),
  );
  const url = urlOf(nodes[0], name);
  await onNode(
    url,
    citusCall('citus_set_coordinator_host', addressOf(nodes[0])),
    ...workerAddresses.map((address) => citusCall('citus_add_node', address)),
  );
  return url;
}

export async function migrateDatabase(url: string): Promise<void> {
  const server = await DatabaseServer.open({ databaseUrl: url, dataDir: '' });
  await server.migrate();
  await server.close();
}

/** Distributes the tables like an operator would with psql. */
export async function distribute(url: string): Promise<void> {
  await onNode(url, readFileSync(DISTRIBUTE, 'utf8'));
}

export async function dropOnAllNodes(nodes: CitusNodes, name: string): Promise<void> {
  for (const node of nodes) await onNode(node, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}
