/** The installation itself, organizations with their keys and usage, and the audit log. */
export const ORGANIZATION_TABLES = `
-- Random values the whole installation shares: the API keys' pepper, the cursors' signing key.
CREATE TABLE server_secret (name varchar(32) PRIMARY KEY, value bytea NOT NULL);

-- The processes at work on this database. One whose heartbeat stops is taken for dead and its claims are handed on. What
-- each is asked for and does is written with its heartbeat.
CREATE TABLE instance (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  role varchar(8) NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  heartbeat_at timestamptz(3) NOT NULL DEFAULT now(),
  overloaded_since timestamptz(3),
  overload_ratio real,
  skipped_per_second real,
  checks_per_second real
);

-- Which migrations of extensions have run. Apart from the service's own: theirs come and go with what is installed.
CREATE TABLE extension_migration (
  extension varchar(40) NOT NULL,
  name varchar(200) NOT NULL,
  ran_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (extension, name)
);

-- quotas: what the operator set for it alone. deleted_at marks what is being removed in steps.
CREATE TABLE organization (
  id uuid PRIMARY KEY,
  name varchar(255) NOT NULL,
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  quotas jsonb NOT NULL DEFAULT '{}',
  deleted_at timestamptz(3)
);
CREATE UNIQUE INDEX organization_only_default ON organization (is_default) WHERE is_default;

-- What an organization has. Kept by triggers: its row is also what parallel creations wait for, so that none goes beyond a
-- limit. check_rate: millionths of a check per second, over all endpoints, paused ones too.
CREATE TABLE organization_use (
  org_id uuid PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
  websites integer NOT NULL DEFAULT 0,
  endpoints integer NOT NULL DEFAULT 0,
  alerts integer NOT NULL DEFAULT 0,
  api_keys integer NOT NULL DEFAULT 0,
  status_pages integer NOT NULL DEFAULT 0,
  check_rate bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- How much its changes have added on its newest day. A table of its own: a row of organization_use is locked by every
-- creation until it ends.
CREATE TABLE organization_change (
  org_id uuid PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
  day date NOT NULL,
  bytes bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE api_key (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  name varchar(255) NOT NULL,
  role varchar(8) NOT NULL,
  lookup varchar(32) NOT NULL,
  hash bytea NOT NULL,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT api_key_lookup UNIQUE (lookup)
);
CREATE INDEX api_key_org ON api_key (org_id, id);

-- Browser sessions and one-time sign-in links. Both hold only hashes and die with the API key they stand for.
CREATE TABLE session (
  hash bytea PRIMARY KEY,
  key_id uuid NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL,
  last_seen_at timestamptz(3) NOT NULL
);
CREATE INDEX session_of_key ON session (key_id);
CREATE TABLE sign_in_link (
  hash bytea PRIMARY KEY,
  key_id uuid NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL
);

-- Responses to requests with an Idempotency-Key, kept to be sent again. body is an envelope of SecretBox, bytes how long the
-- text in it is.
CREATE TABLE idempotency_key (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  key varchar(255) COLLATE "C" NOT NULL,
  route text NOT NULL,
  body_digest bytea NOT NULL,
  status smallint NOT NULL,
  headers jsonb NOT NULL,
  body jsonb NOT NULL,
  bytes integer NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT idempotency_key_once UNIQUE (org_id, key)
);
CREATE INDEX idempotency_key_expires_at ON idempotency_key (expires_at);

-- Who changed what. Triggers keep every row until its time or its organization is over.
CREATE TABLE audit_log (
  id uuid NOT NULL,
  org_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  action varchar(16) NOT NULL,
  resource varchar(40) NOT NULL,
  resource_id uuid NOT NULL,
  changed text[] NOT NULL,
  before jsonb,
  after jsonb,
  via varchar(16) NOT NULL,
  key_id uuid,
  key_name varchar(255),
  address varchar(64),
  request_id varchar(64),
  PRIMARY KEY (org_id, id)
);
CREATE INDEX audit_log_of_resource ON audit_log (org_id, resource_id, id);
CREATE INDEX audit_log_created_at ON audit_log (created_at);

-- What the operator did to the installation: it belongs to no organization and outlives each.
CREATE TABLE operator_audit_log (
  id uuid PRIMARY KEY,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  action varchar(16) NOT NULL,
  resource varchar(16) NOT NULL,
  resource_id uuid NOT NULL,
  changed text[] NOT NULL,
  before jsonb,
  after jsonb,
  via varchar(16) NOT NULL,
  key_id uuid,
  key_name varchar(255),
  address varchar(64),
  request_id varchar(64)
);
CREATE INDEX operator_audit_log_created_at ON operator_audit_log (created_at);
`;
