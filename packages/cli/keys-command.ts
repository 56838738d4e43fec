import { loadConfig } from '../../src/platform/config/config';
import { type CommandResult, resultOf } from './database/command-result';
import { inDatabase } from './database/in-database';
import { KEYS_USAGE, type KeysRequest, keysRequest } from './keys-request';
import { inOptions } from './keys-text';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs the command with its arguments. Throws only for a bug. `act`: does what was asked for; in the database that the settings
 * name, if nothing else is given.
 */
export const runKeys = (
  args: string[],
  environment: () => Environment,
  act: (request: KeysRequest) => Promise<CommandResult> = (request) => actInDatabase(request, environment()),
): Promise<CommandResult> =>
  resultOf(async () => {
    const request = keysRequest(args);
    return request === null ? { exitCode: 0, output: KEYS_USAGE } : act(request);
  }, inOptions);

const actInDatabase = (request: KeysRequest, environment: Environment): Promise<CommandResult> =>
  inDatabase(loadConfig(environment), () => {
    // oxlint-disable-next-line typescript/no-require-imports -- an import at the top would be loaded for a usage error, too.
    const { keysAction } = require('./keys-actions') as typeof import('./keys-actions');
    return keysAction(request);
  });
