import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The database from version 0.1.0, as statements for an empty database. All upgrades from that version must work. */
export const FIRST_RELEASE = readFileSync(join(__dirname, '../../fixtures/0.1.0.sql'), 'utf8');
