import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When public maintenance windows are in force, with what they say now: for status pages. A window that is public no more
 * shows no description of what it was before. `recurring` is null once the window is deleted.
 */
const INDEX = 'CREATE INDEX maintenance_occurrence_of_organization ON maintenance_occurrence';

export class Announcements1700000005999 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Both bounds in the index: what is written ahead costs the recorder no look into the table.
    await runner.query('DROP INDEX maintenance_occurrence_of_organization');
    await runner.query(`${INDEX} (org_id, ends_at, starts_at)`);
    await runner.query(`CREATE VIEW maintenance_announcement AS
      SELECT o.org_id, o.window_id, o.scope_id, o.name, o.starts_at, o.ends_at, o.mute, o.exclude_from_uptime,
             CASE WHEN w.public THEN w.description ELSE '' END AS description,
             CASE WHEN w.id IS NOT NULL THEN w.cron IS NOT NULL END AS recurring,
             w.created_at AS announced_at, w.updated_at AS changed_at
        FROM maintenance_occurrence o LEFT JOIN maintenance_window w ON w.id = o.window_id
       WHERE o.public AND o.ends_at > o.starts_at`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW maintenance_announcement');
    await runner.query('DROP INDEX maintenance_occurrence_of_organization');
    await runner.query(`${INDEX} (org_id, ends_at)`);
  }
}
