const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer'].map((phase) => `s.last_${phase}_us`).join(', ');
const COUNTS = ['up', 'down', 'unknown', 'planned', 'degraded'];
const counts = (prefix = ''): string => COUNTS.map((name) => `${prefix}${name}`).join(', ');

/** If a website has more endpoints than this, `last_checked_at` covers only the ones that are checked most often. */
const LOOKED_AT = 20;

/**
 * One row per endpoint, joined only by keys. Expired acknowledgements are excluded. `by` is an SQL expression for the
 * author.
 */
export const endpointOverview = (by: string): string => `VIEW endpoint_overview AS
  SELECT e.org_id, e.id, e.key, e.name, e.url, e.type, e.enabled AND w.enabled AS active,
         e.website_id, w.name AS website_name,
         s.status, s.status_since, s.last_checked_at, s.last_error, s.recent, s.certificate_expires_at,
         s.hour_start, s.hour_up, s.hour_down, s.hour_unknown, s.before_up, s.before_down, s.before_unknown,
         m.until, m.up_24h, m.down_24h, m.unknown_24h, m.up_7d, m.down_7d, m.up_30d, m.down_30d,
         m.up_90d, m.down_90d, m.p95_24h_us,
         EXISTS (SELECT FROM alert a WHERE a.endpoint_id = e.id AND a.triggered) AS alert_open,
         m.days_7d, m.days_30d, m.days_90d, s.degraded_since, s.recent_degraded, e.tags, w.tags AS website_tags,
         ${by} AS acknowledged_by, k.at AS acknowledged_at, k.note AS acknowledged_note,
         k.until AS acknowledged_until, e.external_key, ${PHASES}
    FROM endpoint e
    JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
    JOIN endpoint_state s ON s.endpoint_id = e.id
    LEFT JOIN endpoint_summary m ON m.endpoint_key = e.key
    LEFT JOIN acknowledgement k ON k.endpoint_id = e.id AND (k.until IS NULL OR k.until > now());`;

/**
 * Read models: the data that one module may read from another module's tables. Add new columns at the end, as `CREATE
 * OR REPLACE` requires.
 */
export const VIEWS = `
-- Exact up to twenty endpoints; beyond, late by at most the interval of those looked at. A function, because the planner
-- counts all three ways at their most for each website, and then compiles a list (jit) for longer than it takes.
-- Only the order of indexes is left to it, because a session keeps the plans: those of a small database, or of one without
-- statistics, read all endpoints of a large website.
CREATE FUNCTION website_newest_check(website uuid, endpoints integer) RETURNS timestamptz
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
  END $$;

-- What a website shows of its endpoints costs the same with three and with half a million: their number is kept, and
-- whether any is down or up is one look into an index.
CREATE VIEW website_summary AS
  SELECT u.org_id, u.website_id, u.endpoints AS endpoint_count,
         website_newest_check(u.website_id, u.endpoints) AS last_checked_at,
         EXISTS (SELECT FROM endpoint_state s WHERE s.website_id = u.website_id AND s.enabled AND s.status = 0) AS any_down,
         EXISTS (SELECT FROM endpoint_state s WHERE s.website_id = u.website_id AND s.enabled AND s.status = 1) AS any_up
    FROM website_use u;

-- How many items the lists of an organization have; those of websites that are being removed are no longer listed.
CREATE VIEW organization_listed AS
  SELECT u.org_id, u.websites - leaving.websites AS websites, u.endpoints - leaving.endpoints AS endpoints, u.alerts
    FROM organization_use u,
         LATERAL (SELECT count(*)::int AS websites, coalesce(sum(n.endpoints), 0)::int AS endpoints
                    FROM website w JOIN website_use n ON n.website_id = w.id
                   WHERE w.org_id = u.org_id AND w.deleted_at IS NOT NULL) leaving;

CREATE ${endpointOverview('k.by_name')}

-- Counts per endpoint and UTC day: built days, then built hours, then the running counters. Nothing is counted twice.
CREATE VIEW endpoint_day AS
  SELECT e.org_id, e.website_id, e.id AS endpoint_id, (d.start_at AT TIME ZONE 'UTC')::date AS day, ${counts()}
    FROM endpoint e
    JOIN (
      SELECT endpoint_key, start_at, ${counts()} FROM check_day
       WHERE start_at < (SELECT done_until FROM history_progress WHERE name = 'day')
      UNION ALL
      SELECT endpoint_key, start_at, ${counts()} FROM check_hour
       WHERE start_at >= (SELECT done_until FROM history_progress WHERE name = 'day')
         AND start_at < (SELECT done_until FROM history_progress WHERE name = 'hour')
      UNION ALL
      SELECT endpoint_key, hour_start, ${counts('hour_')} FROM endpoint_state
       WHERE hour_start >= (SELECT done_until FROM history_progress WHERE name = 'hour')
      UNION ALL
      SELECT endpoint_key, hour_start - interval '1 hour', ${counts('before_')} FROM endpoint_state
       WHERE hour_start - interval '1 hour' >= (SELECT done_until FROM history_progress WHERE name = 'hour')
    ) AS d ON d.endpoint_key = e.key;

CREATE VIEW endpoint_outage AS
  SELECT e.org_id, e.website_id, e.name AS endpoint_name, o.started_at, o.ended_at, o.error, e.id AS endpoint_id, o.planned
    FROM endpoint e JOIN outage o ON o.endpoint_key = e.key;

CREATE VIEW maintenance_coverage AS
  SELECT o.org_id, o.window_id, o.name, o.starts_at, o.ends_at, o.mute, o.exclude_from_uptime, o.public,
         s.covers_all, s.website_ids, s.endpoint_ids, s.tags
    FROM maintenance_occurrence o JOIN maintenance_scope s ON s.id = o.scope_id;

-- When public maintenance windows are in force, with what they say now: for status pages. A window that is public no more
-- shows no description of what it was before. recurring is NULL once the window is deleted.
CREATE VIEW maintenance_announcement AS
  SELECT o.org_id, o.window_id, o.scope_id, o.name, o.starts_at, o.ends_at, o.mute, o.exclude_from_uptime,
         CASE WHEN w.public THEN w.description ELSE '' END AS description,
         CASE WHEN w.id IS NOT NULL THEN w.cron IS NOT NULL END AS recurring,
         w.created_at AS announced_at, w.updated_at AS changed_at
    FROM maintenance_occurrence o LEFT JOIN maintenance_window w ON w.id = o.window_id
   WHERE o.public AND o.ends_at > o.starts_at;

-- One row about all instances that check. One that has not reported yet counts as one that does nothing.
CREATE VIEW monitoring_load AS
  SELECT count(*)::int AS instances,
         coalesce(sum(checks_per_second), 0)::float8 AS checks_per_second,
         min(overloaded_since) AS overloaded_since,
         coalesce(max(overload_ratio), 1)::float8 AS overload_ratio,
         coalesce(sum(skipped_per_second), 0)::float8 AS skipped_per_second
    FROM instance
   WHERE role <> 'api' AND heartbeat_at > now() - interval '20 seconds';

-- What the people who run the installation look at: index lookups, and counts of few rows.
CREATE VIEW system_facts AS
  SELECT current_setting('server_version') AS version,
         pg_database_size(current_database())::text AS size_bytes,
         (SELECT count(*)::int FROM endpoint_schedule WHERE active AND scheduled) AS active_endpoints,
         GREATEST(0, COALESCE((SELECT extract(epoch FROM now() - min(next_check_at)) * 1000
                                 FROM endpoint_schedule WHERE active AND scheduled), 0))::float8 AS lag_ms,
         (SELECT count(*)::int FROM notification WHERE state = 'pending') AS pending,
         (SELECT extract(epoch FROM now() - min(created_at))::float8
            FROM notification WHERE state = 'pending') AS oldest_pending_age_seconds,
         (SELECT count(*)::int FROM notification WHERE state = 'failed' AND kind <> 'test') AS failed;
`;
