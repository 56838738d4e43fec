import { chmodSync, closeSync, existsSync, lchownSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config/config';
import { type Owner, ownerFor } from './embedded/data-owner';
import { DirectoryLock } from './embedded/directory-lock';
import { requireFinishedRestore, UNFINISHED_RESTORE } from './embedded/unfinished-restore';
import { StartError } from '../config/start-error';
import { run } from './dump/run-program';
import { restoreServer, saveServer } from './dump/server-dump';
import { makeDirectory, syncDirectory, syncFile, syncTree, writeWhole } from '../files/durable-files.cjs';

export type BackupTarget = Pick<Config, 'databaseUrl' | 'dataDir'>;

/** A file that marks a directory with a complete database. */
const MARK = 'pgdata.ready';
/** The lock belongs to the running process and isn't part of the data. */
const LOCK = 'database.lock';

/**
 * Writes all data that the service stores into a new file that only its owner can read. For PostgreSQL, the file is a
 * dump in pg_dump's custom format, taken while the service runs. For the embedded database, it is an archive of the
 * directory, and the service must be stopped. Throws a `StartError` if the file exists or the directory is in use.
 * Never leaves a partial file. Once written, the backup survives a power failure.
 */
export async function saveBackup(target: BackupTarget, file: string): Promise<void> {
  if (existsSync(file)) throw new StartError(`${file} already exists; a backup never overwrites a file.`);
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  closeSync(openSync(partial, 'wx', 0o600));
  try {
    if (isServer(target)) await saveServer(target.databaseUrl, partial);
    else await archive(resolve(target.dataDir), resolve(partial));
    chmodSync(partial, 0o600);
    syncFile(partial);
    renameSync(partial, file);
    syncDirectory(dirname(resolve(file)));
  } finally {
    rmSync(partial, { force: true });
  }
}

/**
 * Restores a backup into a database with an empty schema, or into a data directory that is empty or doesn't exist.
 * Throws a `StartError` otherwise, and never overwrites anything. The service must be stopped. An interrupted restore
 * into a directory can be repeated. Until then, the service doesn't start with that directory.
 */
export async function restoreBackup(target: BackupTarget, file: string): Promise<void> {
  if (!existsSync(file)) throw new StartError(`${file} does not exist.`);
  if (isServer(target)) await restoreServer(target.databaseUrl, resolve(file));
  else await unpack(resolve(target.dataDir), resolve(file));
}

type ServerTarget = { databaseUrl: string };

const isServer = (target: BackupTarget): target is BackupTarget & ServerTarget => {
  if (target.databaseUrl === 'embedded:memory') throw new StartError('embedded:memory has nothing to back up.');
  return target.databaseUrl !== null;
};

async function archive(directory: string, file: string): Promise<void> {
  requireFinishedRestore(directory);
  if (!existsSync(join(directory, MARK)))
    throw new StartError(`${directory} contains no database; is DATA_DIR correct?`);
  const lock = await DirectoryLock.acquire(directory);
  try {
    await run('tar', ['--create', '--gzip', `--file=${file}`, `--exclude=./${LOCK}*`, `--directory=${directory}`, '.']);
  } finally {
    lock.release();
  }
}

async function unpack(directory: string, file: string): Promise<void> {
  const unfinished = join(directory, UNFINISHED_RESTORE);
  makeDirectory(directory, 0o700);
  if (!existsSync(unfinished) && readdirSync(directory).length > 0)
    throw new StartError(`${directory} is not empty; move it away, or set DATA_DIR to another directory.`);
  writeWhole(unfinished, 'A backup is being restored into this directory.\n');
  removeAllBut(UNFINISHED_RESTORE, directory);
  // The archive contains user IDs from the host on which it was created. They may differ from the service's user ID
  // here.
  const owner = ownerFor(directory);
  try {
    await run('tar', ['--extract', '--gzip', `--file=${file}`, `--directory=${directory}`]);
    if (owner !== null) giveAllTo(owner, directory);
    await syncTree(directory);
  } catch (error) {
    removeAllBut(UNFINISHED_RESTORE, directory);
    throw error;
  } finally {
    rmSync(unfinished);
    syncDirectory(directory);
  }
  chmodSync(directory, 0o700);
}

function removeAllBut(kept: string, directory: string): void {
  for (const name of readdirSync(directory).filter((found) => found !== kept))
    rmSync(join(directory, name), { recursive: true, force: true });
}

function giveAllTo({ uid, gid }: Owner, directory: string): void {
  lchownSync(directory, uid, gid);
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(directory, name), uid, gid);
}
