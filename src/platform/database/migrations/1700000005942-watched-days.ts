import type { MigrationInterface, QueryRunner } from 'typeorm';

const overview = (create: string, added: string): string => `${create} VIEW endpoint_overview AS
      SELECT e.org_id, e.id, e.key, e.name, e.url, e.type, e.enabled AND w.enabled AS active,
             e.website_id, w.name AS website_name,
             s.status, s.status_since, s.last_checked_at, s.last_error, s.recent, s.certificate_expires_at,
             s.hour_start, s.hour_up, s.hour_down, s.hour_unknown, s.before_up, s.before_down, s.before_unknown,
             m.until, m.up_24h, m.down_24h, m.unknown_24h, m.up_7d, m.down_7d, m.up_30d, m.down_30d,
             m.up_90d, m.down_90d, m.p95_24h_us,
             EXISTS (SELECT FROM alert a WHERE a.endpoint_id = e.id AND a.triggered) AS alert_open${added}
        FROM endpoint e
        JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
        JOIN endpoint_state s ON s.endpoint_id = e.id
        LEFT JOIN endpoint_summary m ON m.endpoint_key = e.key`;

/**
 * On how many of the full days of each window an endpoint was watched: had a check that could tell. `NULL` in a summary that
 * an older version wrote, until the next hour is closed.
 */
export class WatchedDays1700000005942 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE endpoint_summary ADD days_7d smallint, ADD days_30d smallint, ADD days_90d smallint',
    );
    await runner.query(overview('CREATE OR REPLACE', ', m.days_7d, m.days_30d, m.days_90d'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW endpoint_overview');
    await runner.query(overview('CREATE', ''));
    await runner.query('ALTER TABLE endpoint_summary DROP days_7d, DROP days_30d, DROP days_90d');
  }
}
