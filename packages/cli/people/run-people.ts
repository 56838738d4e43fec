import { databaseCommand } from '../database/database-command';
import { PEOPLE_USAGE, peopleRequest } from './people-request';
import { inPeopleOptions } from './people-text';

/** `uptime members`, also `uptime people`: see `databaseCommand`. */
export const runPeople = databaseCommand({
  usage: PEOPLE_USAGE,
  requestOf: peopleRequest,
  inOptions: inPeopleOptions,
  actionOf: (request) => {
    // oxlint-disable-next-line typescript/no-require-imports -- an import at the top would also be loaded for a usage error.
    const { peopleAction } = require('./people-actions') as typeof import('./people-actions');
    return peopleAction(request);
  },
});
