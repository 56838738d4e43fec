/** Notification tables: contacts, alerts and their events, deliveries, and the live stream. */
export const ALERT_TABLES = `
-- A channel that is configured once, for the alerts that name it. failing_told: the failing_since of the failure that others
-- were told of.
CREATE TABLE contact (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  name varchar(255) NOT NULL,
  type varchar(32) NOT NULL,
  config jsonb NOT NULL,
  destination varchar(64),
  is_default boolean NOT NULL DEFAULT false,
  defaults jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  external_key varchar(64),
  owner varchar(64),
  failing_told timestamptz(3),
  CONSTRAINT contact_org_id UNIQUE (org_id, id)
);
CREATE INDEX contact_by_default ON contact (org_id, id) WHERE is_default;
CREATE UNIQUE INDEX contact_external_key ON contact (org_id, external_key) WHERE external_key IS NOT NULL;

-- destination: where its deliveries go, written with its type and config, so that recording a transition decrypts nothing;
-- NULL while the config cannot be read. An alert of a contact has the contact's type and destination, which evaluating
-- needs, and no config of its own. condition: 'down': bad is down; 'degraded': bad is down or a failed warning, good is up
-- without one. remind_at: when the next reminder falls due, NULL for none; reminders: how many the open incident had.
CREATE TABLE alert (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  type varchar(32) NOT NULL,
  config jsonb,
  failure_threshold smallint NOT NULL DEFAULT 3,
  success_threshold smallint NOT NULL DEFAULT 2,
  send_on_resolved boolean NOT NULL DEFAULT true,
  description varchar(1000) NOT NULL DEFAULT '',
  enabled boolean NOT NULL DEFAULT true,
  triggered boolean NOT NULL DEFAULT false,
  incident_no integer NOT NULL DEFAULT 0,
  incident_started_at timestamptz(3),
  trigger_event_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  destination varchar(64),
  condition varchar(16) NOT NULL DEFAULT 'down',
  contact_id uuid,
  after_seconds integer NOT NULL DEFAULT 0,
  remind_every_seconds integer,
  remind_at timestamptz(3),
  reminders integer NOT NULL DEFAULT 0,
  external_key varchar(64),
  owner varchar(64),
  CONSTRAINT alert_org_id UNIQUE (org_id, id),
  CONSTRAINT alert_endpoint FOREIGN KEY (org_id, endpoint_id) REFERENCES endpoint (org_id, id) ON DELETE CASCADE,
  CONSTRAINT alert_contact FOREIGN KEY (org_id, contact_id) REFERENCES contact (org_id, id),
  CONSTRAINT alert_config CHECK ((config IS NULL) = (contact_id IS NOT NULL))
);
CREATE INDEX alert_of_endpoint ON alert (endpoint_id);
CREATE INDEX alert_open ON alert (endpoint_id) WHERE triggered;
CREATE INDEX alert_without_destination ON alert (id) WHERE destination IS NULL;
CREATE INDEX alert_of_contact ON alert (contact_id, id) WHERE contact_id IS NOT NULL;
CREATE INDEX alert_to_remind ON alert (remind_at) WHERE remind_at IS NOT NULL;
CREATE UNIQUE INDEX alert_external_key ON alert (org_id, endpoint_id, external_key) WHERE external_key IS NOT NULL;

-- Append-only. Names are snapshots: an event reads the same after a rename or after its alert is gone.
CREATE TABLE alert_event (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  type varchar(9) NOT NULL,
  alert_id uuid NOT NULL,
  alert_type varchar(32) NOT NULL,
  incident_no integer NOT NULL,
  endpoint_id uuid NOT NULL,
  endpoint_name varchar(255) NOT NULL,
  website_id uuid NOT NULL,
  website_name varchar(255) NOT NULL,
  reason varchar(9) NOT NULL,
  message varchar(1000) NOT NULL,
  error_code varchar(40),
  error_message varchar(300),
  failure_count integer NOT NULL,
  success_count integer NOT NULL,
  started_at timestamptz(3),
  duration_seconds integer,
  created_at timestamptz(3) NOT NULL,
  condition varchar(16) NOT NULL DEFAULT 'down',
  CONSTRAINT alert_event_once UNIQUE (alert_id, incident_no, type)
);
CREATE INDEX alert_event_feed ON alert_event (org_id, id);
CREATE INDEX alert_event_of_alert ON alert_event (alert_id, id);
CREATE INDEX alert_event_of_endpoint ON alert_event (endpoint_id, id);
CREATE INDEX alert_event_of_website ON alert_event (website_id, id);

-- Somebody has it in hand. One at most for each endpoint.
CREATE TABLE acknowledgement (
  endpoint_id uuid PRIMARY KEY REFERENCES endpoint ON DELETE CASCADE,
  org_id uuid NOT NULL REFERENCES organization ON DELETE CASCADE,
  by_name varchar(255),
  at timestamptz NOT NULL,
  note varchar(1000) NOT NULL DEFAULT '',
  until timestamptz
);
CREATE INDEX acknowledgement_of_organization ON acknowledgement (org_id);

-- The outbox: one row per owed message. No foreign keys: a row outlives its alert until it is delivered or given up.
-- notice: the vendor-neutral message. config: an encrypted snapshot, only for a message whose alert is changed or gone.
-- lease_token: equal for the rows that are told in one message. rejections: attempts the provider refused for good.
-- contact_id: the contact it goes through; a snapshot of a config is then that contact's envelope. alert_id is NULL in a
-- delivery of kind 'contact_failing', which has no alert. reminder_of, ordinal: of a reminder its trigger's event and its
-- number; its event_id is NULL.
CREATE TABLE notification (
  id uuid PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  org_id uuid NOT NULL,
  alert_id uuid,
  event_id uuid,
  kind varchar(20) NOT NULL,
  incident_no integer NOT NULL,
  channel_type varchar(32) NOT NULL,
  destination varchar(64) NOT NULL,
  notice jsonb NOT NULL,
  config jsonb,
  state varchar(10) NOT NULL DEFAULT 'pending',
  detail varchar(40),
  attempts integer NOT NULL DEFAULT 0,
  rejections smallint NOT NULL DEFAULT 0,
  may_have_arrived boolean NOT NULL DEFAULT false,
  next_attempt_at timestamptz(3) NOT NULL,
  last_attempt_at timestamptz(3),
  lease_token uuid,
  lease_until timestamptz(3),
  response_status integer,
  error varchar(300),
  created_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  contact_id uuid,
  reminder_of uuid,
  ordinal integer,
  CONSTRAINT notification_once UNIQUE (event_id, kind)
) WITH (fillfactor = 70);
-- Only what is still owed, in the order in which one destination gets it: new incidents first ('triggered' > 'resolved').
CREATE INDEX notification_waiting ON notification (org_id, destination, kind DESC, seq) WHERE state = 'pending';
CREATE INDEX notification_of_alert ON notification (alert_id, seq);
CREATE INDEX notification_of_contact ON notification (contact_id, seq) WHERE contact_id IS NOT NULL AND kind <> 'test';
CREATE UNIQUE INDEX notification_reminder ON notification (reminder_of, ordinal) WHERE reminder_of IS NOT NULL;
-- What was given up can be listed, and counted without reading the rest. A failed test is not among it: its sender was told.
CREATE INDEX notification_failed ON notification (org_id, seq) WHERE state = 'failed' AND kind <> 'test';

-- What shares one rate limit and one circuit. Its row lock lets one instance at a time decide what leaves next.
-- due_at: when to look again, NULL while nothing is owed; everybody may lower it, only the claim raises it.
-- tokens: the rate limit's bucket as of tokens_at. failures: straight ones; blocked_until: circuit or provider's own wish.
-- failing_since, last_failed_at: the first and the newest failed attempt since the last one that was delivered.
CREATE TABLE notification_destination (
  org_id uuid NOT NULL,
  destination varchar(64) NOT NULL,
  channel_type varchar(32) NOT NULL,
  host varchar(255),
  due_at timestamptz(3),
  tokens double precision NOT NULL DEFAULT 0,
  tokens_at timestamptz(3),
  digest_at timestamptz(3),
  failures integer NOT NULL DEFAULT 0,
  blocked_until timestamptz(3),
  failing_since timestamptz(3),
  last_failed_at timestamptz(3),
  PRIMARY KEY (org_id, destination)
) WITH (fillfactor = 70);
-- Due destinations are read organization by organization, the longest due first.
CREATE INDEX notification_destination_turn ON notification_destination (org_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX notification_destination_failing ON notification_destination (failing_since) WHERE failing_since IS NOT NULL;

-- What the live stream tells, kept for a day so that a reader can resume. Written by triggers. kind names what payload tells,
-- of an endpoint when endpoint_id is set; rows without a kind are checks and alert events.
-- Order: transactions commit in another order than they take numbers. Readers therefore sort by the writing transaction
-- (xid) and read only what is older than the oldest one still open: nothing can appear behind their back.
CREATE TABLE stream_event (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  seq bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz(3) NOT NULL DEFAULT now(),
  org_id uuid NOT NULL,
  event_id uuid,
  endpoint_id uuid,
  checked_at timestamptz(3),
  status smallint,
  previous_status smallint,
  duration_us integer,
  status_code integer,
  error smallint,
  kind varchar(20),
  payload jsonb,
  PRIMARY KEY (xid, seq)
);
CREATE INDEX stream_event_at ON stream_event (at);
CREATE INDEX stream_event_of_alert ON stream_event (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX stream_event_of_check ON stream_event (org_id, checked_at) WHERE checked_at IS NOT NULL;
-- A client that resumes reads the rows of its organization only, not the day of all.
CREATE INDEX stream_event_of_organization ON stream_event (org_id, xid, seq);
`;
