import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A ping URL belongs to one heartbeat as long as it works, even after a rotation. Takes a short lock on `heartbeat` and
 * makes one pass over its rows.
 */
export class HeartbeatAddresses1796432420000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Every address that works: the present ones, and those from before a rotation until "until". Written by the triggers below,
      -- so that whoever writes a heartbeat keeps to it, an older instance too.
      CREATE TABLE heartbeat_address (
        kind text NOT NULL,
        address text NOT NULL,
        endpoint_id uuid NOT NULL REFERENCES heartbeat (endpoint_id) ON DELETE CASCADE,
        until timestamptz(3),
        PRIMARY KEY (kind, address)
      );
      CREATE INDEX heartbeat_address_endpoint_id ON heartbeat_address (endpoint_id);

      INSERT INTO heartbeat_address (kind, address, endpoint_id)
      SELECT 'id', ping_id::text, endpoint_id FROM heartbeat UNION ALL SELECT 'token', push_token, endpoint_id FROM heartbeat;
      INSERT INTO heartbeat_address (kind, address, endpoint_id, until)
      SELECT 'id', old_ping_id::text, endpoint_id, old_until FROM heartbeat WHERE old_ping_id IS NOT NULL AND old_until > now()
       UNION ALL
      SELECT 'token', old_push_token, endpoint_id, old_until FROM heartbeat WHERE old_push_token IS NOT NULL AND old_until > now()
      ON CONFLICT DO NOTHING;
      -- What was taken by another one in the meantime is no longer theirs.
      UPDATE heartbeat h SET old_ping_id = NULL WHERE old_ping_id IS NOT NULL
         AND NOT EXISTS (SELECT FROM heartbeat_address WHERE kind = 'id' AND address = h.old_ping_id::text AND endpoint_id = h.endpoint_id);
      UPDATE heartbeat h SET old_push_token = NULL WHERE old_push_token IS NOT NULL
         AND NOT EXISTS (SELECT FROM heartbeat_address WHERE kind = 'token' AND address = h.old_push_token AND endpoint_id = h.endpoint_id);

      -- Cost: two rows for each new heartbeat. In one order, so that no two statements wait for each other.
      CREATE FUNCTION heartbeat_addresses_of_new() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM heartbeat_address WHERE until <= now() AND (kind, address) IN (
          SELECT 'id', ping_id::text FROM added UNION ALL SELECT 'token', push_token FROM added);
        INSERT INTO heartbeat_address (kind, address, endpoint_id)
        SELECT 'id' AS kind, ping_id::text AS address, endpoint_id FROM added
         UNION ALL SELECT 'token', push_token, endpoint_id FROM added ORDER BY kind, address;
        RETURN NULL;
      END $$;
      CREATE TRIGGER heartbeat_addresses_of_new AFTER INSERT ON heartbeat
        REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION heartbeat_addresses_of_new();

      -- Cost: at most four rows. A ping changes none of these columns.
      CREATE FUNCTION heartbeat_addresses_of_changed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM heartbeat_address WHERE endpoint_id = NEW.endpoint_id OR (until <= now() AND (kind, address) IN (
          ('id', NEW.ping_id::text), ('token', NEW.push_token)));
        INSERT INTO heartbeat_address (kind, address, endpoint_id, until)
        SELECT DISTINCT ON (kind, address) kind, address, NEW.endpoint_id, until
          FROM (VALUES ('id', NEW.ping_id::text, NULL::timestamptz), ('token', NEW.push_token, NULL),
                       ('id', NEW.old_ping_id::text, NEW.old_until), ('token', NEW.old_push_token, NEW.old_until)
               ) AS held (kind, address, until)
         WHERE address IS NOT NULL AND (until IS NULL OR until > now())
         ORDER BY kind, address, until DESC NULLS FIRST;
        RETURN NULL;
      END $$;
      CREATE TRIGGER heartbeat_addresses_of_changed
        AFTER UPDATE OF ping_id, push_token, old_ping_id, old_push_token, old_until ON heartbeat
        FOR EACH ROW EXECUTE FUNCTION heartbeat_addresses_of_changed();`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER heartbeat_addresses_of_changed ON heartbeat;
      DROP TRIGGER heartbeat_addresses_of_new ON heartbeat;
      DROP FUNCTION heartbeat_addresses_of_changed;
      DROP FUNCTION heartbeat_addresses_of_new;
      DROP TABLE heartbeat_address`);
  }
}
