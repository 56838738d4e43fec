import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ALERT_TABLES } from './initial/alert-tables';
import { ENDPOINT_TABLES } from './initial/endpoint-tables';
import { HISTORY_TABLES } from './initial/history-tables';
import { ORGANIZATION_TABLES } from './initial/organization-tables';
import { TRIGGERS } from './initial/triggers';
import { VIEWS } from './initial/views';

/** In dependency order. */
const SCHEMA = [ORGANIZATION_TABLES, ENDPOINT_TABLES, HISTORY_TABLES, ALERT_TABLES, VIEWS, TRIGGERS];

/** The full SQL of the schema. It creates the same schema whenever it runs. */
export const INITIAL_SCHEMA = SCHEMA.join('\n');

/** Returns the names of all objects of one kind, newest first. */
const made = (kind: 'TABLE' | 'VIEW' | 'FUNCTION'): string[] =>
  SCHEMA.flatMap((sql) =>
    [...sql.matchAll(new RegExp(`^CREATE ${kind} (\\w+)`, 'gm'))].map(([, name]) => name ?? ''),
  ).reverse();

/**
 * The schema of 0.1.0, without any rows. The build adds it to the template for new embedded databases. It must not
 * change after the release. If you change it earlier, run `npm run build` and `node scripts/with-postgres.mjs node
 * scripts/dump-release.mjs`, because upgrades are tested with the dump that this creates. Uses only portable PostgreSQL
 * 15 and also runs on the embedded database.
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
