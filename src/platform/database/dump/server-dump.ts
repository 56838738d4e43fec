import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StartError } from '../../config/start-error';
import { withLibpq } from '../connection/libpq-environment';
import { PostgresServer } from '../connection/postgres-server';
import { addressOf } from '../connection/server-connection';
import { refusalOf, isThere, unreachableReason } from '../connection-failure';
import { DatabaseClient } from '../database-client';
import { type ClientPrograms, clientPrograms, type FindPrograms } from './client-programs';
import { outputOf, run, start } from './run-program';
import { withoutTransactionTimeout } from './without-transaction-timeout';

type Environment = Readonly<Record<string, string | undefined>>;

/** From this version on, the programs set a limit that older servers don't support. */
const KNOWS_TRANSACTION_TIMEOUT = 17;
const VERSION_UNIT = 10_000;

/** Omits properties of the server and its users, which may not exist on the server where the dump is restored. */
const OF_THE_SERVER = ['--no-owner', '--no-privileges', '--no-tablespaces', '--no-security-labels'];

/**
 * Writes the service's tables to a file in pg_dump's custom format. Checks whether the dump can be restored into this
 * server. If it can't, throws a `StartError` with the reason.
 */
export async function saveServer(url: string, file: string, find: FindPrograms = clientPrograms): Promise<void> {
  const server = PostgresServer.at(url);
  const { version, schema } = await inServer(server, async (client) => {
    await requireOwnSession(server, client);
    return { version: await versionOf(client), schema: await schemaOf(client, server.connection.database) };
  });
  const [programs] = await find(version);
  // A schema is given as a pattern. If quoted, it matches only itself.
  const named = `--schema="${schema.replaceAll('"', '""')}"`;
  await withLibpq(server.connection, (environment) =>
    run(programs.pgDump, ['--format=custom', ...OF_THE_SERVER, named, `--file=${file}`], environment),
  );
  schemaIn(await contentsOf(programs, file), file);
}

/** Restores a dump in one transaction into a database with an empty schema. Throws a `StartError` otherwise. */
export async function restoreServer(url: string, file: string, find: FindPrograms = clientPrograms): Promise<void> {
  const server = PostgresServer.at(url);
  const { version, target } = await inServer(server, async (client) => {
    await requireOwnSession(server, client);
    return { version: await versionOf(client), target: await emptySchemaOf(client, server.connection.database) };
  });
  const { programs, contents } = await readable(await find(version), file);
  const schema = schemaIn(contents, file);
  if (target.name !== schema)
    throw new StartError(
      `${file} contains the schema "${schema}", but DATABASE_URL uses the schema "${target.name}". Set the ` +
        `search_path of the user, or options=-c search_path=… in the URL, to "${schema}".`,
    );
  if (!target.exists)
    await inServer(server, (client) => client.query(`CREATE SCHEMA ${client.escapeIdentifier(schema)}`));
  const isOlder = version < KNOWS_TRANSACTION_TIMEOUT;
  await withLibpq(server.connection, (environment) => replay(programs, file, schema, isOlder, environment));
}

/**
 * Pipes the dump as SQL from one program to the other, so that settings that an older server doesn't support can be
 * removed.
 */
async function replay(
  { pgRestore, psql }: ClientPrograms,
  file: string,
  schema: string,
  isOlder: boolean,
  environment: Environment,
): Promise<void> {
  const reader = start(pgRestore, ['--file=-', ...OF_THE_SERVER, `--schema=${schema}`, file], environment, [
    'ignore',
    'pipe',
    'pipe',
  ]);
  const writer = start(
    psql,
    ['--no-psqlrc', '--quiet', '--single-transaction', '--set=ON_ERROR_STOP=1', '--output=/dev/null', '--file=-'],
    environment,
    ['pipe', 'ignore', 'pipe'],
  );
  const [from, to] = [reader.child.stdout, writer.child.stdin];
  if (from === null || to === null) throw new Error('a program has no pipe');
  to.on('error', () => {});
  try {
    // The end of the input triggers the commit, so it is sent only after the whole dump was read.
    const carried = pipeline(from, isOlder ? withoutTransactionTimeout() : new PassThrough(), to, {
      end: false,
    });
    carried.catch(() => {});
    // If the writing program fails first, its error is the reason.
    await Promise.race([carried, writer.ended]);
    await reader.ended;
    to.end();
    await writer.ended;
  } catch (error) {
    reader.child.kill();
    writer.child.kill();
    await reasonOf(writer.ended, error);
  }
}

/** Throws the writing program's failure unless the program was killed. Otherwise throws the given error. */
async function reasonOf(writing: Promise<void>, error: unknown): Promise<never> {
  await writing.catch((failure: unknown) => {
    if (failure instanceof StartError && !/exited with a signal/.test(failure.message)) throw failure;
  });
  throw error;
}

/** Returns the first installation that can read the file, which may have been written by a newer version. */
async function readable(
  installed: readonly [ClientPrograms, ...ClientPrograms[]],
  file: string,
): Promise<{ programs: ClientPrograms; contents: string }> {
  let failure: unknown;
  for (const programs of installed) {
    try {
      return { programs, contents: await contentsOf(programs, file) };
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

const contentsOf = ({ pgRestore }: ClientPrograms, file: string): Promise<string> =>
  outputOf(pgRestore, ['--list', file], process.env);

/** Returns the schema that contains the service's tables. Throws a `StartError` if the file has none. */
function schemaIn(contents: string, file: string): string {
  const [, schema] = /^\d+; \d+ \d+ TABLE (.+) migrations /m.exec(contents) ?? [];
  if (schema === undefined) throw new StartError(`${file} contains no tables of the service.`);
  return schema;
}

async function inServer<T>(server: PostgresServer, work: (client: DatabaseClient) => Promise<T>): Promise<T> {
  const { isPlainStart } = server;
  try {
    return await connected(server, work);
  } catch (error) {
    // A pooler has rejected the session settings. Try again without them.
    if (isPlainStart === server.isPlainStart) throw error;
    return connected(server, work);
  }
}

async function connected<T>(server: PostgresServer, work: (client: DatabaseClient) => Promise<T>): Promise<T> {
  const client = new DatabaseClient({ server, connectionTimeoutMillis: server.connection.connectTimeoutMs });
  try {
    await client.connect();
  } catch (error) {
    if (error instanceof StartError) throw error;
    const refusal = refusalOf(error, server.connection);
    if (refusal !== null) throw new StartError(refusal, { cause: error });
    const verb = isThere(error) ? 'used' : 'reached';
    throw new StartError(
      `DATABASE_URL: ${addressOf(server.connection)} cannot be ${verb}: ${unreachableReason(error)}.`,
      { cause: error },
    );
  }
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function versionOf(client: DatabaseClient): Promise<number> {
  const { rows } = await client.query<{ number: number }>(
    `SELECT current_setting('server_version_num')::int AS number`,
  );
  return Math.floor((rows[0]?.number ?? 0) / VERSION_UNIT);
}

/**
 * Returns the schema that contains the service's tables. Throws a `StartError` if there are none, or if a restore would
 * use another schema.
 */
async function schemaOf(client: DatabaseClient, database: string): Promise<string> {
  const { rows } = await client.query<{ schema: string; current: string | null }>(`
    SELECT n.nspname::text AS schema, current_schema()::text AS current
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.oid = to_regclass('migrations')`);
  const [found] = rows;
  if (found === undefined)
    throw new StartError(`The database "${database}" contains no tables of the service; is DATABASE_URL correct?`);
  const { schema, current } = found;
  if (current !== schema)
    throw new StartError(
      `The tables are in the schema "${schema}", but new ones would be created in "${current}", so a dump would be ` +
        `incomplete. Set the search_path of the user, or options=-c search_path=… in the URL, to "${schema}".`,
    );
  return schema;
}

/** Returns the schema in which the service would create its tables. Extension tables are not considered. */
async function emptySchemaOf(client: DatabaseClient, database: string): Promise<{ name: string; exists: boolean }> {
  const { rows } = await client.query<{ name: string | null; wanted: string; taken: boolean }>(`
    SELECT current_schema()::text AS name, current_setting('search_path') AS wanted,
           EXISTS (SELECT FROM pg_class c
                    WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema()))
                      AND NOT EXISTS (SELECT FROM pg_depend d
                                       WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')) AS taken`);
  const [{ name, wanted, taken } = { name: null, wanted: '', taken: false }] = rows;
  if (taken) throw new StartError(`The database "${database}" is not empty; restore into a new database.`);
  if (name !== null) return { name, exists: true };
  const [first = ''] = wanted.split(',').map((each) => each.trim().replaceAll(/^"|"$/g, ''));
  return { name: first, exists: false };
}

/**
 * Throws a `StartError` behind a pooler in transaction mode. Such a pooler would reuse a session with pg_dump's
 * settings for the service, whose statements would then find no tables.
 */
async function requireOwnSession(server: PostgresServer, client: DatabaseClient): Promise<void> {
  const backend = await backendOf(client);
  if (Reflect.get(client, 'processID') === backend) return;
  for (let attempt = 0; attempt < 5; attempt++) {
    const other = await connected(server, backendOf);
    if (other !== (await backendOf(client))) continue;
    throw new StartError(
      'DATABASE_URL points to a pooler in transaction mode, where a dump would disturb the running service. Run ' +
        'this command with the DATABASE_URL of the server itself.',
    );
  }
}

async function backendOf(client: DatabaseClient): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}
