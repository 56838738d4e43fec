import type { MigrationInterface, QueryRunner } from 'typeorm';
import { STATS_COLUMNS } from './initial/history-tables';

/** An endpoint's checks per second, in millionths. Each of its locations checks once per interval. */
const RATE = `round(1000000.0 / interval_seconds)::bigint * location_count`;
const OLD_RATE = `round(1000000.0 / interval_seconds)::bigint`;

/** Works as in `initial/triggers.ts`. `rate` is an SQL expression for the endpoint's check rate. */
const endpointCounted = (rate: string): string => {
  const counts = `(SELECT org_id, count(*) AS amount, sum(${rate}) AS rate FROM changed GROUP BY org_id) n WHERE u.org_id = n.org_id`;
  return `
    CREATE OR REPLACE FUNCTION endpoint_counted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          UPDATE organization_use u SET endpoints = u.endpoints + n.amount, check_rate = u.check_rate + n.rate FROM ${counts};
        ELSE
          UPDATE organization_use u SET endpoints = greatest(0, u.endpoints - n.amount), check_rate = greatest(0, u.check_rate - n.rate) FROM ${counts};
        END IF;
        RETURN NULL;
      END $$;`;
};

const rateCounted = (column: string, rateOf: (row: string) => string, changed: string): string => `
    CREATE OR REPLACE FUNCTION endpoint_rate_counted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE organization_use SET check_rate = greatest(0, check_rate + ${rateOf('NEW')} - ${rateOf('OLD')}) WHERE org_id = NEW.org_id;
        RETURN NULL;
      END $$;
    DROP TRIGGER endpoint_rate_counted ON endpoint;
    CREATE TRIGGER endpoint_rate_counted AFTER UPDATE OF ${column} ON endpoint FOR EACH ROW
      WHEN (${changed}) EXECUTE FUNCTION endpoint_rate_counted();`;

const rateOf = (row: string): string => `round(1000000.0 / ${row}.interval_seconds)::bigint`;

/**
 * Adds probes, which check an endpoint at several locations and reach one verdict. Fast on a full table: adds columns
 * with constant defaults, new tables, and triggers. An older instance that is still running sees only endpoints that
 * include `local`.
 */
export class Probes1796342400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- number: what history stores of a location; 0 is the service itself, so there are 32,767 at once; a free one is taken again. org_id NULL: shared by the
      -- operator. lookup and hash as of an API key; the token before ends with the first use of the new one, at previous_until
      -- at the latest. numbered: the highest version of its endpoint_location and probe_removal. epoch: a cursor of another one is unknown.
      -- session: the process that polls now, heard at last_seen_at. online follows within 60 s of silence.
      CREATE SEQUENCE probe_number AS smallint CYCLE;
      CREATE TABLE probe (
        id uuid PRIMARY KEY,
        number smallint NOT NULL DEFAULT nextval('probe_number'),
        org_id uuid REFERENCES organization (id) ON DELETE CASCADE,
        key varchar(64) NOT NULL,
        name varchar(255) NOT NULL,
        region varchar(64) NOT NULL DEFAULT '',
        enabled boolean NOT NULL DEFAULT true,
        allow_private boolean NOT NULL DEFAULT false,
        owner varchar(64),
        lookup varchar(32),
        hash bytea,
        previous_lookup varchar(32),
        previous_hash bytea,
        previous_until timestamptz(3),
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        numbered bigint NOT NULL DEFAULT 0,
        epoch integer NOT NULL DEFAULT 0,
        session varchar(64),
        sessions bigint NOT NULL DEFAULT 0,
        online boolean NOT NULL DEFAULT false,
        status_since timestamptz(3),
        last_seen_at timestamptz(3),
        address varchar(64),
        version varchar(32),
        protocol smallint,
        types text[],
        clock_offset_ms double precision,
        rtt_ms double precision,
        lag_ms integer,
        buffered integer,
        dropped bigint,
        skipped bigint,
        CONSTRAINT probe_by_number UNIQUE (number),
        CONSTRAINT probe_key UNIQUE (org_id, key),
        CONSTRAINT probe_lookup UNIQUE (lookup)
      ) WITH (fillfactor = 50);
      ALTER SEQUENCE probe_number OWNED BY probe.number;
      CREATE UNIQUE INDEX probe_shared_key ON probe (key) WHERE org_id IS NULL;
      CREATE INDEX probe_previous_lookup ON probe (previous_lookup) WHERE previous_lookup IS NOT NULL;

      -- Where an endpoint is checked, and what each location saw; no rows of one that is checked as ever, exactly at "local".
      -- number 0: local. position: as written. version: NULL, its definition has changed and the sweep numbers it. The state is
      -- that of this location alone; status as in endpoint_state. last_known_at: newest result that was up or down. No index
      -- covers what a check changes.
      CREATE TABLE endpoint_location (
        endpoint_id uuid NOT NULL REFERENCES endpoint (id) ON DELETE CASCADE,
        number smallint NOT NULL,
        org_id uuid NOT NULL,
        position smallint NOT NULL,
        phase_ms integer NOT NULL,
        assigned_at timestamptz(3) NOT NULL DEFAULT now(),
        version bigint,
        status smallint NOT NULL DEFAULT 2,
        status_since timestamptz(3),
        failures integer NOT NULL DEFAULT 0,
        successes integer NOT NULL DEFAULT 0,
        bad integer NOT NULL DEFAULT 0,
        good integer NOT NULL DEFAULT 0,
        degraded boolean NOT NULL DEFAULT false,
        last_slot_at timestamptz(3),
        last_checked_at timestamptz(3),
        last_known_at timestamptz(3),
        last_error smallint,
        last_message varchar(300),
        last_address varchar(64),
        last_duration_us integer,
        PRIMARY KEY (endpoint_id, number)
      ) WITH (fillfactor = 60);
      CREATE INDEX endpoint_location_of_probe ON endpoint_location (number, version) WHERE number > 0;
      CREATE INDEX endpoint_location_changed ON endpoint_location (number) WHERE version IS NULL AND number > 0;

      -- What a probe is to forget: kept for a day, a cursor of before is answered in full.
      CREATE TABLE probe_removal (
        number smallint NOT NULL,
        endpoint_id uuid NOT NULL,
        version bigint,
        removed_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX probe_removal_of_probe ON probe_removal (number, version);
      CREATE INDEX probe_removal_changed ON probe_removal (number) WHERE version IS NULL;
      CREATE INDEX probe_removal_by_time ON probe_removal (removed_at);

      -- A check that somebody waits for. definition: sealed, of a try-out; removed when taken. result: what came of it.
      CREATE TABLE probe_ask (
        id uuid PRIMARY KEY,
        number smallint NOT NULL,
        org_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
        endpoint_id uuid,
        definition text,
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        taken_at timestamptz(3),
        result jsonb
      );
      CREATE INDEX probe_ask_of_probe ON probe_ask (number, created_at) WHERE taken_at IS NULL;
      CREATE INDEX probe_ask_by_end ON probe_ask (expires_at);

      -- Hours by location, of endpoints that have several; counts are those of its own outcomes.
      CREATE TABLE location_hour (
        location smallint NOT NULL,${STATS_COLUMNS},
        PRIMARY KEY (endpoint_key, start_at, location)
      );

      ALTER TABLE check_result ADD COLUMN location smallint NOT NULL DEFAULT 0;
      ALTER TABLE endpoint ADD COLUMN quorum varchar(8) NOT NULL DEFAULT 'majority',
                           ADD COLUMN location_count smallint NOT NULL DEFAULT 1;
      -- located: it has rows in endpoint_location.
      ALTER TABLE endpoint_schedule ADD COLUMN located boolean NOT NULL DEFAULT false;
      -- What each location saw when it triggered or resolved: [{location, outcome, error}], by name.
      ALTER TABLE alert_event ADD COLUMN locations jsonb;
      ALTER TABLE organization_use ADD COLUMN probes integer NOT NULL DEFAULT 0;`);
    await runner.query(endpointCounted(RATE));
    await runner.query(
      rateCounted(
        'interval_seconds, location_count',
        (row) => `${rateOf(row)} * ${row}.location_count`,
        'OLD.interval_seconds <> NEW.interval_seconds OR OLD.location_count <> NEW.location_count',
      ),
    );
    await runner.query(TRIGGERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER location_schedule_changed ON endpoint_schedule;
      DROP TRIGGER located_elsewhere ON endpoint_schedule;
      DROP TRIGGER location_alerts_in ON alert;
      DROP TRIGGER location_alert_changed ON alert;
      DROP TRIGGER location_alerts_out ON alert;
      DROP TABLE location_hour, probe_ask, probe_removal, endpoint_location, probe;
      DROP FUNCTION location_schedule_changed, located_elsewhere, location_alerts_changed, location_alert_changed, location_removed, stream_location, stream_probe, probe_counted;
      ALTER TABLE organization_use DROP COLUMN probes;
      ALTER TABLE alert_event DROP COLUMN locations;
      ALTER TABLE endpoint_schedule DROP COLUMN located;
      ALTER TABLE check_result DROP COLUMN location`);
    await runner.query(endpointCounted(OLD_RATE));
    await runner.query(rateCounted('interval_seconds', rateOf, 'OLD.interval_seconds <> NEW.interval_seconds'));
    await runner.query('ALTER TABLE endpoint DROP COLUMN location_count, DROP COLUMN quorum');
  }
}

const TRIGGERS = `
  -- organization_use: shared probes are nobody's.
  CREATE FUNCTION probe_counted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        UPDATE organization_use u SET probes = u.probes + n.amount
          FROM (SELECT org_id, count(*) AS amount FROM changed GROUP BY org_id) n WHERE u.org_id = n.org_id;
      ELSE
        UPDATE organization_use u SET probes = greatest(0, u.probes - n.amount)
          FROM (SELECT org_id, count(*) AS amount FROM changed GROUP BY org_id) n WHERE u.org_id = n.org_id;
      END IF;
      RETURN NULL;
    END $$;
  CREATE TRIGGER probe_counted_in AFTER INSERT ON probe REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION probe_counted();
  CREATE TRIGGER probe_counted_out AFTER DELETE ON probe REFERENCING OLD TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION probe_counted();

  -- What a probe is told of an endpoint has changed: the sweep gives it the next number. Endpoints without locations pay a comparison.
  CREATE FUNCTION location_schedule_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE endpoint_location SET version = NULL WHERE endpoint_id = NEW.endpoint_id AND number > 0 AND version IS NOT NULL;
      RETURN NULL;
    END $$;
  CREATE TRIGGER location_schedule_changed
    AFTER UPDATE OF active, revision, interval_seconds, timeout_seconds ON endpoint_schedule FOR EACH ROW
    WHEN (NEW.located AND (OLD.active, OLD.revision, OLD.interval_seconds, OLD.timeout_seconds)
                      <> (NEW.active, NEW.revision, NEW.interval_seconds, NEW.timeout_seconds))
    EXECUTE FUNCTION location_schedule_changed();

  -- An older instance that changes an endpoint would have it checked here, without local among its locations.
  CREATE FUNCTION located_elsewhere() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (SELECT FROM endpoint_location WHERE endpoint_id = NEW.endpoint_id AND number = 0) THEN
        NEW.scheduled := false;
        NEW.next_check_at := 'infinity';
      END IF;
      RETURN NEW;
    END $$;
  CREATE TRIGGER located_elsewhere BEFORE UPDATE OF scheduled ON endpoint_schedule FOR EACH ROW
    WHEN (NEW.located AND NEW.scheduled AND NOT OLD.scheduled) EXECUTE FUNCTION located_elsewhere();

  -- Its alerts say when a failure is repeated before it is sent. Cost: for each changed alert a look into an index.
  CREATE FUNCTION location_alerts_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE endpoint_location SET version = NULL
       WHERE endpoint_id IN (SELECT endpoint_id FROM changed) AND number > 0 AND version IS NOT NULL;
      RETURN NULL;
    END $$;
  CREATE TRIGGER location_alerts_in AFTER INSERT ON alert REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION location_alerts_changed();
  CREATE TRIGGER location_alerts_out AFTER DELETE ON alert REFERENCING OLD TABLE AS changed FOR EACH STATEMENT
    EXECUTE FUNCTION location_alerts_changed();
  CREATE FUNCTION location_alert_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE endpoint_location SET version = NULL WHERE endpoint_id = NEW.endpoint_id AND number > 0 AND version IS NOT NULL;
      RETURN NULL;
    END $$;
  CREATE TRIGGER location_alert_changed AFTER UPDATE OF failure_threshold, enabled ON alert FOR EACH ROW
    WHEN (OLD.failure_threshold <> NEW.failure_threshold OR OLD.enabled <> NEW.enabled) EXECUTE FUNCTION location_alert_changed();

  CREATE FUNCTION location_removed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO probe_removal (number, endpoint_id) SELECT number, endpoint_id FROM removed WHERE number > 0;
      RETURN NULL;
    END $$;
  CREATE TRIGGER location_removed AFTER DELETE ON endpoint_location REFERENCING OLD TABLE AS removed FOR EACH STATEMENT
    EXECUTE FUNCTION location_removed();

  -- stream_event: a location sees something else; a probe is heard again, or no more.
  CREATE FUNCTION stream_location() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO stream_event (org_id, endpoint_id, kind, payload)
      VALUES (NEW.org_id, NEW.endpoint_id, 'location', jsonb_build_object(
        'location', coalesce((SELECT CASE WHEN p.org_id IS NULL THEN 'shared/' ELSE '' END || p.key FROM probe p WHERE p.number = NEW.number), 'local'),
        'status', (ARRAY['down', 'up', 'unknown'])[NEW.status + 1],
        'previous_status', (ARRAY['down', 'up', 'unknown'])[OLD.status + 1],
        'at', to_char(NEW.last_checked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
      RETURN NULL;
    END $$;
  CREATE TRIGGER stream_location AFTER UPDATE ON endpoint_location FOR EACH ROW
    WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION stream_location();

  CREATE FUNCTION stream_probe() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO stream_event (org_id, kind, payload)
      VALUES (NEW.org_id, 'probe', jsonb_build_object(
        'probe_id', NEW.id,
        'key', NEW.key,
        'status', CASE WHEN NEW.online THEN 'online' ELSE 'offline' END,
        'at', to_char(NEW.status_since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
      RETURN NULL;
    END $$;
  CREATE TRIGGER stream_probe AFTER UPDATE OF online ON probe FOR EACH ROW
    WHEN (OLD.online <> NEW.online AND NEW.org_id IS NOT NULL) EXECUTE FUNCTION stream_probe();
`;
