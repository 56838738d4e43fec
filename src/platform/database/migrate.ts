import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { DataSource, MigrationExecutor } from 'typeorm';
import { type ConnectionTarget, dataSourceOptions } from './data-source-options';
import { StartError } from './start-error';

/** Any number that nothing else on the server uses. */
const LOCK_KEY = 7_301_544_021;
const POLL_MS = 250;
const OLDEST_SERVER = 150_000;

const logger = new Logger('Database');

/**
 * Brings the schema up to date. All pending migrations are one transaction, which holds a transaction-level advisory
 * lock: of several instances that start at once one migrates and the others wait. The embedded database gives that lock
 * to everybody, but there the directory lock has already left a single process.
 */
export async function migrate(target: ConnectionTarget): Promise<void> {
  const options = dataSourceOptions(target, { size: 1, name: 'uptime-monitor migrations', queryTimeoutMs: 0 });
  const source = await new DataSource(options).initialize();
  try {
    await requireSupportedServer(source);
    for (let attempt = 0; !(await migrateUnlessLocked(source)); attempt++) {
      if (attempt === 0) logger.log('Another instance is migrating the database; waiting for it.');
      await delay(POLL_MS);
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

async function migrateUnlessLocked(source: DataSource): Promise<boolean> {
  const runner = source.createQueryRunner();
  await runner.startTransaction();
  try {
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
    return row?.locked === true;
  } catch (error) {
    await runner.rollbackTransaction().catch(() => {});
    throw error;
  } finally {
    await runner.release();
  }
}
