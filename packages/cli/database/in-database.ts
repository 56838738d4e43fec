import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../src/platform/config/config';
import { StartError } from '../../../src/platform/config/start-error';
import type { IdentityServices } from './identity-services';

/**
 * Works on the database from the settings, using the service's own modules. The audit log shows the command as the
 * author. `prepare` validates the request before a database is opened. Each step loads only the code it needs.
 */
export function inDatabase<T>(config: Config, prepare: () => (services: IdentityServices) => Promise<T>): Promise<T> {
  requireDatabase(config);
  const work = prepare();
  // oxlint-disable-next-line typescript/no-require-imports -- an import at the top would also be loaded for a usage error.
  const { withServices } = require('./identity-services') as typeof import('./identity-services');
  return withServices(config, work);
}

/** Prevents a mistyped directory from becoming a new, empty database. */
export function requireDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== null && databaseUrl.startsWith('embedded:'))
    throw new StartError('DATABASE_URL: only the running service can use a database in memory.');
  if (databaseUrl === null && !existsSync(join(dataDir, 'pgdata')))
    throw new StartError(
      `DATA_DIR: ${dataDir} contains no database. Set DATA_DIR or DATABASE_URL to the same value as for the service.`,
    );
}
