import type { MigrationInterface } from 'typeorm';
import { Initial1795564800000 } from './1795564800000-initial';

/** Every migration, oldest first. Add a new one here by hand: nothing depends on file name patterns. */
export const migrations: (new () => MigrationInterface)[] = [
  Initial1795564800000,
  // A released one is never changed: the next one is added here.
];
