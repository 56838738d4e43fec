import { loadConfig } from '../../src/platform/config/config';
import { readEnvironment } from '../../src/platform/config/env';

/**
 * `npm run secrets:rotate`: re-encrypts every stored secret with the first key in `SECRETS_KEYS`. Reads the same
 * environment variables as the service. On PostgreSQL, the service may keep running if it was started with the new key
 * first in the list. Exits with code 1 if a value couldn't be decrypted. The remaining values are still rotated.
 */
async function rotateSecrets(): Promise<0 | 1> {
  const config = loadConfig(readEnvironment());
  if (config.secretsKeys.length === 0) throw new Error('SECRETS_KEYS is not set, so there is no key to encrypt with');
  // oxlint-disable-next-line typescript/no-require-imports -- an import at the top would also be loaded for a mistake.
  const { rotateIn } = require('./secret-rotation') as typeof import('./secret-rotation');
  return rotateIn(config);
}

rotateSecrets().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`secrets:rotate failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
