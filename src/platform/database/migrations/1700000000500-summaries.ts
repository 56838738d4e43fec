import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Read models: what a website shows of its endpoints, so that no module reads another one's tables by itself. */
export class Summaries1700000000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Grouped by the organization as well, so that a list of one organization aggregates its own endpoints only.
    await runner.query(`CREATE VIEW website_summary AS
      SELECT e.org_id, e.website_id,
             count(*)::int AS endpoint_count,
             max(s.last_checked_at) AS last_checked_at,
             bool_or(e.enabled AND s.status = 0) AS any_down,
             bool_or(e.enabled AND s.status = 1) AS any_up
        FROM endpoint e JOIN endpoint_state s ON s.endpoint_id = e.id
       GROUP BY e.org_id, e.website_id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW website_summary');
  }
}
