import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { INITIAL_SCHEMA } from '../migrations/1795564800000-initial';

/** Returns the path of a cluster without tables. `scripts/make-template.mjs` creates it, and it isn't committed. */
export const emptyTemplate = (folder: string): string => join(folder, 'embedded-template.tar.br');

/**
 * Returns the path of a cluster after the initial migration, created by the build. Its name depends on the exact text
 * of that migration.
 */
export function schemaTemplate(folder: string): string {
  const key = createHash('sha256').update(INITIAL_SCHEMA).digest('hex').slice(0, 16);
  return join(folder, `embedded-template-${key}.tar.br`);
}

/**
 * Returns the template of a new cluster. When running from sources it is the empty one, and the first start creates the
 * schema.
 */
export const clusterTemplate = (folder: string): string =>
  existsSync(schemaTemplate(folder)) ? schemaTemplate(folder) : emptyTemplate(folder);
