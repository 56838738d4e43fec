import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A status page is a row of its own: of one website, as before, or of the organization with a choice of its websites and
 * endpoints. Versions before this one go on with the pages of websites, and find nothing behind the others.
 */
const UP = [
  `ALTER TABLE status_page DROP CONSTRAINT status_page_pkey`,
  `ALTER TABLE status_page ALTER COLUMN website_id DROP NOT NULL`,
  // The former version inserts with ON CONFLICT (website_id).
  `ALTER TABLE status_page ADD CONSTRAINT status_page_of_website UNIQUE (website_id)`,
  // groups: null shows the website; otherwise [{name, endpoints: [uuid], websites: [uuid]}]. What is gone is left out when read.
  `ALTER TABLE status_page
     ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY,
     ADD COLUMN title varchar(255),
     ADD COLUMN description varchar(2000) NOT NULL DEFAULT '',
     ADD COLUMN accent varchar(7),
     ADD COLUMN logo bytea,
     ADD COLUMN logo_type varchar(16),
     ADD COLUMN logo_hash varchar(27),
     ADD COLUMN domain varchar(253),
     ADD COLUMN groups jsonb,
     ADD CONSTRAINT status_page_domain UNIQUE (domain),
     ADD CONSTRAINT status_page_shows CHECK (website_id IS NOT NULL OR (title IS NOT NULL AND groups IS NOT NULL))`,
  `CREATE INDEX status_page_by_organization ON status_page (org_id, id)`,
  // What a version before this one reads stays in its place.
  `CREATE OR REPLACE VIEW endpoint_outage AS
    SELECT e.org_id, e.website_id, e.name AS endpoint_name, o.started_at, o.ended_at, o.error, e.id AS endpoint_id
      FROM endpoint e JOIN outage o ON o.endpoint_key = e.key`,
];

const DOWN = [
  'DROP VIEW endpoint_outage',
  `CREATE VIEW endpoint_outage AS
    SELECT e.org_id, e.website_id, e.name AS endpoint_name, o.started_at, o.ended_at, o.error
      FROM endpoint e JOIN outage o ON o.endpoint_key = e.key`,
  'DELETE FROM status_page WHERE website_id IS NULL',
  'DROP INDEX status_page_by_organization',
  `ALTER TABLE status_page DROP CONSTRAINT status_page_shows, DROP COLUMN id, DROP COLUMN title, DROP COLUMN description,
     DROP COLUMN accent, DROP COLUMN logo, DROP COLUMN logo_type, DROP COLUMN logo_hash, DROP COLUMN domain,
     DROP COLUMN groups`,
  'ALTER TABLE status_page DROP CONSTRAINT status_page_of_website, ADD PRIMARY KEY (website_id)',
];

export class Pages1700000005970 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
