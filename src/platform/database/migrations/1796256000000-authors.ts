import type { MigrationInterface, QueryRunner } from 'typeorm';
import { endpointOverview } from './initial/views';

/** Works like `authorName`, for the columns of an acknowledgement (`k`). */
const NAME = `(CASE WHEN k.person_id IS NULL THEN k.by_name
    ELSE COALESCE((SELECT p.name FROM person p WHERE p.id = k.person_id), 'deleted person') END)::varchar(255)`;

/** Works as in `initial/triggers.ts`. `by` is an SQL expression for the author. */
const streamed = (by: string): string => `
  CREATE OR REPLACE FUNCTION stream_acknowledgement() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' THEN
        INSERT INTO stream_event (org_id, endpoint_id, kind) VALUES (OLD.org_id, OLD.endpoint_id, 'acknowledgement');
      ELSE
        INSERT INTO stream_event (org_id, endpoint_id, kind, payload)
        VALUES (NEW.org_id, NEW.endpoint_id, 'acknowledgement', jsonb_build_object(
          ${by},
          'at', to_char(NEW.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'note', NEW.note,
          'until', to_char(NEW.until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
      END IF;
      RETURN NULL;
    END $$;`;

/**
 * Joins the name of the person who acknowledged an alert when it is read. Fast on a full table: replaces a view and a
 * function.
 */
export class Authors1796256000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE OR REPLACE ${endpointOverview(NAME)}`);
    await runner.query(streamed(`'by', NEW.by_name, 'person_id', NEW.person_id`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE OR REPLACE ${endpointOverview('k.by_name')}`);
    await runner.query(streamed(`'by', NEW.by_name`));
  }
}
