import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What 0.1.0 leaves in a database, as statements for an empty one: where the promise of upgrades begins. */
export const FIRST_RELEASE = readFileSync(join(__dirname, '../../fixtures/0.1.0.sql'), 'utf8');
