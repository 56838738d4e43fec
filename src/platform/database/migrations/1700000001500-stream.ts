import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the live stream tells, kept for a day so that a reader can resume. Written by triggers, in the transaction that
 * changes the state or adds the event, whoever writes it; a check that changes nothing costs one comparison.
 *
 * Order: transactions commit in another order than they take numbers. Readers therefore sort by the writing transaction
 * (xid) and read only what is older than the oldest one still open: nothing can appear behind their back.
 */
const UP = [
  `CREATE TABLE stream_event (
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    seq bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz(3) NOT NULL DEFAULT now(),
    org_id uuid NOT NULL,
    event_id uuid,
    endpoint_id uuid,
    checked_at timestamptz(3),
    status smallint,
    previous_status smallint,
    duration_us integer,
    status_code integer,
    error smallint,
    PRIMARY KEY (xid, seq)
  )`,
  `CREATE INDEX stream_event_at ON stream_event (at)`,
  `CREATE INDEX stream_event_of_alert ON stream_event (event_id) WHERE event_id IS NOT NULL`,
  `CREATE INDEX stream_event_of_check ON stream_event (org_id, checked_at) WHERE checked_at IS NOT NULL`,

  `CREATE FUNCTION stream_state_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO stream_event (org_id, endpoint_id, checked_at, status, previous_status, duration_us, status_code, error)
    VALUES (NEW.org_id, NEW.endpoint_id, NEW.last_checked_at, NEW.status, OLD.status, NEW.last_duration_us,
            NEW.last_status_code, NEW.last_error);
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER stream_state_change AFTER UPDATE ON endpoint_state FOR EACH ROW
    WHEN (OLD.status <> NEW.status AND OLD.last_checked_at IS DISTINCT FROM NEW.last_checked_at AND NEW.last_checked_at IS NOT NULL)
    EXECUTE FUNCTION stream_state_change()`,

  `CREATE FUNCTION stream_alert_events() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO stream_event (org_id, event_id) SELECT org_id, id FROM added ORDER BY id;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER stream_alert_events AFTER INSERT ON alert_event REFERENCING NEW TABLE AS added FOR EACH STATEMENT
    EXECUTE FUNCTION stream_alert_events()`,
];

export class Stream1700000001500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER stream_alert_events ON alert_event');
    await runner.query('DROP TRIGGER stream_state_change ON endpoint_state');
    await runner.query('DROP FUNCTION stream_alert_events');
    await runner.query('DROP FUNCTION stream_state_change');
    await runner.query('DROP TABLE stream_event');
  }
}
