import { middleSql } from '../latency-histogram';

/**
 * Rewrites the summaries of the endpoints `$1` (keys) for the windows that end at the full hour `$2`. "24h" begins 24 hours
 * before, the others at the start of the UTC day 7, 30 or 90 days before. Whole days come from check_day as far as it is
 * built, the rest from check_hour. p95 is -1 without an up check.
 */
export const SUMMARIZE = `
  WITH bound AS (
    SELECT $2::timestamptz AS until, $2::timestamptz - interval '24 hours' AS from_24h,
           date_trunc('day', $2::timestamptz, 'UTC') AS today,
           least(date_trunc('day', $2::timestamptz, 'UTC'),
                 (SELECT done_until FROM history_progress WHERE name = 'day')) AS days_until
  ),
  hours AS (
    SELECT h.*, h.start_at >= from_24h AS in_24h, h.start_at >= days_until AS after_days
      FROM check_hour h, bound
     WHERE h.endpoint_key = ANY ($1::bigint[])
       AND h.start_at >= least(from_24h, days_until) AND h.start_at < until
  ),
  recent AS (
    SELECT endpoint_key,
           coalesce(sum(up) FILTER (WHERE in_24h), 0) AS up_24h,
           coalesce(sum(down) FILTER (WHERE in_24h), 0) AS down_24h,
           coalesce(sum(unknown) FILTER (WHERE in_24h), 0) AS unknown_24h,
           coalesce(sum(up) FILTER (WHERE after_days), 0) AS up_rest,
           coalesce(sum(down) FILTER (WHERE after_days), 0) AS down_rest,
           min(min_us) FILTER (WHERE in_24h AND up > 0) AS min_us, max(max_us) FILTER (WHERE in_24h) AS max_us
      FROM hours GROUP BY endpoint_key
  ),
  days AS (
    SELECT d.endpoint_key,
           coalesce(sum(up) FILTER (WHERE start_at >= today - interval '7 days'), 0) AS up_7d,
           coalesce(sum(down) FILTER (WHERE start_at >= today - interval '7 days'), 0) AS down_7d,
           coalesce(sum(up) FILTER (WHERE start_at >= today - interval '30 days'), 0) AS up_30d,
           coalesce(sum(down) FILTER (WHERE start_at >= today - interval '30 days'), 0) AS down_30d,
           sum(up) AS up_90d, sum(down) AS down_90d
      FROM check_day d, bound
     WHERE d.endpoint_key = ANY ($1::bigint[])
       AND d.start_at >= today - interval '90 days' AND d.start_at < days_until
     GROUP BY d.endpoint_key
  ),
  spread AS (
    SELECT endpoint_key, bucket, sum(n) AS n
      FROM hours CROSS JOIN LATERAL unnest(buckets, counts) AS h (bucket, n)
     WHERE in_24h GROUP BY 1, 2
  ),
  ranked AS (
    SELECT endpoint_key, bucket, sum(n) OVER (PARTITION BY endpoint_key ORDER BY bucket) AS upto,
           sum(n) OVER (PARTITION BY endpoint_key) AS total
      FROM spread
  ),
  p95 AS (
    SELECT endpoint_key, min(bucket) FILTER (WHERE upto >= ceil(0.95 * total)) AS bucket FROM ranked GROUP BY 1
  )
  INSERT INTO endpoint_summary (endpoint_key, until, up_24h, down_24h, unknown_24h, up_7d, down_7d, up_30d, down_30d,
                                up_90d, down_90d, p95_24h_us)
  SELECT k.key, until, coalesce(up_24h, 0), coalesce(down_24h, 0), coalesce(unknown_24h, 0),
         coalesce(up_7d, 0) + coalesce(up_rest, 0), coalesce(down_7d, 0) + coalesce(down_rest, 0),
         coalesce(up_30d, 0) + coalesce(up_rest, 0), coalesce(down_30d, 0) + coalesce(down_rest, 0),
         coalesce(up_90d, 0) + coalesce(up_rest, 0), coalesce(down_90d, 0) + coalesce(down_rest, 0),
         coalesce(least(greatest(round(${middleSql('bucket')}), min_us), max_us), -1)::integer
    FROM unnest($1::bigint[]) AS k (key) CROSS JOIN bound
    LEFT JOIN recent ON recent.endpoint_key = k.key
    LEFT JOIN days ON days.endpoint_key = k.key
    LEFT JOIN p95 ON p95.endpoint_key = k.key
  ON CONFLICT (endpoint_key) DO UPDATE
     SET until = excluded.until, up_24h = excluded.up_24h, down_24h = excluded.down_24h,
         unknown_24h = excluded.unknown_24h, up_7d = excluded.up_7d, down_7d = excluded.down_7d,
         up_30d = excluded.up_30d, down_30d = excluded.down_30d, up_90d = excluded.up_90d,
         down_90d = excluded.down_90d, p95_24h_us = excluded.p95_24h_us, young_checks = 0`;

/**
 * Computes a p95 from single checks for at most `$2` new endpoints: they have up checks, but none in the closed hours before
 * `$1`. Repeated whenever the number of their checks has doubled, so a new endpoint need not wait for its first full hour
 * and each check is read about twice in all. Returns one row per endpoint. LATERAL looks the checks up endpoint by
 * endpoint: with a plain join and planner statistics from before the first checks, all checks were sorted per endpoint.
 */
export const SUMMARIZE_NEW = `
  WITH fresh AS (
    SELECT s.endpoint_key AS key, s.hour_up + s.before_up AS checks, s.hour_start - interval '1 hour' AS since
      FROM endpoint_state s LEFT JOIN endpoint_summary m ON m.endpoint_key = s.endpoint_key
     WHERE s.hour_start >= $1::timestamptz - interval '1 hour'
       AND s.hour_up + s.before_up >= greatest(2 * coalesce(m.young_checks, 0), 1)
       AND (m.endpoint_key IS NULL OR m.p95_24h_us < 0 OR m.young_checks > 0)
     ORDER BY s.endpoint_key LIMIT $2
  )
  INSERT INTO endpoint_summary (endpoint_key, until, up_24h, down_24h, unknown_24h, up_7d, down_7d, up_30d, down_30d,
                                up_90d, down_90d, p95_24h_us, young_checks)
  SELECT fresh.key, $1, 0, 0, 0, 0, 0, 0, 0, 0, 0, coalesce(p95.us, -1), fresh.checks
    FROM fresh CROSS JOIN LATERAL (
      SELECT percentile_disc(0.95) WITHIN GROUP (ORDER BY r.duration_us) AS us
        FROM check_result r
       WHERE r.endpoint_key = fresh.key AND r.checked_at >= fresh.since
         AND r.checked_at >= $1::timestamptz - interval '1 hour' AND r.outcome & 3 = 1
    ) p95
  ON CONFLICT (endpoint_key) DO UPDATE SET p95_24h_us = excluded.p95_24h_us, young_checks = excluded.young_checks
  RETURNING 1`;
