import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../src/platform/config/config';
import { StartError } from '../../src/platform/config/start-error';
import { Problem } from '../../src/platform/problem/problem';
import { KEYS_USAGE, type KeysRequest, keysRequest, type KeysResult } from './keys-request';
import { inOptions } from './keys-text';
import { UsageError } from './usage-error';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs the command with its arguments. Throws only for a bug. `act`: does what was asked for; in the database that the settings
 * name, if nothing else is given.
 */
export async function runKeys(
  args: string[],
  environment: () => Environment,
  act: (request: KeysRequest) => Promise<KeysResult> = (request) => actInDatabase(request, loadConfig(environment())),
): Promise<KeysResult> {
  try {
    const request = keysRequest(args);
    return request === null ? { exitCode: 0, output: KEYS_USAGE } : await act(request);
  } catch (error) {
    if (error instanceof UsageError) return { exitCode: 2, remark: error.message };
    if (error instanceof Problem) return { exitCode: 1, remark: inOptions(error.errors[0]?.message ?? error.detail) };
    if (error instanceof Error && ('code' in error || error.constructor.name === 'ConfigError'))
      return { exitCode: 1, remark: error.message };
    throw error;
  }
}

/** Each step loads what it needs and no more: the API's rules for a new key, and only then the service's modules. */
function actInDatabase(request: KeysRequest, config: Config): Promise<KeysResult> {
  requireDatabase(config);
  // oxlint-disable-next-line typescript/no-require-imports -- an import at the top would be loaded for a usage error, too.
  const { keysAction } = require('./keys-actions') as typeof import('./keys-actions');
  const work = keysAction(request);
  // oxlint-disable-next-line typescript/no-require-imports -- the same.
  const { withServices } = require('./keys-services') as typeof import('./keys-services');
  return withServices(config, work);
}

/** A mistyped directory must not become a new, empty database. */
function requireDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== null && databaseUrl.startsWith('embedded:'))
    throw new StartError('DATABASE_URL: a database in memory belongs to the running service alone.');
  if (databaseUrl === null && !existsSync(join(dataDir, 'pgdata')))
    throw new StartError(`DATA_DIR: ${dataDir} holds no database. Set DATA_DIR, or DATABASE_URL, as for the service.`);
}
