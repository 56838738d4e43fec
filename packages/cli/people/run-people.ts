import { loadConfig } from '../../../src/platform/config/config';
import { type CommandResult, resultOf } from '../database/command-result';
import { inDatabase } from '../database/in-database';
import { PEOPLE_USAGE, peopleRequest, type PeopleRequest } from './people-request';
import { inPeopleOptions } from './people-text';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs the command with its arguments. Throws only for a bug. `act`: does what was asked for; in the database that the settings
 * name, if nothing else is given.
 */
export const runPeople = (
  args: string[],
  environment: () => Environment,
  act: (request: PeopleRequest) => Promise<CommandResult> = (request) => actInDatabase(request, environment()),
): Promise<CommandResult> =>
  resultOf(async () => {
    const request = peopleRequest(args);
    return request === null ? { exitCode: 0, output: PEOPLE_USAGE } : act(request);
  }, inPeopleOptions);

const actInDatabase = (request: PeopleRequest, environment: Environment): Promise<CommandResult> =>
  inDatabase(loadConfig(environment), () => {
    // oxlint-disable-next-line typescript/no-require-imports -- an import at the top would be loaded for a usage error, too.
    const { peopleAction } = require('./people-actions') as typeof import('./people-actions');
    return peopleAction(request);
  });
