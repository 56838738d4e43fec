import { existsSync, readFileSync } from 'node:fs';
import { ConfigError } from './env';

const FILE = '.env';

/** The variables of the process, with those of `.env` in the working directory; what the process has already wins over the file. */
export function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync(FILE)) {
    try {
      // For its errors, which say what is wrong.
      readFileSync(FILE);
      process.loadEnvFile(FILE);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new ConfigError([`${FILE} cannot be read (${why}). Make it a file that this user may read, or remove it.`]);
    }
  }
  return process.env;
}
