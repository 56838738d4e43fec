import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The live stream reports each incident once per transaction, with its state at the end and what happened to it.
 * Deletions are reported only for manually created incidents, because removal by retention is not news.
 */
const STREAM = `
      CREATE FUNCTION stream_incidents_opened() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO stream_event (org_id, kind, payload)
          SELECT org_id, 'incident', to_jsonb(a) || '{"change": "opened"}' FROM added a ORDER BY id;
          RETURN NULL;
        END $$;
      CREATE TRIGGER stream_incidents_opened AFTER INSERT ON incident REFERENCING NEW TABLE AS added FOR EACH STATEMENT
        EXECUTE FUNCTION stream_incidents_opened();

      CREATE FUNCTION stream_incidents_changed() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          WITH told AS (
            DELETE FROM stream_event s USING after a
             WHERE s.xid = pg_current_xact_id() AND s.kind = 'incident' AND s.payload ->> 'id' = a.id::text
            RETURNING a.id, s.payload ->> 'change' AS change),
          changed AS (
            SELECT a.*, CASE
                WHEN b.merged_into IS NULL AND a.merged_into IS NOT NULL THEN 'merged'
                WHEN a.cause = 'people' AND a.endpoint_count < b.endpoint_count THEN 'split'
                WHEN a.cause = 'people' AND a.endpoint_count > b.endpoint_count AND a.joined_at = b.joined_at THEN 'merged'
                WHEN b.ended_at IS NOT NULL AND a.ended_at IS NULL THEN 'reopened'
                WHEN b.ended_at IS NULL AND a.ended_at IS NOT NULL THEN 'ended'
                WHEN a.ack_at IS DISTINCT FROM b.ack_at THEN 'acknowledged'
                WHEN a.open_count > b.open_count THEN 'joined'
                ELSE 'updated' END AS change
              FROM after a JOIN before b ON b.id = a.id)
          INSERT INTO stream_event (org_id, kind, payload)
          SELECT c.org_id, 'incident', to_jsonb(c) || jsonb_build_object('change', CASE
              WHEN t.change = 'opened' AND c.change <> 'ended' THEN 'opened'
              WHEN t.change IS NOT NULL AND c.change IN ('acknowledged', 'joined', 'updated') THEN t.change
              ELSE c.change END)
            FROM changed c LEFT JOIN told t ON t.id = c.id ORDER BY c.id;
          RETURN NULL;
        END $$;
      CREATE TRIGGER stream_incidents_changed AFTER UPDATE ON incident REFERENCING OLD TABLE AS before NEW TABLE AS after
        FOR EACH STATEMENT EXECUTE FUNCTION stream_incidents_changed();

      CREATE FUNCTION stream_incidents_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO stream_event (org_id, kind, payload)
          SELECT r.org_id, 'incident', to_jsonb(r) || '{"change": "deleted"}' FROM removed r
            JOIN organization o ON o.id = r.org_id AND o.deleted_at IS NULL WHERE r.kind = 'manual' AND r.ended_at IS NULL ORDER BY r.id;
          RETURN NULL;
        END $$;
      CREATE TRIGGER stream_incidents_deleted AFTER DELETE ON incident REFERENCING OLD TABLE AS removed FOR EACH STATEMENT
        EXECUTE FUNCTION stream_incidents_deleted();`;

/**
 * Adds incidents: endpoints that went down together, and updates that people posted. Fast on a full table: adds columns
 * without a default and new tables. For outages that are open during the upgrade, the consistency job creates the
 * incidents.
 */
export class Incidents1795910400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Its row lock gives an organization's next number, and makes batches that run at once agree on where an endpoint goes.
      -- Taken after the rows of states and alerts; several organizations in the order of their ids.
      CREATE TABLE incident_sequence (
        org_id uuid PRIMARY KEY REFERENCES organization ON DELETE CASCADE,
        last integer NOT NULL DEFAULT 0
      );

      -- kind: detected by alerts, or manual. severity, cause: of a detected one. cause: why its second endpoint joined it; cause_value:
      -- the address, or the uuid of the website or of the parent; cause_name: the name of that one. opener_*: what triggered first,
      -- with which the next is compared, and its name and error for the summary.
      -- status: the last that was said. public_at: since when it has a public update. merged_into: it is empty, its members are there.
      -- scope_*: of a manual one, as a maintenance window's. ack_*: somebody has all of it in hand.
      CREATE TABLE incident (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
        number integer NOT NULL,
        kind varchar(8) NOT NULL,
        severity varchar(8),
        cause varchar(10),
        cause_value varchar(64),
        cause_name varchar(255),
        opener_endpoint_id uuid,
        opener_name varchar(255),
        opener_website_id uuid,
        opener_address varchar(64),
        opener_error_code varchar(40),
        title varchar(200),
        status varchar(13),
        scope_all boolean NOT NULL DEFAULT false,
        scope_website_ids uuid[] NOT NULL DEFAULT '{}',
        scope_endpoint_ids uuid[] NOT NULL DEFAULT '{}',
        scope_tags text[] NOT NULL DEFAULT '{}',
        started_at timestamptz(3) NOT NULL,
        opened_at timestamptz(3) NOT NULL,
        joined_at timestamptz(3) NOT NULL,
        ended_at timestamptz(3),
        endpoint_count integer NOT NULL DEFAULT 0,
        open_count integer NOT NULL DEFAULT 0,
        reopened integer NOT NULL DEFAULT 0,
        merged_into uuid REFERENCES incident ON DELETE CASCADE,
        public_at timestamptz(3),
        ack_by varchar(255),
        ack_at timestamptz(3),
        ack_note varchar(1000),
        ack_until timestamptz(3),
        created_by varchar(255),
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT incident_number UNIQUE (org_id, number)
      ) WITH (fillfactor = 70);
      CREATE INDEX incident_open ON incident (org_id, joined_at) WHERE ended_at IS NULL;
      CREATE INDEX incident_list ON incident (org_id, started_at, id);
      -- What status pages read: those that are open or ended after a moment.
      CREATE INDEX incident_public ON incident (org_id, (COALESCE(ended_at, 'infinity'))) WHERE public_at IS NOT NULL;
      CREATE INDEX incident_merged ON incident (merged_into) WHERE merged_into IS NOT NULL;

      -- An endpoint in an incident, from its first triggered alert to its last resolved one. Names and error as they were: no foreign
      -- key to the endpoint. One that comes back to a reopened incident is the same row. held: its alerts do not trigger.
      -- ack_due: somebody took the incident in hand while it was in it; its own acknowledgement is not written yet.
      CREATE TABLE incident_member (
        incident_id uuid NOT NULL REFERENCES incident ON DELETE CASCADE,
        endpoint_id uuid NOT NULL,
        org_id uuid NOT NULL,
        website_id uuid NOT NULL,
        endpoint_name varchar(255) NOT NULL,
        website_name varchar(255) NOT NULL,
        started_at timestamptz(3) NOT NULL,
        ended_at timestamptz(3),
        error_code varchar(40),
        error_message varchar(300),
        held boolean NOT NULL DEFAULT false,
        ack_due boolean NOT NULL DEFAULT false,
        PRIMARY KEY (incident_id, endpoint_id)
      ) WITH (fillfactor = 70);
      CREATE UNIQUE INDEX incident_member_open ON incident_member (endpoint_id) WHERE ended_at IS NULL;
      CREATE INDEX incident_member_ack_due ON incident_member (incident_id, endpoint_id) WHERE ack_due;
      CREATE INDEX incident_member_of_endpoint ON incident_member (endpoint_id, incident_id);
      CREATE INDEX incident_member_of_website ON incident_member (website_id, incident_id);

      -- What a person said, or the service at the end (automatic).
      CREATE TABLE incident_update (
        id uuid PRIMARY KEY,
        incident_id uuid NOT NULL REFERENCES incident ON DELETE CASCADE,
        org_id uuid NOT NULL,
        at timestamptz(3) NOT NULL,
        by_name varchar(255),
        status varchar(13),
        text varchar(5000) NOT NULL,
        public boolean NOT NULL DEFAULT false,
        automatic boolean NOT NULL DEFAULT false,
        edited_at timestamptz(3)
      );
      CREATE INDEX incident_update_of_incident ON incident_update (incident_id, id);

      ALTER TABLE alert_event ADD COLUMN incident_id uuid;
      CREATE INDEX alert_event_of_incident ON alert_event (incident_id, id) WHERE incident_id IS NOT NULL;
      ALTER TABLE notification ADD COLUMN incident_id uuid;
      CREATE INDEX notification_of_incident ON notification (incident_id, destination) WHERE incident_id IS NOT NULL;
      -- The incident whose acknowledgement wrote it; NULL: it is the endpoint's own.
      ALTER TABLE acknowledgement ADD COLUMN incident_id uuid;
      CREATE INDEX acknowledgement_of_incident ON acknowledgement (incident_id) WHERE incident_id IS NOT NULL;
      ${STREAM}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE acknowledgement DROP COLUMN incident_id;
      ALTER TABLE notification DROP COLUMN incident_id;
      ALTER TABLE alert_event DROP COLUMN incident_id;
      DROP TABLE incident_update, incident_member, incident, incident_sequence;
      DROP FUNCTION stream_incidents_opened, stream_incidents_changed, stream_incidents_deleted`);
  }
}
