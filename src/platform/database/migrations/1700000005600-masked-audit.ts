import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Header names whose values carry no credential, when this was written. */
const HARMLESS = '^(accept(-charset|-encoding|-language)?|cache-control|pragma|user-agent|content-type)$';

/**
 * The settings of one entry without what entries no longer hold: every mask of an alert's config becomes the plain one,
 * because masks showed the end of long values and the "host" of passwords; of an endpoint the header values, the body, the
 * query of the URL and what headers are compared with are masked. Stars stand nowhere in JSON but inside its strings, hence
 * the expression on its text.
 */
const MASKED = String.raw`CREATE FUNCTION masked_audit_settings(resource text, settings jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN resource = 'alert' AND settings ? 'config' THEN
      jsonb_set(settings, '{config}', regexp_replace(
        (settings -> 'config')::text, '"(?:[^"\\]|\\.)*\*{8}(?:[^"\\]|\\.)*"', '"********"', 'g')::jsonb)
    WHEN resource = 'endpoint' THEN settings
      || CASE WHEN settings ->> 'url' ~* '^https?:.*[?#]' THEN jsonb_build_object(
           'url', regexp_replace(settings ->> 'url', '[?#].*$', '?********')) ELSE '{}' END
      || CASE WHEN settings ->> 'body' <> '' THEN '{"body": "********"}' ELSE '{}'::jsonb END
      || CASE WHEN jsonb_typeof(settings -> 'headers') = 'array' THEN jsonb_build_object('headers', (
           SELECT coalesce(jsonb_agg(CASE WHEN header ->> 'key' ~* '${HARMLESS}' THEN header
                    ELSE jsonb_set(header, '{value}', '"********"') END ORDER BY place), '[]')
             FROM jsonb_array_elements(settings -> 'headers') WITH ORDINALITY AS headers (header, place)
            WHERE jsonb_typeof(header) = 'object')) ELSE '{}' END
      || CASE WHEN jsonb_typeof(settings -> 'assertions') = 'array' THEN jsonb_build_object('assertions', (
           SELECT coalesce(jsonb_agg(CASE WHEN assertion ->> 'source' <> 'header'
                      OR assertion ->> 'comparison' = 'exists' OR assertion ->> 'property' ~* '${HARMLESS}' THEN assertion
                    ELSE jsonb_set(assertion, '{target}', '"********"') END ORDER BY place), '[]')
             FROM jsonb_array_elements(settings -> 'assertions') WITH ORDINALITY AS assertions (assertion, place)
            WHERE jsonb_typeof(assertion) = 'object')) ELSE '{}' END
    ELSE settings END
  $$`;

/**
 * Entries never change, but for this one time: the trigger's function lets the update pass until it is put back as it was,
 * in the same transaction, so that no other session ever runs the open one. One scan of the log, and a new version of
 * each entry that held any of it; no table lock. Instances of older versions still write their masks until they are gone.
 */
const UP = [
  MASKED,
  `DO $migration$
  DECLARE
    stays text := pg_get_functiondef('audit_log_stays'::regproc);
  BEGIN
    CREATE OR REPLACE FUNCTION audit_log_stays() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    WITH masked AS MATERIALIZED (
      SELECT org_id, id, masked_audit_settings(resource, before) AS before, masked_audit_settings(resource, after) AS after
        FROM audit_log WHERE resource IN ('alert', 'endpoint') AND (before IS NOT NULL OR after IS NOT NULL))
    UPDATE audit_log a SET before = m.before, after = m.after
      FROM masked m
     WHERE a.org_id = m.org_id AND a.id = m.id
       AND (a.before IS DISTINCT FROM m.before OR a.after IS DISTINCT FROM m.after);
    EXECUTE stays;
  END $migration$`,
  `DROP FUNCTION masked_audit_settings`,
];

/** What was blanked is gone for good: reverting leaves the log as it is. */
export class MaskedAudit1700000005600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(): Promise<void> {}
}
