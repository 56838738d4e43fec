import { databaseCommand } from './database/database-command';
import { KEYS_USAGE, keysRequest } from './keys-request';
import { inOptions } from './keys-text';

/** `npm run keys`: see `databaseCommand`. */
export const runKeys = databaseCommand({
  usage: KEYS_USAGE,
  requestOf: keysRequest,
  inOptions,
  actionOf: (request) => {
    // oxlint-disable-next-line typescript/no-require-imports -- an import at the top would also be loaded for a usage error.
    const { keysAction } = require('./keys-actions') as typeof import('./keys-actions');
    return keysAction(request);
  },
});
