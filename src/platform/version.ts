import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of the running release, from package.json. */
export const { version: VERSION } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
  version: string;
};
