import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Further kinds of rows in the live stream: `kind` names what `payload` tells, of an endpoint when `endpoint_id` is set. Rows
 * without a kind are checks and alert events, as before; versions before this one skip those that have one.
 *
 * Of an acknowledgement: `{by, at, note, until}` as the API shows it, `null` when it has ended.
 *
 * Pagers are told of it by a delivery of kind `acknowledged`, a longer word than the column held. Widening it rewrites no
 * row; two partial indexes are built again.
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
  ...kindOfLength(12),
  'ALTER TABLE stream_event ADD COLUMN kind varchar(20), ADD COLUMN payload jsonb',
  `CREATE FUNCTION stream_acknowledgement() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      INSERT INTO stream_event (org_id, endpoint_id, kind) VALUES (OLD.org_id, OLD.endpoint_id, 'acknowledgement');
    ELSE
      INSERT INTO stream_event (org_id, endpoint_id, kind, payload)
      VALUES (NEW.org_id, NEW.endpoint_id, 'acknowledgement', jsonb_build_object(
        'by', NEW.by_name,
        'at', to_char(NEW.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'note', NEW.note,
        'until', to_char(NEW.until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER stream_acknowledgement AFTER INSERT OR UPDATE OR DELETE ON acknowledgement FOR EACH ROW
    EXECUTE FUNCTION stream_acknowledgement()`,
];

const DOWN = [
  'DROP TRIGGER stream_acknowledgement ON acknowledgement',
  'DROP FUNCTION stream_acknowledgement',
  'DELETE FROM stream_event WHERE kind IS NOT NULL',
  'ALTER TABLE stream_event DROP COLUMN kind, DROP COLUMN payload',
  `DELETE FROM notification WHERE kind = 'acknowledged'`,
  ...kindOfLength(9),
];

export class Acknowledgement1700000005996 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
