import { loadConfig } from '../../src/platform/config/config';
import { readEnvironment } from '../../src/platform/config/env';

const USAGE = 'usage: npm run backup -- save <file> | restore <file>\n';

/**
 * `npm run backup`: saves everything the service stores to a file, or restores it. Reads the same environment variables
 * as the service.
 */
async function backup([action, file, ...more]: readonly string[]): Promise<number> {
  if ((action !== 'save' && action !== 'restore') || file === undefined || more.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const config = loadConfig(readEnvironment());
  // oxlint-disable-next-line typescript/no-require-imports -- an import at the top would also be loaded for a mistake.
  const { restoreBackup, saveBackup } =
    require('../../src/platform/database/backup') as typeof import('../../src/platform/database/backup');
  if (action === 'save') await saveBackup(config, file);
  else await restoreBackup(config, file);
  process.stdout.write(action === 'save' ? `saved to ${file}\n` : `restored from ${file}\n`);
  return 0;
}

backup(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`backup failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
