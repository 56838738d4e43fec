import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How much an organization's changes have added on its newest day. A table of its own: a row of `organization_use` is locked by
 * every creation until it ends. Instances of older versions count nothing and need nothing.
 */
export class ChangedBytes1700000006160 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE organization_change (
        org_id uuid PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
        day date NOT NULL,
        bytes bigint NOT NULL
      ) WITH (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE organization_change');
  }
}
