/** The columns that hourly and daily stats share. */
export const STATS_COLUMNS = `
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
  planned integer NOT NULL DEFAULT 0,
  degraded integer NOT NULL DEFAULT 0`;
const STATS = `${STATS_COLUMNS},
  PRIMARY KEY (endpoint_key, start_at)`;

/**
 * Checks and the data that is computed from them. In every growing table, the key starts with an internal endpoint key.
 */
export const HISTORY_TABLES = `
-- One row per check, daily partitions created ahead and dropped by the application. outcome: 0 down, 1 up, 2 unknown;
-- + 4 when it was confirmed by a second attempt. error: position in ERROR_CODES, -1 none. Phases in microseconds,
-- -1 when absent (no NULLs: a null bitmap would cost 8 bytes a row). detail_hash 0: nothing worth a detail row.
CREATE TABLE check_result (
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
) PARTITION BY RANGE (checked_at);
CREATE INDEX check_result_of_endpoint ON check_result (endpoint_key);
-- Checks arrive in the order of time, so a few bytes per megabyte find an hour in a day.
CREATE INDEX check_result_by_time ON check_result USING brin (checked_at) WITH (pages_per_range = 32);

-- What repeats from check to check (address, certificate, answers, error text) is stored once per distinct content.
CREATE TABLE check_detail (
  endpoint_key bigint NOT NULL,
  hash bigint NOT NULL,
  seen_on date NOT NULL,
  body jsonb NOT NULL,
  PRIMARY KEY (endpoint_key, hash)
);

-- buckets/counts: a sparse latency histogram of the up checks, bucket = floor(8*log2(us/100)), mergeable by adding.
-- The sums are over the up checks as well; a phase that a check did not reach adds nothing.
-- Planned checks are in none of up, down and unknown; degraded ones are among those that are up.
CREATE TABLE check_hour (${STATS}
);
CREATE TABLE check_day (${STATS}
);

-- How far the rollups have come: everything before done_until is in check_hour (check_day). The endpoints with a key up
-- to after_key have their part of the hour (day) that begins there as well: the work goes in small steps. Its rows are
-- of the moment of the installation: the next migration inserts them.
CREATE TABLE history_progress (
  name varchar(8) PRIMARY KEY,
  done_until timestamptz(3) NOT NULL,
  after_key bigint NOT NULL DEFAULT 0
);

-- Hours of endpoints for which a check was recorded after the hour was closed; the rollup builds them again. No key:
-- a note must never find one that is just being worked off and rely on it.
CREATE TABLE history_late (endpoint_key bigint NOT NULL, hour_at timestamptz(3) NOT NULL);

-- Endpoints without a p95 from closed hours, and when to look at each again, so that finding those that need one costs what
-- it yields however many endpoints there are. Filled from the keys that follow after_key of the progress 'new', which
-- begins before the first endpoint, and when an hour is closed.
CREATE TABLE history_new (endpoint_key bigint PRIMARY KEY, look_at timestamptz(3) NOT NULL) WITH (fillfactor = 70);
CREATE INDEX history_new_look_at ON history_new (look_at);

-- Endpoints whose history is to be removed; retention works them off in small steps.
CREATE TABLE history_purge (endpoint_key bigint PRIMARY KEY, asked_at timestamptz(3) NOT NULL DEFAULT now());

-- What the overview shows of the closed hours before "until", for the windows that end there. One row per endpoint.
-- young_checks: an endpoint without a good check in a closed hour has its p95 from that many single checks; otherwise 0.
-- is_stale: its hours were corrected since. days_*: on how many full days of the window it had a check that could tell.
CREATE TABLE endpoint_summary (
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
  young_checks integer NOT NULL DEFAULT 0,
  is_stale boolean NOT NULL DEFAULT false,
  days_7d smallint,
  days_30d smallint,
  days_90d smallint
) WITH (fillfactor = 70);

-- First failing check → first good one. ended_at NULL while it lasts. Written by the recorder in the check's transaction.
CREATE TABLE outage (
  endpoint_key bigint NOT NULL,
  started_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  error smallint NOT NULL,
  error_message varchar(300) NOT NULL,
  planned boolean NOT NULL DEFAULT false,
  PRIMARY KEY (endpoint_key, started_at)
);
CREATE INDEX outage_open ON outage (endpoint_key) WHERE ended_at IS NULL;
`;
