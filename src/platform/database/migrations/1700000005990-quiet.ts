import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Why an alert may stay quiet, and what history keeps of it: maintenance windows, acknowledgements, dependencies, warnings.
 * Versions before this one go on beside it: what they write has the defaults, so their checks are neither planned nor
 * degraded.
 */
const UP = [
  // Labels of people, in lower case; an endpoint has its website's as well.
  `ALTER TABLE website ADD COLUMN tags text[] NOT NULL DEFAULT '{}'`,
  `ALTER TABLE endpoint ADD COLUMN tags text[] NOT NULL DEFAULT '{}'`,

  // A child's alerts do not trigger while a parent is down.
  `CREATE TABLE endpoint_dependency (
     endpoint_id uuid NOT NULL REFERENCES endpoint ON DELETE CASCADE,
     parent_id uuid NOT NULL REFERENCES endpoint ON DELETE CASCADE,
     PRIMARY KEY (endpoint_id, parent_id))`,
  'CREATE INDEX endpoint_dependency_by_parent ON endpoint_dependency (parent_id, endpoint_id)',

  // Which endpoints a window covers. Never changed: a window that changes gets another one, so that what is past keeps its own.
  `CREATE TABLE maintenance_scope (
     id uuid PRIMARY KEY,
     org_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
     covers_all boolean NOT NULL,
     website_ids uuid[] NOT NULL DEFAULT '{}',
     endpoint_ids uuid[] NOT NULL DEFAULT '{}',
     tags text[] NOT NULL DEFAULT '{}')`,
  'CREATE INDEX maintenance_scope_of_organization ON maintenance_scope (org_id)',
  // Either one-off (cron is null) or recurring.
  `CREATE TABLE maintenance_window (
     id uuid PRIMARY KEY,
     org_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
     name varchar(255) NOT NULL,
     description varchar(1000) NOT NULL DEFAULT '',
     scope_id uuid NOT NULL REFERENCES maintenance_scope,
     starts_at timestamptz,
     ends_at timestamptz,
     cron varchar(100),
     timezone varchar(64),
     duration_seconds integer,
     mute boolean NOT NULL DEFAULT true,
     exclude_from_uptime boolean NOT NULL DEFAULT true,
     public boolean NOT NULL DEFAULT true,
     created_by varchar(255),
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT maintenance_window_time CHECK (
       (cron IS NULL AND starts_at IS NOT NULL AND ends_at IS NOT NULL AND duration_seconds IS NULL AND timezone IS NULL)
       OR (cron IS NOT NULL AND timezone IS NOT NULL AND duration_seconds IS NOT NULL)))`,
  'CREATE INDEX maintenance_window_of_organization ON maintenance_window (org_id, id)',
  // When windows are in force: written 48 hours ahead, so that recording a check computes no cron. What is past stays, also
  // of a window that was deleted: planned time is counted from it. begun and over: the sweep has acted on it.
  `CREATE TABLE maintenance_occurrence (
     window_id uuid NOT NULL,
     starts_at timestamptz NOT NULL,
     ends_at timestamptz NOT NULL,
     org_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
     scope_id uuid NOT NULL REFERENCES maintenance_scope,
     name varchar(255) NOT NULL,
     mute boolean NOT NULL,
     exclude_from_uptime boolean NOT NULL,
     public boolean NOT NULL,
     begun boolean NOT NULL DEFAULT false,
     over boolean NOT NULL DEFAULT false,
     PRIMARY KEY (window_id, starts_at),
     CONSTRAINT maintenance_occurrence_time CHECK (ends_at >= starts_at))`,
  'CREATE INDEX maintenance_occurrence_of_organization ON maintenance_occurrence (org_id, ends_at)',
  'CREATE INDEX maintenance_occurrence_not_over ON maintenance_occurrence (ends_at) WHERE NOT over',
  `CREATE VIEW maintenance_coverage AS
     SELECT o.org_id, o.window_id, o.name, o.starts_at, o.ends_at, o.mute, o.exclude_from_uptime, o.public,
            s.covers_all, s.website_ids, s.endpoint_ids, s.tags
       FROM maintenance_occurrence o JOIN maintenance_scope s ON s.id = o.scope_id`,

  // Somebody has it in hand. One at most for each endpoint.
  `CREATE TABLE acknowledgement (
     endpoint_id uuid PRIMARY KEY REFERENCES endpoint ON DELETE CASCADE,
     org_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
     by_name varchar(255),
     at timestamptz NOT NULL,
     note varchar(1000) NOT NULL DEFAULT '',
     until timestamptz)`,
  'CREATE INDEX acknowledgement_of_organization ON acknowledgement (org_id)',

  // down: bad is down. degraded: bad is down or a failed warning, good is up without one.
  `ALTER TABLE alert ADD COLUMN condition varchar(16) NOT NULL DEFAULT 'down'`,
  `ALTER TABLE alert_event ADD COLUMN condition varchar(16) NOT NULL DEFAULT 'down'`,

  // failing_since is the beginning of the open outage, which failing_planned is the mark of. *_unmuted_since: the first check
  // of the streak that no mute covered, where an incident begins. recent_degraded: a bit for each outcome of recent.
  `ALTER TABLE endpoint_state
     ADD COLUMN consecutive_bad integer NOT NULL DEFAULT 0,
     ADD COLUMN consecutive_good integer NOT NULL DEFAULT 0,
     ADD COLUMN degraded_since timestamptz,
     ADD COLUMN failing_planned boolean NOT NULL DEFAULT false,
     ADD COLUMN failing_unmuted_since timestamptz,
     ADD COLUMN bad_unmuted_since timestamptz,
     ADD COLUMN recent_degraded integer NOT NULL DEFAULT 0,
     ADD COLUMN hour_planned integer NOT NULL DEFAULT 0,
     ADD COLUMN hour_degraded integer NOT NULL DEFAULT 0,
     ADD COLUMN before_planned integer NOT NULL DEFAULT 0,
     ADD COLUMN before_degraded integer NOT NULL DEFAULT 0`,
  `UPDATE endpoint_state SET consecutive_bad = consecutive_failures, consecutive_good = consecutive_successes,
     failing_unmuted_since = failing_since, bad_unmuted_since = failing_since`,

  // Planned checks are in none of up, down and unknown; degraded ones are among those that are up.
  'ALTER TABLE check_hour ADD COLUMN planned integer NOT NULL DEFAULT 0, ADD COLUMN degraded integer NOT NULL DEFAULT 0',
  'ALTER TABLE check_day ADD COLUMN planned integer NOT NULL DEFAULT 0, ADD COLUMN degraded integer NOT NULL DEFAULT 0',
  'ALTER TABLE outage ADD COLUMN planned boolean NOT NULL DEFAULT false',
  `CREATE OR REPLACE VIEW endpoint_outage AS
    SELECT e.org_id, e.website_id, e.name AS endpoint_name, o.started_at, o.ended_at, o.error, e.id AS endpoint_id, o.planned
      FROM endpoint e JOIN outage o ON o.endpoint_key = e.key`,
];

const DOWN = [
  'DROP VIEW endpoint_outage',
  'ALTER TABLE outage DROP COLUMN planned',
  `CREATE VIEW endpoint_outage AS
    SELECT e.org_id, e.website_id, e.name AS endpoint_name, o.started_at, o.ended_at, o.error, e.id AS endpoint_id
      FROM endpoint e JOIN outage o ON o.endpoint_key = e.key`,
  'ALTER TABLE check_day DROP COLUMN planned, DROP COLUMN degraded',
  'ALTER TABLE check_hour DROP COLUMN planned, DROP COLUMN degraded',
  `ALTER TABLE endpoint_state DROP COLUMN consecutive_bad, DROP COLUMN consecutive_good, DROP COLUMN degraded_since,
     DROP COLUMN failing_planned, DROP COLUMN failing_unmuted_since, DROP COLUMN bad_unmuted_since,
     DROP COLUMN recent_degraded, DROP COLUMN hour_planned, DROP COLUMN hour_degraded, DROP COLUMN before_planned,
     DROP COLUMN before_degraded`,
  'ALTER TABLE alert_event DROP COLUMN condition',
  'ALTER TABLE alert DROP COLUMN condition',
  'DROP TABLE acknowledgement',
  'DROP VIEW maintenance_coverage',
  'DROP TABLE maintenance_occurrence',
  'DROP TABLE maintenance_window',
  'DROP TABLE maintenance_scope',
  'DROP TABLE endpoint_dependency',
  'ALTER TABLE endpoint DROP COLUMN tags',
  'ALTER TABLE website DROP COLUMN tags',
];

export class Quiet1700000005990 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
