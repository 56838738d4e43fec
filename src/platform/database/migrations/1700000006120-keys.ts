import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is declared as code has a key of the client's choice, unique among its siblings, and the owner of the document that
 * declares it. Few have keys at first, and the indexes hold those only.
 */
const TABLES = [
  ['website', 'org_id, external_key', 'AND deleted_at IS NULL'],
  ['endpoint', 'org_id, website_id, external_key', ''],
  ['alert', 'org_id, endpoint_id, external_key', ''],
  ['contact', 'org_id, external_key', ''],
  ['maintenance_window', 'org_id, external_key', ''],
  ['status_page', 'org_id, external_key', ''],
] as const;

export class Keys1700000006120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, columns, where] of TABLES) {
      await runner.query(`ALTER TABLE ${table} ADD COLUMN external_key varchar(64), ADD COLUMN owner varchar(64)`);
      await runner.query(
        `CREATE UNIQUE INDEX ${table}_external_key ON ${table} (${columns}) WHERE external_key IS NOT NULL ${where}`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table] of [...TABLES].reverse()) {
      await runner.query(`DROP INDEX ${table}_external_key`);
      await runner.query(`ALTER TABLE ${table} DROP COLUMN external_key, DROP COLUMN owner`);
    }
  }
}
