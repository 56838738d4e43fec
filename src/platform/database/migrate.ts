import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { DataSource, MigrationExecutor } from 'typeorm';
import { type ConnectionTarget, dataSourceOptions } from './data-source-options';
import { setLimits } from './database';
import { isRetryable } from './postgres-errors';
import { StartError } from './start-error';

/** Any number that nothing else on the server uses. */
const LOCK_KEY = 7_301_544_021;
const POLL_MS = 250;
/**
 * What waits for a table behind a waiting migration waits no longer than this for each table that it needs; and it is shorter than PostgreSQL's
 * `deadlock_timeout` (1 s), so that in a circle the migration gives way and not what an instance at work records.
 */
const LOCK_WAIT_MS = 500;
/** Between two tries the instances at work catch up. */
const AGAIN_MS = 2000;
const OLDEST_SERVER = 150_000;

/** What may be in the way. */
const OBSTACLES = {
  instance: { notice: 'Another instance is migrating the database; waiting for it.', pauseMs: POLL_MS },
  table: {
    notice: 'Another session keeps a table that is to be migrated (pg_locks shows which); trying until it is free.',
    pauseMs: AGAIN_MS,
  },
} as const;
type Obstacle = keyof typeof OBSTACLES;

const logger = new Logger('Database');

/**
 * Brings the schema up to date. All pending migrations are one transaction, which holds a transaction-level advisory
 * lock: of several instances that start at once one migrates and the others wait. The embedded database gives that lock
 * to everybody, but there the directory lock has already left a single process. While others keep a table that is to be
 * changed (a backup, a long query, what an older version records), it is undone and tried again until they are done.
 */
export async function migrate(target: ConnectionTarget): Promise<void> {
  const options = dataSourceOptions(target, { size: 1, name: 'uptime-monitor migrations', queryTimeoutMs: 0 });
  // TypeORM's own logger prints a failure that is tried again below; what is not is thrown.
  const source = await new DataSource({ ...options, logger: 'debug' }).initialize();
  try {
    await requireSupportedServer(source);
    let waitsFor: Obstacle | null = null;
    for (let obstacle = await tryToMigrate(source); obstacle !== null; obstacle = await tryToMigrate(source)) {
      if (obstacle !== waitsFor) logger.log(OBSTACLES[obstacle].notice);
      waitsFor = obstacle;
      await delay(OBSTACLES[obstacle].pauseMs);
    }
  } finally {
    await source.destroy();
  }
}

async function requireSupportedServer(source: DataSource): Promise<void> {
  const rows: { version: string; number: number }[] = await source.query(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number`,
  );
  for (const { version, number } of rows)
    if (number < OLDEST_SERVER) throw new StartError(`PostgreSQL ${version} is too old; 15 or later is needed.`);
}

/** Answers what was in the way, or `null` when the schema is up to date. */
async function tryToMigrate(source: DataSource): Promise<Obstacle | null> {
  const runner = source.createQueryRunner();
  await runner.startTransaction();
  try {
    await setLimits(runner.manager, { lockMs: LOCK_WAIT_MS });
    const [row]: { locked: boolean }[] = await runner.query(`SELECT pg_try_advisory_xact_lock($1) AS locked`, [
      LOCK_KEY,
    ]);
    if (row?.locked === true) {
      const executor = new MigrationExecutor(source, runner);
      executor.transaction = 'none';
      const done = await executor.executePendingMigrations();
      for (const { name } of done) logger.log(`Migrated: ${name}`);
    }
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
