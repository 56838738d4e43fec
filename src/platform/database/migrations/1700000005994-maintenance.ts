import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What planning and listing maintenance windows need, and their beginnings and ends in the live stream. */
const UP = [
  // listed_at: the start of a one-off window, the next start of a recurring one. planned_until: occurrences that begin until
  // then are written; 'infinity' when there will be no more.
  `ALTER TABLE maintenance_window
     ADD COLUMN listed_at timestamptz NOT NULL DEFAULT now(),
     ADD COLUMN planned_until timestamptz NOT NULL DEFAULT '-infinity'`,
  'CREATE INDEX maintenance_window_listed ON maintenance_window (org_id, listed_at, id)',
  `CREATE INDEX maintenance_window_to_plan ON maintenance_window (planned_until) WHERE planned_until < 'infinity'`,
  `CREATE INDEX maintenance_window_to_list ON maintenance_window (listed_at) WHERE planned_until < 'infinity' AND cron IS NOT NULL`,
  'CREATE INDEX maintenance_window_with_scope ON maintenance_window (scope_id)',
  // Cut short by a change of its window, which goes on in another row.
  'ALTER TABLE maintenance_occurrence ADD COLUMN continued boolean NOT NULL DEFAULT false',
  'CREATE INDEX maintenance_occurrence_not_begun ON maintenance_occurrence (starts_at) WHERE NOT begun',
  'CREATE INDEX maintenance_occurrence_by_end ON maintenance_occurrence (ends_at)',
  'CREATE INDEX maintenance_occurrence_with_scope ON maintenance_occurrence (scope_id)',

  `CREATE FUNCTION stream_maintenance() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO stream_event (org_id, kind, payload)
    VALUES (NEW.org_id, 'maintenance', jsonb_build_object(
      'window_id', NEW.window_id,
      'name', NEW.name,
      'state', CASE WHEN NEW.over THEN 'ended' ELSE 'started' END,
      'until', to_char(NEW.ends_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER stream_maintenance AFTER UPDATE ON maintenance_occurrence FOR EACH ROW
    WHEN ((NEW.begun AND NOT OLD.begun AND NOT NEW.over) OR (NEW.over AND NOT OLD.over AND NOT NEW.continued))
    EXECUTE FUNCTION stream_maintenance()`,
];

const DOWN = [
  'DROP TRIGGER stream_maintenance ON maintenance_occurrence',
  'DROP FUNCTION stream_maintenance',
  'DROP INDEX maintenance_occurrence_with_scope',
  'DROP INDEX maintenance_occurrence_by_end',
  'DROP INDEX maintenance_occurrence_not_begun',
  'ALTER TABLE maintenance_occurrence DROP COLUMN continued',
  'DROP INDEX maintenance_window_with_scope',
  'ALTER TABLE maintenance_window DROP COLUMN planned_until, DROP COLUMN listed_at',
];

export class Maintenance1700000005994 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
