import type { MigrationInterface, QueryRunner } from 'typeorm';

const overview = (create: string, added: string, joined: string): string => `${create} VIEW endpoint_overview AS
      SELECT e.org_id, e.id, e.key, e.name, e.url, e.type, e.enabled AND w.enabled AS active,
             e.website_id, w.name AS website_name,
             s.status, s.status_since, s.last_checked_at, s.last_error, s.recent, s.certificate_expires_at,
             s.hour_start, s.hour_up, s.hour_down, s.hour_unknown, s.before_up, s.before_down, s.before_unknown,
             m.until, m.up_24h, m.down_24h, m.unknown_24h, m.up_7d, m.down_7d, m.up_30d, m.down_30d,
             m.up_90d, m.down_90d, m.p95_24h_us,
             EXISTS (SELECT FROM alert a WHERE a.endpoint_id = e.id AND a.triggered) AS alert_open,
             m.days_7d, m.days_30d, m.days_90d${added}
        FROM endpoint e
        JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
        JOIN endpoint_state s ON s.endpoint_id = e.id
        LEFT JOIN endpoint_summary m ON m.endpoint_key = e.key${joined}`;

/** The names of the same counters in the tables of stats, of the newest hour and of the hour before it. */
const day = (create: string, counts: string, hour: string, before: string): string => `${create} VIEW endpoint_day AS
    SELECT e.org_id, e.website_id, e.id AS endpoint_id, (d.start_at AT TIME ZONE 'UTC')::date AS day, ${counts}
      FROM endpoint e
      JOIN (
        SELECT endpoint_key, start_at, ${counts} FROM check_day
         WHERE start_at < (SELECT done_until FROM history_progress WHERE name = 'day')
        UNION ALL
        SELECT endpoint_key, start_at, ${counts} FROM check_hour
         WHERE start_at >= (SELECT done_until FROM history_progress WHERE name = 'day')
           AND start_at < (SELECT done_until FROM history_progress WHERE name = 'hour')
        UNION ALL
        SELECT endpoint_key, hour_start, ${hour} FROM endpoint_state
         WHERE hour_start >= (SELECT done_until FROM history_progress WHERE name = 'hour')
        UNION ALL
        SELECT endpoint_key, hour_start - interval '1 hour', ${before} FROM endpoint_state
         WHERE hour_start - interval '1 hour' >= (SELECT done_until FROM history_progress WHERE name = 'hour')
      ) AS d ON d.endpoint_key = e.key`;

const FORMER_DAY = [
  'up, down, unknown',
  'hour_up, hour_down, hour_unknown',
  'before_up, before_down, before_unknown',
] as const;
const DAY = [
  'up, down, unknown, planned, degraded',
  'hour_up, hour_down, hour_unknown, hour_planned, hour_degraded',
  'before_up, before_down, before_unknown, before_planned, before_degraded',
] as const;

/**
 * What the read models show of maintenance, acknowledgements and warnings. New columns come last: what a version before this
 * one reads stays in its place. An acknowledgement whose time is over is none.
 */
export class PlannedHistory1700000005992 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      overview(
        'CREATE OR REPLACE',
        `, s.degraded_since, s.recent_degraded, e.tags, w.tags AS website_tags,
             k.by_name AS acknowledged_by, k.at AS acknowledged_at, k.note AS acknowledged_note,
             k.until AS acknowledged_until`,
        `
        LEFT JOIN acknowledgement k ON k.endpoint_id = e.id AND (k.until IS NULL OR k.until > now())`,
      ),
    );
    await runner.query(day('CREATE OR REPLACE', ...DAY));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW endpoint_day');
    await runner.query(day('CREATE', ...FORMER_DAY));
    await runner.query('DROP VIEW endpoint_overview');
    await runner.query(overview('CREATE', '', ''));
  }
}
