import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Portable PostgreSQL 15; also runs on the embedded database. Every growing table starts its key with an internal endpoint key. */
const UP = [
  // Random values the whole installation shares: the API keys' pepper, the cursors' signing key.
  `CREATE TABLE server_secret (name varchar(32) PRIMARY KEY, value bytea NOT NULL)`,

  `CREATE TABLE organization (
    id uuid PRIMARY KEY,
    name varchar(255) NOT NULL,
    is_default boolean NOT NULL DEFAULT false,
    created_at timestamptz(3) NOT NULL DEFAULT now()
  )`,
  `CREATE UNIQUE INDEX organization_only_default ON organization (is_default) WHERE is_default`,

  `CREATE TABLE api_key (
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
  )`,
  `CREATE INDEX api_key_org ON api_key (org_id, id)`,

  `CREATE TABLE website (
    id uuid PRIMARY KEY,
    org_id uuid NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name varchar(255) NOT NULL,
    url varchar(2048) NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT website_org_id UNIQUE (org_id, id)
  )`,

  // "key" is the internal number history is stored under: 8 bytes instead of 16 in every check.
  `CREATE TABLE endpoint (
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
    CONSTRAINT endpoint_key UNIQUE (key),
    CONSTRAINT endpoint_org_id UNIQUE (org_id, id),
    CONSTRAINT endpoint_website FOREIGN KEY (org_id, website_id) REFERENCES website (org_id, id) ON DELETE CASCADE
  )`,
  `CREATE INDEX endpoint_of_website ON endpoint (website_id, id)`,

  // The processes at work on this database. One whose heartbeat stops is taken for dead and its claims are handed on.
  `CREATE TABLE instance (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    role varchar(8) NOT NULL,
    started_at timestamptz(3) NOT NULL DEFAULT now(),
    heartbeat_at timestamptz(3) NOT NULL DEFAULT now()
  )`,

  // Narrow on purpose: claiming rewrites one row of this table per check, and nothing else. revision tells a process
  // whether the definition it has cached is still true. claimed_* say who holds the newest slot.
  `CREATE TABLE endpoint_schedule (
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
    busy_until timestamptz(3)
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX endpoint_schedule_due ON endpoint_schedule (next_check_at) WHERE active`,

  // status: 0 down, 1 up, 2 unknown. recent: the last 30 outcomes, 2 bits each, newest in the lowest bits
  // (0 none, 1 up, 2 down, 3 unknown). hour_*: counts of the hour that began at hour_start, so that reads need not scan
  // raw checks; before_*: those of the hour right before it, which may not be rolled up yet.
  // No index besides the key and room on each page: every update stays heap-only.
  `CREATE TABLE endpoint_state (
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
    certificate_expires_at timestamptz(3)
  ) WITH (fillfactor = 60)`,

  `CREATE TABLE alert (
    id uuid PRIMARY KEY,
    org_id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    type varchar(32) NOT NULL,
    config jsonb NOT NULL,
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
    CONSTRAINT alert_org_id UNIQUE (org_id, id),
    CONSTRAINT alert_endpoint FOREIGN KEY (org_id, endpoint_id) REFERENCES endpoint (org_id, id) ON DELETE CASCADE
  )`,
  `CREATE INDEX alert_of_endpoint ON alert (endpoint_id)`,
  `CREATE INDEX alert_open ON alert (endpoint_id) WHERE triggered`,

  // Append-only. Names are snapshots: an event reads the same after a rename or after its alert is gone.
  `CREATE TABLE alert_event (
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
    CONSTRAINT alert_event_once UNIQUE (alert_id, incident_no, type)
  )`,
  `CREATE INDEX alert_event_feed ON alert_event (org_id, id)`,
  `CREATE INDEX alert_event_of_endpoint ON alert_event (endpoint_id, id)`,
  `CREATE INDEX alert_event_of_website ON alert_event (website_id, id)`,

  // The outbox: one row per owed message. No foreign keys: a row outlives its alert until it is delivered or given up.
  // notice: the vendor-neutral message. config: an encrypted snapshot, only for a message whose alert is changed or gone.
  // lease_token: equal for the rows that are told in one message. rejections: attempts the provider refused for good.
  `CREATE TABLE notification (
    id uuid PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    org_id uuid NOT NULL,
    alert_id uuid NOT NULL,
    event_id uuid,
    kind varchar(9) NOT NULL,
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
    CONSTRAINT notification_once UNIQUE (event_id, kind)
  ) WITH (fillfactor = 70)`,
  // Only what is still owed, in the order in which one destination gets it: new incidents first ('triggered' > 'resolved').
  `CREATE INDEX notification_waiting ON notification (org_id, destination, kind DESC, seq) WHERE state = 'pending'`,
  `CREATE INDEX notification_of_alert ON notification (alert_id, seq)`,

  // What shares one rate limit and one circuit. Its row lock lets one instance at a time decide what leaves next.
  // due_at: when to look again, NULL while nothing is owed; everybody may lower it, only the claim raises it.
  // tokens: the rate limit's bucket as of tokens_at. failures: straight ones; blocked_until: circuit or provider's own wish.
  `CREATE TABLE notification_destination (
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
    PRIMARY KEY (org_id, destination)
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX notification_destination_due ON notification_destination (due_at) WHERE due_at IS NOT NULL`,

  // One row per check, daily partitions created ahead and dropped by the application. outcome: 0 down, 1 up, 2 unknown;
  // + 4 when it was confirmed by a second attempt. error: position in ERROR_CODES, -1 none. Phases in microseconds,
  // -1 when absent (no NULLs: a null bitmap would cost 8 bytes a row). detail_hash 0: nothing worth a detail row.
  `CREATE TABLE check_result (
    endpoint_key bigint NOT NULL,
    checked_at timestamptz(3) NOT NULL,
    detail_hash bigint NOT NULL,
    duration_us integer NOT NULL,
    dns_us integer NOT NULL,
    connect_us integer NOT NULL,
    tls_us integer NOT NULL,
    first_byte_us integer NOT NULL,
    transfer_us integer NOT NULL,
    status_code smallint NOT NULL,
    error smallint NOT NULL,
    outcome smallint NOT NULL
  ) PARTITION BY RANGE (checked_at)`,
  `CREATE INDEX check_result_of_endpoint ON check_result (endpoint_key)`,
  // Checks arrive in the order of time, so a few bytes per megabyte find an hour in a day.
  `CREATE INDEX check_result_by_time ON check_result USING brin (checked_at) WITH (pages_per_range = 32)`,

  // What repeats from check to check (address, certificate, answers, error text) is stored once per distinct content.
  `CREATE TABLE check_detail (
    endpoint_key bigint NOT NULL,
    hash bigint NOT NULL,
    seen_on date NOT NULL,
    body jsonb NOT NULL,
    PRIMARY KEY (endpoint_key, hash)
  )`,

  // buckets/counts: a sparse latency histogram of the up checks, bucket = floor(8*log2(us/100)), mergeable by adding.
  // The sums are over the up checks as well; a phase that a check did not reach adds nothing.
  ...['check_hour', 'check_day'].map(
    (table) => `CREATE TABLE ${table} (
    endpoint_key bigint NOT NULL,
    start_at timestamptz(3) NOT NULL,
    up integer NOT NULL,
    down integer NOT NULL,
    unknown integer NOT NULL,
    sum_us bigint NOT NULL,
    dns_us bigint NOT NULL,
    connect_us bigint NOT NULL,
    tls_us bigint NOT NULL,
    first_byte_us bigint NOT NULL,
    transfer_us bigint NOT NULL,
    min_us integer NOT NULL,
    max_us integer NOT NULL,
    buckets smallint[] NOT NULL,
    counts integer[] NOT NULL,
    PRIMARY KEY (endpoint_key, start_at)
  )`,
  ),

  // How far the rollups have come: everything before done_until is in check_hour (check_day). The endpoints with a key up
  // to after_key have their part of the hour (day) that begins there as well: the work goes in small steps. At first an
  // hour is open for two minutes more, as ever after: a check that is told in them needs no note in history_late.
  `CREATE TABLE history_progress (
    name varchar(8) PRIMARY KEY,
    done_until timestamptz(3) NOT NULL,
    after_key bigint NOT NULL DEFAULT 0
  )`,
  `INSERT INTO history_progress (name, done_until) VALUES
    ('hour', date_trunc('hour', now() - interval '2 minutes', 'UTC')),
    ('day', date_trunc('day', now() - interval '2 minutes', 'UTC')),
    ('purge', now())`,

  // Hours of endpoints for which a check was recorded after the hour was closed; the rollup builds them again. No key:
  // a note must never find one that is just being worked off and rely on it.
  `CREATE TABLE history_late (endpoint_key bigint NOT NULL, hour_at timestamptz(3) NOT NULL)`,

  // What the overview shows of the closed hours before "until", for the windows that end there. One row per endpoint.
  // young_checks: an endpoint without a good check in a closed hour has its p95 from that many single checks; otherwise 0.
  `CREATE TABLE endpoint_summary (
    endpoint_key bigint PRIMARY KEY,
    until timestamptz(3) NOT NULL,
    up_24h integer NOT NULL,
    down_24h integer NOT NULL,
    unknown_24h integer NOT NULL,
    up_7d integer NOT NULL,
    down_7d integer NOT NULL,
    up_30d integer NOT NULL,
    down_30d integer NOT NULL,
    up_90d integer NOT NULL,
    down_90d integer NOT NULL,
    p95_24h_us integer NOT NULL,
    young_checks integer NOT NULL DEFAULT 0
  ) WITH (fillfactor = 70)`,

  // First failing check → first good one. ended_at NULL while it lasts. Written by the recorder in the check's transaction.
  `CREATE TABLE outage (
    endpoint_key bigint NOT NULL,
    started_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3),
    error smallint NOT NULL,
    error_message varchar(300) NOT NULL,
    PRIMARY KEY (endpoint_key, started_at)
  )`,
  `CREATE INDEX outage_open ON outage (endpoint_key) WHERE ended_at IS NULL`,

  // Endpoints whose history is to be removed; retention works them off in small steps.
  `CREATE TABLE history_purge (endpoint_key bigint PRIMARY KEY, asked_at timestamptz(3) NOT NULL DEFAULT now())`,
];

export class Initial1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    const tables = UP.map((statement) => /^CREATE TABLE (\w+)/.exec(statement)?.[1]).filter(
      (name) => name !== undefined,
    );
    for (const table of tables.reverse()) await runner.query(`DROP TABLE ${table}`);
  }
}
