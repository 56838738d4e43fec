import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Quick on a full table: a trigger on each partition of pings, no row is read. */
export class HeartbeatEvents1796083200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- stream_event: what no check tells, that a run begins, that one ends which had told its start, and a log. Other pings
      -- cost one comparison. kind: as ping.kind is stored.
      CREATE FUNCTION stream_heartbeat() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO stream_event (org_id, endpoint_id, kind, payload)
          SELECT e.org_id, e.id, 'heartbeat', jsonb_build_object(
                   'kind', NEW.kind,
                   'at', to_char(NEW.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
            FROM endpoint e WHERE e.key = NEW.endpoint_key;
          RETURN NULL;
        END $$;
      CREATE TRIGGER stream_heartbeat AFTER INSERT ON ping FOR EACH ROW
        WHEN (NEW.kind IN (1, 3) OR NEW.duration_ms IS NOT NULL) EXECUTE FUNCTION stream_heartbeat();`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER stream_heartbeat ON ping; DROP FUNCTION stream_heartbeat');
  }
}
