import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { INITIAL_SCHEMA } from '../migrations/1795564800000-initial';

/** Returns the path of a cluster without tables. `scripts/make-template.mjs` creates it; it isn't committed. */
export const emptyTemplate = (folder: string): string => join(folder, 'embedded-template.tar.br');

/** A cluster after the initial migration, which the build makes: of this very text of it, and of no other. */
export function schemaTemplate(folder: string): string {
  const key = createHash('sha256').update(INITIAL_SCHEMA).digest('hex').slice(0, 16);
  return join(folder, `embedded-template-${key}.tar.br`);
}

/** What a new cluster begins as. From sources it is the empty one, and the first start makes the schema. */
export const clusterTemplate = (folder: string): string =>
  existsSync(schemaTemplate(folder)) ? schemaTemplate(folder) : emptyTemplate(folder);
