import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // A website has a public page only while `enabled`; the slug is unique over the installation.
  `CREATE TABLE status_page (
    website_id uuid PRIMARY KEY REFERENCES website (id) ON DELETE CASCADE,
    org_id uuid NOT NULL,
    slug varchar(64) NOT NULL,
    enabled boolean NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT status_page_slug UNIQUE (slug)
  )`,

  // Counts per endpoint and UTC day: built days, then built hours, then the running counters. Nothing is counted twice.
  `CREATE VIEW endpoint_day AS
    SELECT e.org_id, e.website_id, e.id AS endpoint_id, (d.start_at AT TIME ZONE 'UTC')::date AS day, d.up, d.down, d.unknown
      FROM endpoint e
      JOIN (
        SELECT endpoint_key, start_at, up, down, unknown FROM check_day
         WHERE start_at < (SELECT done_until FROM history_progress WHERE name = 'day')
        UNION ALL
        SELECT endpoint_key, start_at, up, down, unknown FROM check_hour
         WHERE start_at >= (SELECT done_until FROM history_progress WHERE name = 'day')
           AND start_at < (SELECT done_until FROM history_progress WHERE name = 'hour')
        UNION ALL
        SELECT endpoint_key, hour_start, hour_up, hour_down, hour_unknown FROM endpoint_state
         WHERE hour_start >= (SELECT done_until FROM history_progress WHERE name = 'hour')
        UNION ALL
        SELECT endpoint_key, hour_start - interval '1 hour', before_up, before_down, before_unknown FROM endpoint_state
         WHERE hour_start - interval '1 hour' >= (SELECT done_until FROM history_progress WHERE name = 'hour')
      ) AS d ON d.endpoint_key = e.key`,

  `CREATE VIEW endpoint_outage AS
    SELECT e.org_id, e.website_id, e.name AS endpoint_name, o.started_at, o.ended_at, o.error
      FROM endpoint e JOIN outage o ON o.endpoint_key = e.key`,

  // What the people who run the installation look at: index lookups, and counts of few rows.
  `CREATE VIEW system_facts AS
    SELECT current_setting('server_version') AS version,
           pg_database_size(current_database())::text AS size_bytes,
           (SELECT count(*)::int FROM endpoint_schedule WHERE active) AS active_endpoints,
           GREATEST(0, COALESCE((SELECT extract(epoch FROM now() - min(next_check_at)) * 1000
                                   FROM endpoint_schedule WHERE active), 0))::float8 AS lag_ms,
           (SELECT count(*)::int FROM notification WHERE state = 'pending') AS pending,
           (SELECT extract(epoch FROM now() - min(created_at))::float8
              FROM notification WHERE state = 'pending') AS oldest_pending_age_seconds,
           (SELECT count(*)::int FROM notification WHERE state = 'failed') AS failed`,
];

/** Public status pages, and the read models that pages are made of. */
export class StatusPages1700000002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW system_facts');
    await runner.query('DROP VIEW endpoint_outage');
    await runner.query('DROP VIEW endpoint_day');
    await runner.query('DROP TABLE status_page');
  }
}
