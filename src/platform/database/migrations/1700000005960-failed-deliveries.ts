import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM_FACTS = (failed: string): string =>
  `CREATE OR REPLACE VIEW system_facts AS
    SELECT current_setting('server_version') AS version,
           pg_database_size(current_database())::text AS size_bytes,
           (SELECT count(*)::int FROM endpoint_schedule WHERE active) AS active_endpoints,
           GREATEST(0, COALESCE((SELECT extract(epoch FROM now() - min(next_check_at)) * 1000
                                   FROM endpoint_schedule WHERE active), 0))::float8 AS lag_ms,
           (SELECT count(*)::int FROM notification WHERE state = 'pending') AS pending,
           (SELECT extract(epoch FROM now() - min(created_at))::float8
              FROM notification WHERE state = 'pending') AS oldest_pending_age_seconds,
           (SELECT count(*)::int FROM notification WHERE ${failed}) AS failed`;

/**
 * Messages that were given up can be listed, and counted without reading the others. A test that failed is none of them:
 * whoever sent it was told.
 */
export class FailedDeliveries1700000005960 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX notification_failed ON notification (org_id, seq) WHERE state = 'failed' AND kind <> 'test'`,
    );
    await runner.query(SYSTEM_FACTS(`state = 'failed' AND kind <> 'test'`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(SYSTEM_FACTS(`state = 'failed'`));
    await runner.query('DROP INDEX notification_failed');
  }
}
