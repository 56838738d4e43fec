import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of a website with more endpoints, `last_checked_at` is that of the ones that are checked most often. */
const LOOKED_AT = 20;

/**
 * Exact up to twenty endpoints; beyond, late by at most the interval of those looked at. A function, because the planner
 * counts all three ways at their most for each website, and then compiles a list (`jit`) for longer than it takes.
 * Only the order of indexes is left to it, because a session keeps the plans: those of a small database, or of one without
 * statistics, read all endpoints of a large website.
 */
const NEWEST_CHECK = `CREATE FUNCTION website_newest_check(website uuid, endpoints integer) RETURNS timestamptz
  LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
  DECLARE newest timestamptz;
  BEGIN
    IF endpoints > ${LOOKED_AT} THEN
      SELECT max(s.last_checked_at) INTO newest
        FROM (SELECT id FROM endpoint WHERE website_id = website AND enabled ORDER BY interval_seconds, id LIMIT ${LOOKED_AT}) e
        JOIN endpoint_state s ON s.endpoint_id = e.id;
    END IF;
    IF newest IS NULL THEN
      SELECT max(last_checked_at) INTO newest
        FROM (SELECT last_checked_at FROM endpoint_state WHERE website_id = website LIMIT ${LOOKED_AT}) s;
    END IF;
    RETURN newest;
  END $$`;

/**
 * What a website shows of its endpoints costs the same with three and with half a million: their number is kept, and
 * whether any is down or up is one look into an index. The columns are those of the first definition, which versions
 * before this one read.
 */
const KEPT = `CREATE OR REPLACE VIEW website_summary AS
  SELECT u.org_id, u.website_id, u.endpoints AS endpoint_count,
         website_newest_check(u.website_id, u.endpoints) AS last_checked_at,
         EXISTS (SELECT FROM endpoint_state s WHERE s.website_id = u.website_id AND s.enabled AND s.status = 0) AS any_down,
         EXISTS (SELECT FROM endpoint_state s WHERE s.website_id = u.website_id AND s.enabled AND s.status = 1) AS any_up
    FROM website_use u`;

const COUNTED = `CREATE OR REPLACE VIEW website_summary AS
  SELECT e.org_id, e.website_id,
         count(*)::int AS endpoint_count,
         max(s.last_checked_at) AS last_checked_at,
         bool_or(e.enabled AND s.status = 0) AS any_down,
         bool_or(e.enabled AND s.status = 1) AS any_up
    FROM endpoint e JOIN endpoint_state s ON s.endpoint_id = e.id
   GROUP BY e.org_id, e.website_id`;

const amounts =
  '(SELECT website_id, count(*) AS amount FROM changed GROUP BY website_id) n WHERE u.website_id = n.website_id';

/**
 * Counters of websites (docs/decisions/0020-counters.md). No index covers what every check changes, so the recorder's
 * updates stay heap-only; a change of status, which is rare, writes an index entry.
 */
const UP = [
  // The name of the counting triggers below puts them behind those of organization_use: its row is always locked first.
  `CREATE TABLE website_use (
    website_id uuid PRIMARY KEY REFERENCES website (id) ON DELETE CASCADE,
    org_id uuid NOT NULL,
    endpoints integer NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50)`,
  `CREATE FUNCTION website_use_begins() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO website_use (website_id, org_id) VALUES (NEW.id, NEW.org_id);
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER website_use_begins AFTER INSERT ON website FOR EACH ROW EXECUTE FUNCTION website_use_begins()`,
  `CREATE FUNCTION endpoint_of_website_counted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      UPDATE website_use u SET endpoints = u.endpoints + n.amount FROM ${amounts};
    ELSE
      UPDATE website_use u SET endpoints = greatest(0, u.endpoints - n.amount) FROM ${amounts};
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER endpoint_of_website_counted_in AFTER INSERT ON endpoint REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION endpoint_of_website_counted()`,
  `CREATE TRIGGER endpoint_of_website_counted_out AFTER DELETE ON endpoint REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION endpoint_of_website_counted()`,
  // The triggers keep writers out until the end of the migration, so nothing is missed between them and the counting.
  `INSERT INTO website_use (website_id, org_id, endpoints)
   SELECT w.id, w.org_id, coalesce(n.amount, 0)
     FROM website w LEFT JOIN (SELECT website_id, count(*) AS amount FROM endpoint GROUP BY website_id) n ON n.website_id = w.id`,

  // Copies of the endpoint's columns: the website never changes, and the other follows in the transaction of the change.
  'ALTER TABLE endpoint_state ADD COLUMN website_id uuid, ADD COLUMN enabled boolean NOT NULL DEFAULT true',
  'UPDATE endpoint_state s SET website_id = e.website_id, enabled = e.enabled FROM endpoint e WHERE e.id = s.endpoint_id',
  'ALTER TABLE endpoint_state ALTER COLUMN website_id SET NOT NULL',
  `CREATE FUNCTION endpoint_state_begins() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    SELECT website_id, enabled INTO NEW.website_id, NEW.enabled FROM endpoint WHERE id = NEW.endpoint_id;
    RETURN NEW;
  END $$`,
  `CREATE TRIGGER endpoint_state_begins BEFORE INSERT ON endpoint_state FOR EACH ROW
    EXECUTE FUNCTION endpoint_state_begins()`,
  `CREATE FUNCTION endpoint_state_follows() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE endpoint_state SET enabled = NEW.enabled WHERE endpoint_id = NEW.id;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER endpoint_state_follows AFTER UPDATE OF enabled ON endpoint FOR EACH ROW
    WHEN (OLD.enabled <> NEW.enabled) EXECUTE FUNCTION endpoint_state_follows()`,

  'CREATE INDEX endpoint_state_of_website ON endpoint_state (website_id, enabled, status)',
  'CREATE INDEX endpoint_by_interval ON endpoint (website_id, interval_seconds, id) WHERE enabled',
  'CREATE INDEX website_leaving ON website (org_id) WHERE deleted_at IS NOT NULL',
  NEWEST_CHECK,
  KEPT,

  // How many items the lists of an organization have; those of websites that are being removed are no longer listed.
  `CREATE VIEW organization_listed AS
    SELECT u.org_id, u.websites - leaving.websites AS websites, u.endpoints - leaving.endpoints AS endpoints, u.alerts
      FROM organization_use u,
           LATERAL (SELECT count(*)::int AS websites, coalesce(sum(n.endpoints), 0)::int AS endpoints
                      FROM website w JOIN website_use n ON n.website_id = w.id
                     WHERE w.org_id = u.org_id AND w.deleted_at IS NOT NULL) leaving`,
];

const DOWN = [
  'DROP VIEW organization_listed',
  COUNTED,
  'DROP FUNCTION website_newest_check',
  'DROP INDEX website_leaving',
  'DROP INDEX endpoint_by_interval',
  'DROP INDEX endpoint_state_of_website',
  'DROP TRIGGER endpoint_state_follows ON endpoint',
  'DROP FUNCTION endpoint_state_follows',
  'DROP TRIGGER endpoint_state_begins ON endpoint_state',
  'DROP FUNCTION endpoint_state_begins',
  'ALTER TABLE endpoint_state DROP COLUMN website_id, DROP COLUMN enabled',
  'DROP TRIGGER endpoint_of_website_counted_in ON endpoint',
  'DROP TRIGGER endpoint_of_website_counted_out ON endpoint',
  'DROP FUNCTION endpoint_of_website_counted',
  'DROP TRIGGER website_use_begins ON website',
  'DROP FUNCTION website_use_begins',
  'DROP TABLE website_use',
];

export class WebsiteCounters1700000005920 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
