import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { INITIAL_SCHEMA } from '../migrations/1795564800000-initial';

/** Returns the path to a cluster without tables. `scripts/make-template.mjs` creates it, and it isn't committed. */
export const emptyTemplate = (folder: string): string => join(folder, 'embedded-template.tar.br');

/**
 * Returns the path to a cluster to which the initial migration was applied. The build creates it. Its name depends on
 * the exact text of that migration.
 */
export function schemaTemplate(folder: string): string {
  const key = createHash('sha256').update(INITIAL_SCHEMA).digest('hex').slice(0, 16);
  return join(folder, `embedded-template-${key}.tar.br`);
}

/**
 * Returns the template for a new cluster. When running from source, this is the empty template, and the first start
 * creates the schema.
 */
export const clusterTemplate = (folder: string): string =>
  existsSync(schemaTemplate(folder)) ? schemaTemplate(folder) : emptyTemplate(folder);
