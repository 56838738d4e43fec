import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../src/platform/config/config';
import { StartError } from '../../../src/platform/config/start-error';
import type { IdentityServices } from './identity-services';

/**
 * Does something in the database that the settings name, with the service's own modules and in the command's name. `prepare` judges
 * what was asked for before a database is opened. Each step loads what it needs and no more.
 */
export function inDatabase<T>(config: Config, prepare: () => (services: IdentityServices) => Promise<T>): Promise<T> {
  requireDatabase(config);
  const work = prepare();
  // oxlint-disable-next-line typescript/no-require-imports -- an import at the top would be loaded for a usage error, too.
  const { withServices } = require('./identity-services') as typeof import('./identity-services');
  return withServices(config, work);
}

/** A mistyped directory must not become a new, empty database. */
export function requireDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== null && databaseUrl.startsWith('embedded:'))
    throw new StartError('DATABASE_URL: only the running service can use a database in memory.');
  if (databaseUrl === null && !existsSync(join(dataDir, 'pgdata')))
    throw new StartError(
      `DATA_DIR: ${dataDir} contains no database. Set DATA_DIR or DATABASE_URL to the same value as for the service.`,
    );
}
