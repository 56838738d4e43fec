import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The time zone that emails and reports of an organization use. */
export class OrganizationTimezone1796518802000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE organization ADD COLUMN IF NOT EXISTS timezone varchar(64) NOT NULL DEFAULT 'UTC'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organization DROP COLUMN IF EXISTS timezone');
  }
}
