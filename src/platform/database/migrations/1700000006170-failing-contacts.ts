import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Contacts that have been failing for days, told once per failure.
 *
 * `notification_destination.last_failed_at`: the newest failed attempt since the last one that was delivered. NULL until the
 * first one of a version that knows it; an older version beside it leaves the column as it is.
 *
 * `contact.failing_told`: the `failing_since` of the failure that others were told of.
 *
 * `notification.alert_id` is NULL in a delivery of kind `contact_failing`, which has no alert. An older version finds such a
 * row and leaves it alone: its queues are those of alerts. The kind is a longer word than the column held. Widening it
 * rewrites no row; three partial indexes are built again.
 */
const FACTS = `CREATE VIEW system_facts AS
    SELECT current_setting('server_version') AS version,
           pg_database_size(current_database())::text AS size_bytes,
           (SELECT count(*)::int FROM endpoint_schedule WHERE active) AS active_endpoints,
           GREATEST(0, COALESCE((SELECT extract(epoch FROM now() - min(next_check_at)) * 1000
                                   FROM endpoint_schedule WHERE active), 0))::float8 AS lag_ms,
           (SELECT count(*)::int FROM notification WHERE state = 'pending') AS pending,
           (SELECT extract(epoch FROM now() - min(created_at))::float8
              FROM notification WHERE state = 'pending') AS oldest_pending_age_seconds,
           (SELECT count(*)::int FROM notification WHERE state = 'failed' AND kind <> 'test') AS failed`;

const kindOfLength = (length: number): string[] => [
  'DROP VIEW system_facts',
  `ALTER TABLE notification ALTER COLUMN kind TYPE varchar(${length})`,
  FACTS,
];

const UP = [
  ...kindOfLength(20),
  'ALTER TABLE notification ALTER COLUMN alert_id DROP NOT NULL',
  'ALTER TABLE notification_destination ADD COLUMN last_failed_at timestamptz(3)',
  `CREATE INDEX notification_destination_failing ON notification_destination (failing_since)
    WHERE failing_since IS NOT NULL`,
  'ALTER TABLE contact ADD COLUMN failing_told timestamptz(3)',
];

const DOWN = [
  'ALTER TABLE contact DROP COLUMN failing_told',
  'DROP INDEX notification_destination_failing',
  'ALTER TABLE notification_destination DROP COLUMN last_failed_at',
  `DELETE FROM notification WHERE kind = 'contact_failing'`,
  'ALTER TABLE notification ALTER COLUMN alert_id SET NOT NULL',
  ...kindOfLength(12),
];

export class FailingContacts1700000006170 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
