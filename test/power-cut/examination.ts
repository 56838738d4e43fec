import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PGlite, PGliteOptions } from '@electric-sql/pglite';
import { amcheck } from '@electric-sql/pglite/contrib/amcheck';
import { pg_visibility } from '@electric-sql/pglite/contrib/pg_visibility';
import { isPlausibleApiKey } from '../../src/identity/api-key/api-key-secret';
import type { Sql } from '../../src/platform/database/database';
import { DatabaseServer } from '../../src/platform/database/database-server';
import { clusterTemplate } from '../../src/platform/database/embedded/cluster-template';
import { openEngine } from '../../src/platform/database/embedded/embedded-engine.cjs';
import { parseId } from '../../src/platform/ids/id';
import { checkEngine } from '../harness/app/invariants';
import type { Fact } from './recording';

const EMBEDDED = join(__dirname, '../../src/platform/database/embedded');

/** Checks of a database's files with PostgreSQL's own tools. Each statement returns one text for each fault. */
const FILES: readonly string[] = [
  `SELECT format('%s, block %s: %s', c.oid::regclass, h.blkno, h.msg) AS fault
     FROM pg_class c, LATERAL verify_heapam(c.oid, check_toast => true) h WHERE c.relkind IN ('r', 'm', 't', 'S')`,
  // It throws at the first fault.
  `SELECT bt_index_parent_check(c.oid, true, false, i.indisunique)::text AS fault
     FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid JOIN pg_am a ON a.oid = c.relam
    WHERE a.amname = 'btree' AND c.relkind = 'i' AND i.indisvalid AND i.indisready`,
  `SELECT gin_index_check(c.oid)::text AS fault FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'gin' AND c.relkind = 'i'`,
  `SELECT format('%s: %s is not visible to all', c.oid::regclass, t) AS fault
     FROM pg_class c, LATERAL pg_check_visible(c.oid) t WHERE c.relkind IN ('r', 'm', 't')`,
  `SELECT format('%s: %s is not frozen', c.oid::regclass, t) AS fault
     FROM pg_class c, LATERAL pg_check_frozen(c.oid) t WHERE c.relkind IN ('r', 'm', 't')`,
];

const uuidOf = (kind: string, id: string): string => {
  const uuid = parseId(kind, id);
  if (uuid === null) throw new Error(`${id} is not an id of kind ${kind}`);
  return uuid;
};

/** Returns the last fact of this kind about each resource. */
function lastOf<Kind extends Fact['fact']>(
  facts: readonly Fact[],
  kind: Kind,
): Map<string, Extract<Fact, { fact: Kind }>> {
  const last = new Map<string, Extract<Fact, { fact: Kind }>>();
  for (const fact of facts) if (fact.fact === kind) last.set(fact.id, fact as Extract<Fact, { fact: Kind }>);
  return last;
}

/** Returns websites and endpoints that have an older name than a client saw, are missing, or exist again. */
async function lostNames(sql: Sql, facts: readonly Fact[], kind: 'website' | 'endpoint'): Promise<string[]> {
  const live = kind === 'website' ? 'WHERE deleted_at IS NULL' : '';
  const rows = await sql.query<{ id: string; name: string }>(`SELECT id, name FROM ${kind} ${live}`);
  const versions = new Map(rows.map(({ id, name }) => [id, Number(name.split(' ').at(-1))]));
  const [deleting, deleted] = [lastOf(facts, 'deleting'), lastOf(facts, 'deleted')];
  return [...lastOf(facts, kind)].flatMap(([id, { version }]) => {
    const stored = versions.get(uuidOf(kind, id));
    if (deleted.has(id)) return stored === undefined ? [] : [`${id} was deleted and is there again`];
    if (stored === undefined) return deleting.has(id) ? [] : [`${id} is lost`];
    return stored >= version ? [] : [`${id} has version ${stored}, and a client was told ${version}`];
  });
}

async function lostPings(sql: Sql, facts: readonly Fact[]): Promise<string[]> {
  const lost: string[] = [];
  for (const [id, { count }] of lastOf(facts, 'pings')) {
    const rows = await sql.query(
      'SELECT FROM ping p JOIN endpoint e ON e.key = p.endpoint_key WHERE e.id = $1 AND p.kind = 0',
      [uuidOf('endpoint', id)],
    );
    if (rows.length < count) lost.push(`${id} has ${rows.length} pings, and ${count} were answered`);
  }
  return lost;
}

async function lostChecks(sql: Sql, facts: readonly Fact[]): Promise<string[]> {
  const rows = await sql.query<{ id: string; at: string }>(
    `SELECT e.id, to_char(r.checked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
       FROM check_result r JOIN endpoint e ON e.key = r.endpoint_key`,
  );
  const stored = new Set(rows.map(({ id, at }) => `${id} ${at}`));
  return facts.flatMap((fact) => {
    if (fact.fact !== 'check' || stored.has(`${uuidOf('endpoint', fact.id)} ${fact.at}`)) return [];
    return [`the check of ${fact.id} at ${fact.at} is lost`];
  });
}

/** Returns events that were sent to a webhook and are lost, and events that are stored or were sent twice. */
async function wrongEvents(sql: Sql, facts: readonly Fact[]): Promise<string[]> {
  const rows = await sql.query<{ id: string }>('SELECT id FROM alert_event');
  const stored = new Set(rows.map(({ id }) => id));
  const doubled = await sql.query<{ id: string }>(
    // Counted by content, so that a damaged unique index can't hide duplicates in the table.
    `SELECT min(id::text) AS id FROM alert_event GROUP BY alert_id::text || incident_no || type HAVING count(*) > 1`,
  );
  const told = new Map<string, string>();
  const wrong = doubled.map(({ id }) => `the event ${id} is there twice`);
  for (const fact of facts) {
    if (fact.fact !== 'event') continue;
    if (!stored.has(uuidOf('event', fact.id))) wrong.push(`the event ${fact.id} is lost`);
    const key = `${fact.incident} ${fact.type}`;
    if ((told.get(key) ?? fact.id) !== fact.id) wrong.push(`${key} was told by ${told.get(key)} and by ${fact.id}`);
    told.set(key, fact.id);
  }
  return wrong;
}

/**
 * Returns deliveries that a service has not sent although it had time, and deliveries that it wrongly considers sent.
 */
async function untold(sql: Sql, facts: readonly Fact[], settledAt: Date): Promise<string[]> {
  const rows = await sql.query<{ id: string; state: string }>(
    `SELECT event_id AS id, state FROM notification
      WHERE event_id IS NOT NULL AND (state = 'delivered' OR state IN ('pending', 'failed') AND created_at < $1)`,
    [settledAt],
  );
  const told = new Set(facts.flatMap((fact) => (fact.fact === 'event' ? [uuidOf('event', fact.id)] : [])));
  return rows.flatMap(({ id, state }) => {
    if (state !== 'delivered') return [`the delivery of event ${id} is ${state}`];
    return told.has(id) ? [] : [`the event ${id} was never told`];
  });
}

async function attempt(what: string, work: () => Promise<string[]>): Promise<string[]> {
  try {
    return await work();
  } catch (error) {
    return [`${what}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

export async function brokenFacts(sql: Sql, facts: readonly Fact[], recordedAt: Date): Promise<string[]> {
  return [
    ...(await lostNames(sql, facts, 'website')),
    ...(await lostNames(sql, facts, 'endpoint')),
    ...(await lostPings(sql, facts)),
    ...(await lostChecks(sql, facts)),
    ...(await wrongEvents(sql, facts)),
    ...(await attempt('rules of the data', async () => {
      await checkEngine(sql, recordedAt);
      return [];
    })),
  ];
}

/** Returns faults in the files. Writes to the database, because the tools are extensions. */
async function damagedFiles(sql: Sql): Promise<string[]> {
  await sql.query('CREATE EXTENSION IF NOT EXISTS amcheck');
  await sql.query('CREATE EXTENSION IF NOT EXISTS pg_visibility');
  const faults: string[] = [];
  for (const statement of FILES)
    for (const { fault } of await sql.query<{ fault: string }>(statement)) if (fault !== '') faults.push(fault);
  return faults;
}

const sqlOf = (database: PGlite): Sql => ({
  query: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
    (await database.query(sql, [...parameters])).rows as Row[],
});

/**
 * The generated key is the only way into a new service, so it must be in its file as soon as the database contains
 * it.
 */
async function lostKey(sql: Sql, directory: string): Promise<string[]> {
  if ((await sql.query('SELECT FROM organization')).length === 0) return [];
  const file = join(directory, 'bootstrap-api-key');
  const key = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return isPlausibleApiKey(key) ? [] : ['the first admin key is lost'];
}

/** Examines the disk of an interrupted first start. The next start must succeed. No client has seen anything yet. */
async function firstStart(directory: string): Promise<void> {
  const server = await DatabaseServer.open({ databaseUrl: null, dataDir: directory });
  try {
    await server.migrate();
  } finally {
    await server.close();
  }
}

/** The parameters for examining a disk. */
export interface Examination {
  readonly facts: readonly Fact[];
  readonly recordedAt: Date;
  /** The compiled engine, so that it isn't compiled for every disk. */
  readonly module: CompiledEngine;
  /** A service has run on the disk since then. It has sent all deliveries that were created before this time. */
  readonly settledAt?: Date;
}

type CompiledEngine = NonNullable<PGliteOptions['pgliteWasmModule']>;

export async function compileEngine(): Promise<CompiledEngine> {
  const { WebAssembly } = globalThis as unknown as {
    WebAssembly: { compile(code: Uint8Array): Promise<CompiledEngine> };
  };
  return WebAssembly.compile(readFileSync(join(dirname(require.resolve('@electric-sql/pglite')), 'pglite.wasm')));
}

/** Starts the engine on a disk as the service does. */
export const openDisk = (directory: string, { module }: Pick<Examination, 'module'>): Promise<PGlite> =>
  openEngine(
    { directory, template: clusterTemplate(EMBEDDED), sync: true },
    { extensions: { amcheck, pg_visibility }, pgliteWasmModule: module },
  );

/** Starts the database of a disk as the service does. Returns the faults. */
export async function examine(directory: string, examination: Examination): Promise<string[]> {
  const { facts, recordedAt, settledAt } = examination;
  return attempt('the database does not start', async () => {
    let database = await openDisk(directory, examination);
    const schema = await database.query(`SELECT FROM pg_tables WHERE tablename = 'organization'`);
    if (schema.rows.length === 0) {
      await database.close();
      await firstStart(directory);
      database = await openDisk(directory, examination);
    }
    const sql = sqlOf(database);
    const wrong = [
      ...(await attempt('the data', () => brokenFacts(sql, facts, recordedAt))),
      ...(settledAt ? await attempt('the deliveries', () => untold(sql, facts, settledAt)) : []),
      ...(await attempt('the key', () => lostKey(sql, directory))),
      ...(await attempt('the files', () => damagedFiles(sql))),
    ];
    await database.exec('CHECKPOINT');
    await database.close();
    return wrong;
  });
}
