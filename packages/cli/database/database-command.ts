import { loadConfig } from '../../../src/platform/config/config';
import { type CommandResult, resultOf } from './command-result';
import type { IdentityServices } from './identity-services';
import { inDatabase } from './in-database';

type Environment = Readonly<Record<string, string | undefined>>;

/** A command that works on the database itself. */
interface DatabaseCommand<Request> {
  usage: string;
  /** What the arguments ask for; `null`: its usage. */
  requestOf: (args: string[]) => Request | null;
  /** Words of the API as the options are called. */
  inOptions: (text: string) => string;
  /** Loaded at its first use: a usage error needs none of it. */
  actionOf: (request: Request) => (services: IdentityServices) => Promise<CommandResult>;
}

/**
 * Runs the command with its arguments. Throws only for a bug. `act`: does what was asked for; in the database that the settings
 * name, if nothing else is given.
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
