import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An incident that reopens keeps each outage of each endpoint, and the time between two outages isn't downtime. Fast on
 * a full table: adds columns with constant defaults, and copies one short row for each member of the last 90 days.
 */
export class IncidentOutages1796518800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- outage_count, last_started_at: the periods during which at least one endpoint was failing, and when the last one started (NULL: at
      -- started_at). earlier_downtime_ms: the length of those before it.
      ALTER TABLE incident ADD COLUMN outage_count integer NOT NULL DEFAULT 1, ADD COLUMN last_started_at timestamptz(3),
        ADD COLUMN earlier_downtime_ms bigint NOT NULL DEFAULT 0;

      -- One outage of an endpoint in an incident, from its first failed check to its first successful one.
      CREATE TABLE incident_outage (
        incident_id uuid NOT NULL REFERENCES incident ON DELETE CASCADE,
        endpoint_id uuid NOT NULL,
        started_at timestamptz(3) NOT NULL,
        ended_at timestamptz(3),
        error_code varchar(40),
        error_message varchar(300),
        PRIMARY KEY (incident_id, endpoint_id, started_at)
      ) WITH (fillfactor = 70);
      INSERT INTO incident_outage (incident_id, endpoint_id, started_at, ended_at, error_code, error_message)
      SELECT incident_id, endpoint_id, started_at, ended_at, error_code, error_message FROM incident_member;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE incident_outage;
      ALTER TABLE incident DROP COLUMN earlier_downtime_ms, DROP COLUMN last_started_at, DROP COLUMN outage_count`);
  }
}
