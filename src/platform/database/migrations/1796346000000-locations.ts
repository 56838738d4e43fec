import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Works as in `initial/triggers.ts`. Two locations may check in the same millisecond, so a check is also identified by
 * its location.
 */
const stateChangeTold = (column: string, value: string, isOther: string): string => `
    CREATE OR REPLACE FUNCTION stream_state_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO stream_event (org_id, endpoint_id, checked_at, status, previous_status, duration_us, status_code, error${column})
        VALUES (NEW.org_id, NEW.endpoint_id, NEW.last_checked_at, NEW.status, OLD.status, NEW.last_duration_us,
                NEW.last_status_code, NEW.last_error${value});
        RETURN NULL;
      END $$;
    DROP TRIGGER stream_state_change ON endpoint_state;
    CREATE TRIGGER stream_state_change AFTER UPDATE ON endpoint_state FOR EACH ROW
      WHEN (OLD.status <> NEW.status AND (OLD.last_checked_at IS DISTINCT FROM NEW.last_checked_at${isOther}) AND NEW.last_checked_at IS NOT NULL)
      EXECUTE FUNCTION stream_state_change();`;

/**
 * Status changes are reported with the location of the check. An instance that doesn't support locations doesn't claim
 * endpoints that have them.
 */
export class Locations1796346000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- last_location, of an endpoint with rows in endpoint_location: where its newest check was made.
      ALTER TABLE endpoint_state ADD COLUMN last_location smallint;
      ALTER TABLE stream_event ADD COLUMN location smallint;
      ${stateChangeTold(', location', ', NEW.last_location', ' OR OLD.last_location IS DISTINCT FROM NEW.last_location')}

      -- locations: it knows of endpoint_location.
      ALTER TABLE instance ADD COLUMN locations boolean NOT NULL DEFAULT false;
      -- An older instance would record what it finds as the verdict of all locations: it claims none of these, they stay due. Cost: a
      -- look into a table of few rows for each claim of an endpoint with locations, a comparison for others.
      CREATE FUNCTION located_claimed() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF EXISTS (SELECT FROM instance WHERE id = NEW.claimed_by AND locations) THEN
            RETURN NEW;
          END IF;
          RETURN NULL;
        END $$;
      CREATE TRIGGER located_claimed BEFORE UPDATE OF claimed_by ON endpoint_schedule FOR EACH ROW
        WHEN (NEW.located AND NEW.claimed_by IS NOT NULL) EXECUTE FUNCTION located_claimed();`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER located_claimed ON endpoint_schedule;
      DROP FUNCTION located_claimed;
      ALTER TABLE instance DROP COLUMN locations;
      ${stateChangeTold('', '', '')}
      ALTER TABLE stream_event DROP COLUMN location;
      ALTER TABLE endpoint_state DROP COLUMN last_location`);
  }
}
