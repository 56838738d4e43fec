import { loadConfig } from '../../src/platform/config/config';
import { readEnvironment } from '../../src/platform/config/env';

const USAGE =
  'usage: npm run downgrade -- <release>, such as 0.1.0. Reverts the migrations that this version has and that release does not have.\n';

/**
 * `npm run downgrade`: migrates a database back to an earlier release. Reads the same environment variables as the
 * service, which must be stopped.
 */
async function downgradeTo([release, ...more]: readonly string[]): Promise<number> {
  if (release === undefined || release.startsWith('-') || more.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const config = loadConfig(readEnvironment());
  /* oxlint-disable typescript/no-require-imports -- imports at the top would also be loaded for a mistake. */
  const { requireDatabase } = require('./database/in-database') as typeof import('./database/in-database');
  const { DatabaseServer } =
    require('../../src/platform/database/database-server') as typeof import('../../src/platform/database/database-server');
  const { downgrade } =
    require('../../src/platform/database/downgrade') as typeof import('../../src/platform/database/downgrade');
  /* oxlint-enable typescript/no-require-imports */
  requireDatabase(config);
  const server = await DatabaseServer.open(config);
  try {
    const undone = await downgrade(server.target, release);
    for (const name of undone) process.stdout.write(`reverted: ${name}\n`);
    process.stdout.write(`The database now works with ${release}. Start that version.\n`);
    return 0;
  } finally {
    await server.close();
  }
}

downgradeTo(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`downgrade failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
