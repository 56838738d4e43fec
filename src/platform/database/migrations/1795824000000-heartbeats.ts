import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The key in a website's ping URLs: 22 characters with 122 random bits. Evaluated for each row. */
export const NEW_PING_KEY = `translate(rtrim(encode(uuid_send(gen_random_uuid()), 'base64'), '='), '+/', '-_')`;

/**
 * Adds endpoints that wait for pings. Fast on a full table: adds a column without a default and small tables, and makes
 * one pass over the websites. The pass runs no triggers and assigns each website its key. Websites that an older
 * version still creates also get one.
 */
export class Heartbeats1795824000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE endpoint ADD COLUMN heartbeat jsonb;
      ALTER TABLE website ADD COLUMN ping_key varchar(22) NOT NULL DEFAULT ${NEW_PING_KEY};
      CREATE UNIQUE INDEX website_ping_key ON website (ping_key);

      -- One row per endpoint of type HEARTBEAT: its addresses, and when something is to be decided. pending: verdicts that are
      -- committed here and perhaps not recorded yet, [{at, …}]; from pending_at on the sweep records what a killed process left.
      -- last_verdict: the newest, to be recorded once more at repeat_at. None is at or before last_verdict_at. No foreign key from ping: history goes in its own steps.
      CREATE TABLE heartbeat (
        endpoint_id uuid PRIMARY KEY REFERENCES endpoint (id) ON DELETE CASCADE,
        ping_id uuid NOT NULL,
        push_token varchar(64) NOT NULL,
        old_ping_id uuid,
        old_push_token varchar(64),
        old_until timestamptz(3),
        armed boolean NOT NULL DEFAULT false,
        expected_at timestamptz(3),
        deadline_at timestamptz(3),
        overrun_at timestamptz(3),
        repeat_at timestamptz(3),
        pending jsonb,
        pending_at timestamptz(3),
        last_ping_at timestamptz(3),
        last_verdict jsonb,
        last_verdict_at timestamptz(3),
        next_at timestamptz(3) GENERATED ALWAYS AS (LEAST(deadline_at, overrun_at, repeat_at, pending_at)) STORED,
        CONSTRAINT heartbeat_ping_id UNIQUE (ping_id),
        CONSTRAINT heartbeat_push_token UNIQUE (push_token)
      ) WITH (fillfactor = 70);
      CREATE INDEX heartbeat_due ON heartbeat (next_at) WHERE next_at IS NOT NULL;
      CREATE INDEX heartbeat_old_ping_id ON heartbeat (old_ping_id) WHERE old_ping_id IS NOT NULL;
      CREATE INDEX heartbeat_old_push_token ON heartbeat (old_push_token) WHERE old_push_token IS NOT NULL;

      -- Runs that have begun and not ended, at most 100 of a heartbeat. The nil uuid: begun without a rid.
      CREATE TABLE heartbeat_run (
        endpoint_id uuid NOT NULL REFERENCES heartbeat (endpoint_id) ON DELETE CASCADE,
        run_id uuid NOT NULL,
        started_at timestamptz(3) NOT NULL,
        overran boolean NOT NULL DEFAULT false,
        PRIMARY KEY (endpoint_id, run_id)
      );

      -- Every ping, in daily partitions as check_result. kind: 0 success, 1 start, 2 fail, 3 log.
      CREATE TABLE ping (
        endpoint_key bigint NOT NULL,
        created_at timestamptz(3) NOT NULL,
        id uuid NOT NULL,
        kind smallint NOT NULL,
        run_id uuid,
        duration_ms bigint,
        exit_code smallint,
        address inet,
        body text,
        body_bytes integer NOT NULL
      ) PARTITION BY RANGE (created_at);
      CREATE INDEX ping_of_endpoint ON ping (endpoint_key, id);

      -- When any process was last there to take pings: one row. And when none was.
      CREATE TABLE ingest_seen (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        seen_at timestamptz(3) NOT NULL
      );
      CREATE TABLE ingest_gap (
        began_at timestamptz(3) NOT NULL,
        ended_at timestamptz(3) NOT NULL
      );
      CREATE INDEX ingest_gap_by_end ON ingest_gap (ended_at);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE ingest_gap, ingest_seen, ping, heartbeat_run, heartbeat;
      ALTER TABLE website DROP COLUMN ping_key;
      ALTER TABLE endpoint DROP COLUMN heartbeat`);
  }
}
