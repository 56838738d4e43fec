import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Fast on a full table: adds columns without a default, and an index over 90 days of incidents. */
export class IncidentsApart1796173200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- merged_from: the incident that it was of before that was merged into this one; NULL: of this one. By it that can be split back.
      ALTER TABLE incident_member ADD COLUMN merged_from uuid;
      ALTER TABLE incident_update ADD COLUMN merged_from uuid;
      -- In the order in which they are shown, page by page.
      CREATE INDEX incident_member_shown ON incident_member (incident_id, (ended_at IS NOT NULL), started_at, endpoint_id);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX incident_member_shown;
      ALTER TABLE incident_update DROP COLUMN merged_from;
      ALTER TABLE incident_member DROP COLUMN merged_from`);
  }
}
