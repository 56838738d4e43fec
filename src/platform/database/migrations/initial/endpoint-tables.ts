/**
 * Websites, their endpoints and status pages, and maintenance windows. `external_key` and `owner` are set for resources
 * that are declared as code. The client chooses the key, which is unique among siblings. The owner is the document that
 * declares the resource. Few resources have keys, and the indexes contain only those. `tags` are user-defined labels in
 * lower case. An endpoint also has its website's tags.
 */
export const ENDPOINT_TABLES = `
CREATE TABLE website (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  name varchar(255) NOT NULL,
  url varchar(2048) NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  tags text[] NOT NULL DEFAULT '{}',
  external_key varchar(64),
  owner varchar(64),
  CONSTRAINT website_org_id UNIQUE (org_id, id)
);
CREATE INDEX website_being_deleted ON website (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX website_leaving ON website (org_id) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX website_external_key ON website (org_id, external_key)
  WHERE external_key IS NOT NULL AND deleted_at IS NULL;

-- How many endpoints a website has, kept by triggers (docs/decisions/0020-counters.md).
CREATE TABLE website_use (
  website_id uuid PRIMARY KEY REFERENCES website (id) ON DELETE CASCADE,
  org_id uuid NOT NULL,
  endpoints integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- key is the internal number history is stored under: 8 bytes instead of 16 in every check. tls: how checks judge
-- certificates; NULL: as everybody would, which is so for most.
CREATE TABLE endpoint (
  id uuid PRIMARY KEY,
  key bigserial NOT NULL,
  org_id uuid NOT NULL,
  website_id uuid NOT NULL,
  name varchar(255) NOT NULL,
  url varchar(2048) NOT NULL,
  type varchar(32) NOT NULL,
  method varchar(8) NOT NULL DEFAULT 'GET',
  interval_seconds integer NOT NULL DEFAULT 60,
  timeout_seconds integer NOT NULL DEFAULT 10,
  enabled boolean NOT NULL DEFAULT true,
  headers jsonb NOT NULL DEFAULT '[]',
  body text,
  follow_redirects boolean NOT NULL DEFAULT true,
  assertions jsonb NOT NULL DEFAULT '[]',
  revision integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags text[] NOT NULL DEFAULT '{}',
  external_key varchar(64),
  owner varchar(64),
  tls jsonb,
  CONSTRAINT endpoint_key UNIQUE (key),
  CONSTRAINT endpoint_org_id UNIQUE (org_id, id),
  CONSTRAINT endpoint_website FOREIGN KEY (org_id, website_id) REFERENCES website (org_id, id) ON DELETE CASCADE
);
CREATE INDEX endpoint_of_website ON endpoint (website_id, id);
CREATE INDEX endpoint_by_interval ON endpoint (website_id, interval_seconds, id) WHERE enabled;
CREATE UNIQUE INDEX endpoint_external_key ON endpoint (org_id, website_id, external_key) WHERE external_key IS NOT NULL;

-- Narrow on purpose: claiming rewrites one row of this table per check, and nothing else. revision tells a process
-- whether the definition it has cached is still true. claimed_* say who holds the newest slot. scheduled: instances run its
-- checks by the clock. It is in every claim, so that none of 0.1.0 claims what a later version does not want claimed.
CREATE TABLE endpoint_schedule (
  endpoint_id uuid PRIMARY KEY REFERENCES endpoint (id) ON DELETE CASCADE,
  org_id uuid NOT NULL,
  interval_seconds integer NOT NULL,
  timeout_seconds integer NOT NULL,
  phase_ms integer NOT NULL,
  active boolean NOT NULL,
  revision integer NOT NULL,
  next_check_at timestamptz(3) NOT NULL,
  claimed_slot timestamptz(3),
  claimed_by integer,
  busy_until timestamptz(3),
  scheduled boolean NOT NULL DEFAULT true
) WITH (fillfactor = 70);
CREATE INDEX endpoint_schedule_due ON endpoint_schedule (next_check_at) WHERE active AND scheduled;

-- status: 0 down, 1 up, 2 unknown. recent: the last 30 outcomes, 2 bits each, newest in the lowest bits
-- (0 none, 1 up, 2 down, 3 unknown); recent_degraded: a bit for each of them. hour_*: counts of the hour that began at
-- hour_start, so that reads need not scan raw checks; before_*: those of the hour right before it, which may not be rolled up
-- yet. website_id and enabled are copies of the endpoint's, which follow in the transaction of a change.
-- failing_since is the beginning of the open outage, which failing_planned is the mark of. *_unmuted_since: the first check
-- of the streak that no mute covered, where an incident begins. last_*_us: phases of the newest check, coded as in check_result.
-- No index covers what every check changes, and there is room on each page: the recorder's updates stay heap-only.
CREATE TABLE endpoint_state (
  endpoint_id uuid PRIMARY KEY REFERENCES endpoint (id) ON DELETE CASCADE,
  endpoint_key bigint NOT NULL,
  org_id uuid NOT NULL,
  status smallint NOT NULL DEFAULT 2,
  status_since timestamptz(3),
  consecutive_failures integer NOT NULL DEFAULT 0,
  consecutive_successes integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  last_checked_at timestamptz(3),
  last_slot_at timestamptz(3),
  last_duration_us integer,
  last_status_code integer,
  last_error smallint,
  recent bigint NOT NULL DEFAULT 0,
  hour_start timestamptz(3),
  hour_up integer NOT NULL DEFAULT 0,
  hour_down integer NOT NULL DEFAULT 0,
  hour_unknown integer NOT NULL DEFAULT 0,
  before_up integer NOT NULL DEFAULT 0,
  before_down integer NOT NULL DEFAULT 0,
  before_unknown integer NOT NULL DEFAULT 0,
  certificate_expires_at timestamptz(3),
  website_id uuid NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  consecutive_bad integer NOT NULL DEFAULT 0,
  consecutive_good integer NOT NULL DEFAULT 0,
  degraded_since timestamptz,
  failing_planned boolean NOT NULL DEFAULT false,
  failing_unmuted_since timestamptz,
  bad_unmuted_since timestamptz,
  recent_degraded integer NOT NULL DEFAULT 0,
  hour_planned integer NOT NULL DEFAULT 0,
  hour_degraded integer NOT NULL DEFAULT 0,
  before_planned integer NOT NULL DEFAULT 0,
  before_degraded integer NOT NULL DEFAULT 0,
  last_dns_us integer,
  last_connect_us integer,
  last_tls_us integer,
  last_first_byte_us integer,
  last_transfer_us integer
) WITH (fillfactor = 60);
CREATE INDEX endpoint_state_of_website ON endpoint_state (website_id, enabled, status);

-- A child's alerts do not trigger while a parent is down.
CREATE TABLE endpoint_dependency (
  endpoint_id uuid NOT NULL REFERENCES endpoint ON DELETE CASCADE,
  parent_id uuid NOT NULL REFERENCES endpoint ON DELETE CASCADE,
  PRIMARY KEY (endpoint_id, parent_id)
);
CREATE INDEX endpoint_dependency_by_parent ON endpoint_dependency (parent_id, endpoint_id);

-- A page of one website, or of the organization with a choice of its websites and endpoints. There is one only while it is
-- enabled; the slug is unique over the installation. groups: NULL shows the website; otherwise
-- [{name, endpoints: [uuid], websites: [uuid]}]. What is gone is left out when read.
CREATE TABLE status_page (
  website_id uuid REFERENCES website (id) ON DELETE CASCADE,
  org_id uuid NOT NULL,
  slug varchar(64) NOT NULL,
  enabled boolean NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  title varchar(255),
  description varchar(2000) NOT NULL DEFAULT '',
  accent varchar(7),
  logo bytea,
  logo_type varchar(16),
  logo_hash varchar(27),
  domain varchar(253),
  groups jsonb,
  external_key varchar(64),
  owner varchar(64),
  CONSTRAINT status_page_slug UNIQUE (slug),
  CONSTRAINT status_page_of_website UNIQUE (website_id),
  CONSTRAINT status_page_domain UNIQUE (domain),
  CONSTRAINT status_page_shows CHECK (website_id IS NOT NULL OR (title IS NOT NULL AND groups IS NOT NULL))
);
CREATE INDEX status_page_by_organization ON status_page (org_id, id);
CREATE UNIQUE INDEX status_page_external_key ON status_page (org_id, external_key) WHERE external_key IS NOT NULL;

-- Which endpoints a window covers. Never changed: a window that changes gets another one, so that what is past keeps its own.
CREATE TABLE maintenance_scope (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  covers_all boolean NOT NULL,
  website_ids uuid[] NOT NULL DEFAULT '{}',
  endpoint_ids uuid[] NOT NULL DEFAULT '{}',
  tags text[] NOT NULL DEFAULT '{}'
);
CREATE INDEX maintenance_scope_of_organization ON maintenance_scope (org_id);

-- Either one-off (cron is null) or recurring. listed_at: the start of a one-off window, the next start of a recurring one.
-- planned_until: occurrences that begin until then are written; 'infinity' when there will be no more.
CREATE TABLE maintenance_window (
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
  listed_at timestamptz NOT NULL DEFAULT now(),
  planned_until timestamptz NOT NULL DEFAULT '-infinity',
  external_key varchar(64),
  owner varchar(64),
  CONSTRAINT maintenance_window_time CHECK (
    (cron IS NULL AND starts_at IS NOT NULL AND ends_at IS NOT NULL AND duration_seconds IS NULL AND timezone IS NULL)
    OR (cron IS NOT NULL AND timezone IS NOT NULL AND duration_seconds IS NOT NULL))
);
CREATE INDEX maintenance_window_of_organization ON maintenance_window (org_id, id);
CREATE INDEX maintenance_window_listed ON maintenance_window (org_id, listed_at, id);
CREATE INDEX maintenance_window_to_plan ON maintenance_window (planned_until) WHERE planned_until < 'infinity';
CREATE INDEX maintenance_window_to_list ON maintenance_window (listed_at)
  WHERE planned_until < 'infinity' AND cron IS NOT NULL;
CREATE INDEX maintenance_window_with_scope ON maintenance_window (scope_id);
CREATE UNIQUE INDEX maintenance_window_external_key ON maintenance_window (org_id, external_key)
  WHERE external_key IS NOT NULL;

-- When windows are in force: written 48 hours ahead, so that recording a check computes no cron. What is past stays, also
-- of a window that was deleted: planned time is counted from it. begun and over: the sweep has acted on it. continued: cut
-- short by a change of its window, which goes on in another row.
CREATE TABLE maintenance_occurrence (
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
  continued boolean NOT NULL DEFAULT false,
  PRIMARY KEY (window_id, starts_at),
  CONSTRAINT maintenance_occurrence_time CHECK (ends_at >= starts_at)
);
-- Both bounds in the index: what is written ahead costs the recorder no look into the table.
CREATE INDEX maintenance_occurrence_of_organization ON maintenance_occurrence (org_id, ends_at, starts_at);
CREATE INDEX maintenance_occurrence_not_over ON maintenance_occurrence (ends_at) WHERE NOT over;
CREATE INDEX maintenance_occurrence_not_begun ON maintenance_occurrence (starts_at) WHERE NOT begun;
CREATE INDEX maintenance_occurrence_by_end ON maintenance_occurrence (ends_at);
CREATE INDEX maintenance_occurrence_with_scope ON maintenance_occurrence (scope_id);
`;
