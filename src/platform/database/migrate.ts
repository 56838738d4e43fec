import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { type ConnectionTarget, dataSourceOptions } from './data-source-options';
import { setLimits } from './database';
import { Initial1795564800000 } from './migrations/1795564800000-initial';
import { HistoryBegins1795564800001 } from './migrations/1795564800001-history-begins';
import { type ExtensionMigration, reportLeftBehind, runOnce } from './extension-migrations';
import { isRetryable } from './postgres-errors';
import { requireUsableServer } from './usable-server';
import { StartError } from '../config/start-error';

/** A lock number that nothing else on the server uses. */
const LOCK_KEY = 7_301_544_021;
const POLL_MS = 250;
/**
 * How long a migration waits for each table, because other statements queue up behind it. Shorter than PostgreSQL's
 * `deadlock_timeout` (1 s), so that the migration gives way in a deadlock, instead of a running instance's transaction.
 */
const LOCK_WAIT_MS = 500;
/** The pause between two attempts, during which running instances catch up. */
const RETRY_MS = 2000;

/** A migration has no time limit. PostgreSQL has had this limit since version 17. */
const WITHOUT_TRANSACTION_LIMIT = `
  SELECT set_config(name, '0', true) FROM pg_settings WHERE name = 'transaction_timeout'`;

/**
 * The migrations that only an empty database needs. A database that was created from the template already has the
 * initial schema.
 */
const FIRST: ReadonlySet<string> = new Set([Initial1795564800000.name, HistoryBegins1795564800001.name]);

const BEFORE_FIRST_RELEASE =
  'The database was created by a version before 0.1.0, which cannot be updated. Export the configuration with the version that created it (GET /api/v1/configuration), start this version with an empty database, and apply the configuration there.';

/** The obstacles that a migration may have to wait for. */
const OBSTACLES = {
  instance: { log: 'Another instance is migrating the database; waiting for it.', pauseMs: POLL_MS },
  table: {
    log: 'Another session has locked a table that has to be migrated (pg_locks shows which); retrying until it is free.',
    pauseMs: RETRY_MS,
  },
} as const;
type Obstacle = keyof typeof OBSTACLES;

const logger = new Logger('Database');

/**
 * Migrates the schema to this version. All pending migrations run in one transaction, which holds a transaction-level
 * advisory lock. If several instances start at the same time, one migrates and the others wait. The embedded database
 * grants that lock to every connection, but its directory lock admits only one process.
 *
 * If another session holds a lock on a table that must change (a backup, a long query, an older version that records
 * results), all changes are rolled back and retried. The extensions' migrations run afterwards under the same lock,
 * each in its own transaction, so that a failed migration doesn't revert any other.
 */
export async function migrate(target: ConnectionTarget, extensions: readonly ExtensionMigration[] = []): Promise<void> {
  const options = dataSourceOptions(target, { size: 1, name: 'uptime-monitor migrations', queryTimeoutMs: 0 });
  // TypeORM's logger would print failures that are retried below. All other failures are thrown.
  const source = await new DataSource({ ...options, logger: 'debug' }).initialize();
  try {
    await requireUsableServer(source, target);
    await underLock(source, (runner) => runOwn(source, runner));
    for (const migration of extensions) await underLock(source, (runner) => runOnce(runner, migration));
    await underLock(source, (runner) => reportLeftBehind(runner, extensions));
  } finally {
    await source.destroy();
  }
}

/**
 * Throws for a database from before 0.1.0. Such a database was created by migrations that no longer exist, so tables
 * may be missing or have a different structure. Every later database has the initial migration.
 */
async function requireInitial(runner: QueryRunner): Promise<void> {
  if (!(await runner.hasTable('migrations'))) return;
  const [row]: { foreign: boolean }[] = await runner.query(
    'SELECT count(*) > 0 AND NOT coalesce(bool_or(name = $1), false) AS foreign FROM migrations',
    [Initial1795564800000.name],
  );
  if (row?.foreign === true) throw new StartError(BEFORE_FIRST_RELEASE);
}

async function runOwn(source: DataSource, runner: QueryRunner): Promise<void> {
  await requireInitial(runner);
  const executor = new MigrationExecutor(source, runner);
  executor.transaction = 'none';
  const done = await executor.executePendingMigrations();
  const isNew = done.some(({ name }) => FIRST.has(name));
  if (isNew) logger.log(`Migrated: ${done.at(-1)?.name ?? ''} and all earlier migrations, in a new database`);
  else for (const { name } of done) logger.log(`Migrated: ${name}`);
}

type Work = (runner: QueryRunner) => Promise<void>;

/** Runs the work once in a transaction that holds the lock, however long it has to wait. */
export async function underLock(source: DataSource, work: Work): Promise<void> {
  let waitsFor: Obstacle | null = null;
  for (let obstacle = await attempt(source, work); obstacle !== null; obstacle = await attempt(source, work)) {
    if (obstacle !== waitsFor) logger.log(OBSTACLES[obstacle].log);
    waitsFor = obstacle;
    await delay(OBSTACLES[obstacle].pauseMs);
  }
}

/** Returns the obstacle, or `null` once the work is done. */
async function attempt(source: DataSource, work: Work): Promise<Obstacle | null> {
  const runner = source.createQueryRunner();
  await runner.startTransaction();
  try {
    await setLimits(runner.manager, { lockMs: LOCK_WAIT_MS, statementMs: 0 });
    await runner.query(WITHOUT_TRANSACTION_LIMIT);
    const [row]: { locked: boolean }[] = await runner.query(`SELECT pg_try_advisory_xact_lock($1) AS locked`, [
      LOCK_KEY,
    ]);
    if (row?.locked === true) await work(runner);
    await runner.commitTransaction();
    return row?.locked === true ? null : 'instance';
  } catch (error) {
    await runner.rollbackTransaction().catch(() => {});
    if (isRetryable(error)) return 'table';
    throw error;
  } finally {
    await runner.release();
  }
}
