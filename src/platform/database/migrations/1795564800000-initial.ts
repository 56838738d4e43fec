import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ALERT_TABLES } from './initial/alert-tables';
import { ENDPOINT_TABLES } from './initial/endpoint-tables';
import { HISTORY_TABLES } from './initial/history-tables';
import { ORGANIZATION_TABLES } from './initial/organization-tables';
import { TRIGGERS } from './initial/triggers';
import { VIEWS } from './initial/views';

/** In the order in which they need each other. */
const SCHEMA = [ORGANIZATION_TABLES, ENDPOINT_TABLES, HISTORY_TABLES, ALERT_TABLES, VIEWS, TRIGGERS];

/** The whole text: what it makes is the same whenever it runs. */
export const INITIAL_SCHEMA = SCHEMA.join('\n');

/** The names of everything of a kind, newest first. */
const made = (kind: 'TABLE' | 'VIEW' | 'FUNCTION'): string[] =>
  SCHEMA.flatMap((sql) =>
    [...sql.matchAll(new RegExp(`^CREATE ${kind} (\\w+)`, 'gm'))].map(([, name]) => name ?? ''),
  ).reverse();

/**
 * The schema of 0.1.0, and no row: the build puts it into the template of new embedded databases. Never changed once that is
 * released. Who changes it before runs `npm run build` and
 * `node scripts/with-postgres.mjs node scripts/dump-release.mjs`: upgrades are tested from the dump that this writes. Portable
 * PostgreSQL 15; also runs on the embedded database.
 */
export class Initial1795564800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of SCHEMA) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const kind of ['VIEW', 'TABLE', 'FUNCTION'] as const)
      for (const name of made(kind)) await runner.query(`DROP ${kind} ${name}`);
  }
}
