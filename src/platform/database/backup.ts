import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import type { Config } from '../config/config';
import { DirectoryLock } from './embedded/directory-lock';
import { StartError } from '../config/start-error';

export type BackupTarget = Pick<Config, 'databaseUrl' | 'dataDir'>;

/** Marks a directory that holds a whole database. */
const MARK = 'pgdata.ready';
/** Belongs to the process that runs, not to the data. */
const LOCK = 'database.lock';

/**
 * Writes everything that the service stores into one new file, readable by its owner only. PostgreSQL: a dump in pg_dump's
 * own format, taken while the service runs. Embedded: an archive of the directory, for which the service must be
 * stopped. Throws a `StartError` when the file exists or the directory is in use; never leaves a partial file.
 */
export async function saveBackup(target: BackupTarget, file: string): Promise<void> {
  if (existsSync(file)) throw new StartError(`${file} exists already; a backup never overwrites one.`);
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  closeSync(openSync(partial, 'wx', 0o600));
  try {
    if (isServer(target)) await run('pg_dump', ['--format=custom', '--no-owner', `--file=${partial}`], target);
    else await archive(resolve(target.dataDir), resolve(partial));
    chmodSync(partial, 0o600);
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
}

/**
 * Restores a backup into an empty database, or into a data directory that does not exist or is empty: nothing is ever
 * overwritten. Throws a `StartError` otherwise. The service must be stopped.
 */
export async function restoreBackup(target: BackupTarget, file: string): Promise<void> {
  if (!existsSync(file)) throw new StartError(`${file} does not exist.`);
  if (isServer(target)) {
    await requireEmptyDatabase(target.databaseUrl);
    await run(
      'pg_restore',
      ['--single-transaction', '--exit-on-error', '--no-owner', `--dbname=${databaseOf(target)}`, file],
      target,
    );
  } else await unpack(resolve(target.dataDir), resolve(file));
}

type ServerTarget = { databaseUrl: string };

const isServer = (target: BackupTarget): target is BackupTarget & ServerTarget => {
  if (target.databaseUrl === 'embedded:memory') throw new StartError('embedded:memory keeps nothing to back up.');
  return target.databaseUrl !== null;
};

async function archive(directory: string, file: string): Promise<void> {
  if (!existsSync(join(directory, MARK))) throw new StartError(`${directory} holds no database; is DATA_DIR right?`);
  const lock = await DirectoryLock.acquire(directory);
  try {
    await run('tar', ['--create', '--gzip', `--file=${file}`, `--exclude=./${LOCK}*`, `--directory=${directory}`, '.']);
  } finally {
    lock.release();
  }
}

async function unpack(directory: string, file: string): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (readdirSync(directory).length > 0)
    throw new StartError(`${directory} is not empty; move it away or set DATA_DIR to another directory.`);
  try {
    await run('tar', ['--extract', '--gzip', `--file=${file}`, `--directory=${directory}`]);
  } catch (error) {
    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true });
    throw error;
  }
  chmodSync(directory, 0o700);
}

async function requireEmptyDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' LIMIT 1`,
    );
    if (rows.length > 0)
      throw new StartError(`The database ${databaseOf({ databaseUrl: url })} is not empty; restore into a new one.`);
  } finally {
    await client.end();
  }
}

const databaseOf = ({ databaseUrl }: ServerTarget): string =>
  decodeURIComponent(new URL(databaseUrl).pathname.slice(1)) || 'postgres';

/** Settings of the client programs: in the environment, because every user of the machine can read arguments. */
function connection(target: ServerTarget): Record<string, string> {
  const { hostname, port, username, password, searchParams } = new URL(target.databaseUrl);
  const given = {
    PGHOST: searchParams.get('host') ?? hostname.replace(/^\[|\]$/g, ''),
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: databaseOf(target),
    PGSSLMODE: searchParams.get('sslmode') ?? '',
    PGSSLROOTCERT: searchParams.get('sslrootcert') ?? '',
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

/** Resolves when the program has ended; throws with its error output when it failed. */
async function run(program: string, args: readonly string[], target?: ServerTarget): Promise<void> {
  const env = { ...process.env, ...(target ? connection(target) : {}) };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [code, errors] = await outcome(program, child);
  if (code !== 0) throw new StartError(`${program} ended with ${code}: ${errors.trim()}`);
}

async function outcome(program: string, child: ChildProcess): Promise<[number | null, string]> {
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors = `${errors}${chunk.toString()}`.slice(-2000)));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return [code, errors];
  } catch (error) {
    throw new StartError(`${program} cannot be run; is it installed?`, { cause: error });
  }
}
