import { DataSource, MigrationExecutor } from 'typeorm';
import { StartError } from '../config/start-error';
import { type ConnectionTarget, dataSourceOptions } from './data-source-options';
import { underLock } from './migrate';
import { RELEASES } from './migrations/releases';
import { isUnavailable } from './postgres-errors';

/** Counts connections that have the names of the service's pools. Cost: one read of the session list. */
const SERVICES = `
  SELECT count(*)::int AS count FROM pg_stat_activity
   WHERE datname = current_database() AND application_name IN ('uptime-monitor api', 'uptime-monitor worker')`;

/**
 * Reverts the schema to an earlier release in one transaction. Data that only later releases can store is lost. Returns
 * the reverted migrations, newest first. Throws a `StartError` if the release is unknown or the service is running.
 */
export async function downgrade(target: ConnectionTarget, release: string): Promise<string[]> {
  const last = RELEASES[release];
  if (last === undefined)
    throw new StartError(
      `${release} is not an earlier release. The earlier releases are: ${Object.keys(RELEASES).join(', ')}.`,
    );
  const options = dataSourceOptions(target, { size: 1, name: 'uptime-monitor migrations', queryTimeoutMs: 0 });
  const source = await opened(new DataSource({ ...options, logger: 'debug' }));
  try {
    const [running] = (await source.query(SERVICES)) as { count: number }[];
    if ((running?.count ?? 0) > 0)
      throw new StartError('The service is connected to this database. Stop all of its instances first.');
    const undone: string[] = [];
    await underLock(source, async (runner) => {
      undone.splice(0);
      const executor = new MigrationExecutor(source, runner);
      executor.transaction = 'none';
      const names = ((await runner.query('SELECT name FROM migrations ORDER BY timestamp')) as { name: string }[]).map(
        ({ name }) => name,
      );
      if (!names.includes(last)) throw new StartError(`The database does not belong to ${release} or a later release.`);
      for (const name of names.slice(names.indexOf(last) + 1).reverse()) {
        await executor.undoLastMigration();
        undone.push(name);
      }
    });
    return undone;
  } finally {
    await source.destroy();
  }
}

async function opened(source: DataSource): Promise<DataSource> {
  try {
    return await source.initialize();
  } catch (error) {
    if (!isUnavailable(error) || error instanceof StartError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`The database cannot be reached: ${why}.`, { cause: error });
  }
}
