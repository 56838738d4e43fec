import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Fast on a full table: replaces a function. */
export class HeartbeatEvents1796083200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- stream_event: what no check tells, that a run begins, that one ends which had told its start, and a log. kind: as ping.kind
      -- is stored. Called by who stores the ping: a trigger on it would keep Citus from distributing the table.
      CREATE FUNCTION stream_heartbeat(org uuid, endpoint uuid, kind integer, at timestamptz) RETURNS void LANGUAGE sql AS $$
        INSERT INTO stream_event (org_id, endpoint_id, kind, payload)
        VALUES (org, endpoint, 'heartbeat', jsonb_build_object(
                  'kind', kind, 'at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
      $$;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION stream_heartbeat');
  }
}
