import { loadConfig } from '../../../src/platform/config/config';
import { type CommandResult, resultOf } from './command-result';
import type { IdentityServices } from './identity-services';
import { inDatabase } from './in-database';

type Environment = Readonly<Record<string, string | undefined>>;

interface DatabaseCommand<Request> {
  usage: string;
  /** Parses the arguments. Returns `null` if the user asked for help. */
  requestOf: (args: string[]) => Request | null;
  /** Replaces API field names with option names. */
  inOptions: (text: string) => string;
  /** Loads the code for the action. It isn't loaded for usage errors. */
  actionOf: (request: Request) => (services: IdentityServices) => Promise<CommandResult>;
}

/**
 * Runs the command with its arguments. `act` does the work, by default on the database from the settings. Throws only
 * if there is a bug.
 */
export const databaseCommand =
  <Request>({ usage, requestOf, inOptions, actionOf }: DatabaseCommand<Request>) =>
  (
    args: string[],
    environment: () => Environment,
    act: (request: Request) => Promise<CommandResult> = (request) =>
      inDatabase(loadConfig(environment()), () => actionOf(request)),
  ): Promise<CommandResult> =>
    resultOf(async () => {
      const request = requestOf(args);
      return request === null ? { exitCode: 0, output: usage } : act(request);
    }, inOptions);
