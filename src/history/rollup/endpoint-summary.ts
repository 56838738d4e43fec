import { middleSql } from '../latency-histogram';
import type { Tx } from '../../platform/database/database';
import { DAY_MS, floorTo, HOUR_MS } from '../../platform/time/time-units';

/** How often a rarely checked endpoint's p95 is recomputed from its hours. Its counts are updated every hour. */
const P95_EVERY_HOURS = 8;
/**
 * If an endpoint has this many checks in an hour, its p95 is recomputed every hour. This is cheap compared to the
 * checks.
 */
const OFTEN_CHECKED = 10;

/**
 * Advances these endpoints' summaries to `until`, the end of the hour that was just closed for them. Updates the
 * summary of a rarely checked endpoint incrementally if possible. Otherwise, for a million endpoints that are checked
 * twice an hour, each run would read 24 hours and 90 days per endpoint again for two checks.
 */
export async function summarizeHour(tx: Tx, keys: readonly string[], until: Date): Promise<void> {
  // At midnight, the days in every window change.
  const isMidnight = floorTo(until.getTime(), DAY_MS) === until.getTime();
  const carried = isMidnight ? new Set() : new Set(await carryOn(tx, keys, until));
  const others = keys.filter((key) => !carried.has(key));
  if (others.length > 0) await tx.query(SUMMARIZE, [others, until]);
}

async function carryOn(tx: Tx, keys: readonly string[], until: Date): Promise<string[]> {
  const hour = until.getTime() / HOUR_MS;
  const rows = await tx.query<{ key: string }>(CARRY_ON, [
    keys,
    until,
    new Date(until.getTime() - HOUR_MS),
    new Date(until.getTime() - 25 * HOUR_MS),
    hour,
  ]);
  return rows.map((row) => row.key);
}

/**
 * Adds hour `$3` to the summaries of endpoints `$1` and removes hour `$4` from "24h". The other windows start at a day
 * boundary, so nothing drops out of them. Skips summaries that don't end at the previous hour, that have corrected
 * hours, or that need a new p95. Cost: two index lookups on hours per endpoint. With statistics from before the hour,
 * the planner expects few rows, and a join would compare every pair. For this reason, the keys are part of the union,
 * and the conditions are in one CASE, for which the planner estimates half of all rows.
 */
export const CARRY_ON = `
  WITH hours AS (
    SELECT endpoint_key, start_at, up, down, unknown FROM check_hour
     WHERE endpoint_key = ANY ($1::bigint[]) AND start_at IN ($3::timestamptz, $4::timestamptz)
  ),
  change AS (
    SELECT key, sum(up) FILTER (WHERE start_at = $3) AS up, sum(down) FILTER (WHERE start_at = $3) AS down,
           sum(unknown) FILTER (WHERE start_at = $3) AS unknown, sum(up) FILTER (WHERE start_at = $4) AS up_gone,
           sum(down) FILTER (WHERE start_at = $4) AS down_gone, sum(unknown) FILTER (WHERE start_at = $4) AS unknown_gone
      FROM (SELECT endpoint_key AS key, start_at, up, down, unknown FROM hours
            UNION ALL SELECT key, at, 0, 0, 0 FROM unnest($1::bigint[]) AS k (key), (VALUES ($3::timestamptz), ($4)) AS h (at)
           ) AS each
     GROUP BY key
  )
  UPDATE endpoint_summary m
     SET until = $2, up_24h = m.up_24h + c.up - c.up_gone, down_24h = m.down_24h + c.down - c.down_gone,
         unknown_24h = m.unknown_24h + c.unknown - c.unknown_gone, up_7d = m.up_7d + c.up, down_7d = m.down_7d + c.down,
         up_30d = m.up_30d + c.up, down_30d = m.down_30d + c.down, up_90d = m.up_90d + c.up, down_90d = m.down_90d + c.down
    FROM change c
   WHERE m.endpoint_key = c.key
     AND CASE WHEN m.until = $3 AND m.young_checks = 0 AND NOT m.is_stale AND m.days_90d IS NOT NULL
               AND (c.key + $5::bigint) % ${P95_EVERY_HOURS} <> 0 AND c.up + c.down + c.unknown < ${OFTEN_CHECKED}
               AND (m.p95_24h_us >= 0) = (m.up_24h + c.up - c.up_gone > 0) THEN true ELSE false END
  RETURNING m.endpoint_key AS key`;

/** Marks the summaries of endpoints `$1`, whose hours were rebuilt, so that they aren't updated incrementally. */
export const MARK_STALE = 'UPDATE endpoint_summary SET is_stale = true WHERE endpoint_key = ANY ($1::bigint[])';

/**
 * Rewrites the summaries of endpoints `$1` (keys) for the windows that end at the full hour `$2`. "24h" starts 24 hours
 * earlier, and the others start at midnight UTC 7, 30, or 90 days earlier. For these, it also counts the full days that
 * have a conclusive or planned check. Yesterday is counted from its hours until its day is built. Whole days are read
 * from check_day as far as it is built, and the rest from check_hour. p95 is -1 if there are no up checks. All other
 * values exclude planned checks.
 */
export const SUMMARIZE = `
  WITH bound AS (
    SELECT $2::timestamptz AS until, $2::timestamptz - interval '24 hours' AS from_24h,
           date_trunc('day', $2::timestamptz, 'UTC') AS today,
           least(date_trunc('day', $2::timestamptz, 'UTC'),
                 (SELECT done_until FROM history_progress WHERE name = 'day')) AS days_until
  ),
  hours AS (
    SELECT h.*, h.start_at >= from_24h AS in_24h, h.start_at >= days_until AS after_days, today
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
           coalesce(bool_or(up + down + planned > 0) FILTER (WHERE after_days AND start_at < today), false)::integer
             AS days_rest,
           min(min_us) FILTER (WHERE in_24h AND counts <> '{}') AS min_us, max(max_us) FILTER (WHERE in_24h AND counts <> '{}') AS max_us
      FROM hours GROUP BY endpoint_key
  ),
  spans AS (
    SELECT endpoint_key, sum(up) AS up, sum(down) AS down, count(nullif(up + down + planned, 0)) AS watched,
           CASE WHEN start_at >= today - interval '7 days' THEN 7
                WHEN start_at >= today - interval '30 days' THEN 30 ELSE 90 END AS within
      FROM check_day d, bound
     WHERE d.endpoint_key = ANY ($1::bigint[])
       AND d.start_at >= today - interval '90 days' AND d.start_at < days_until
     GROUP BY endpoint_key, within
  ),
  days AS (
    SELECT endpoint_key,
           coalesce(sum(up) FILTER (WHERE within = 7), 0) AS up_7d,
           coalesce(sum(down) FILTER (WHERE within = 7), 0) AS down_7d,
           coalesce(sum(watched) FILTER (WHERE within = 7), 0) AS days_7d,
           coalesce(sum(up) FILTER (WHERE within <= 30), 0) AS up_30d,
           coalesce(sum(down) FILTER (WHERE within <= 30), 0) AS down_30d,
           coalesce(sum(watched) FILTER (WHERE within <= 30), 0) AS days_30d,
           sum(up) AS up_90d, sum(down) AS down_90d, sum(watched) AS days_90d
      FROM spans GROUP BY endpoint_key
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
                                up_90d, down_90d, p95_24h_us, days_7d, days_30d, days_90d)
  SELECT k.key, until, coalesce(up_24h, 0), coalesce(down_24h, 0), coalesce(unknown_24h, 0),
         coalesce(up_7d, 0) + coalesce(up_rest, 0), coalesce(down_7d, 0) + coalesce(down_rest, 0),
         coalesce(up_30d, 0) + coalesce(up_rest, 0), coalesce(down_30d, 0) + coalesce(down_rest, 0),
         coalesce(up_90d, 0) + coalesce(up_rest, 0), coalesce(down_90d, 0) + coalesce(down_rest, 0),
         coalesce(least(greatest(round(${middleSql('bucket')}), min_us), max_us), -1)::integer,
         coalesce(days_7d, 0) + coalesce(days_rest, 0), coalesce(days_30d, 0) + coalesce(days_rest, 0),
         coalesce(days_90d, 0) + coalesce(days_rest, 0)
    FROM unnest($1::bigint[]) AS k (key) CROSS JOIN bound
    LEFT JOIN recent ON recent.endpoint_key = k.key
    LEFT JOIN days ON days.endpoint_key = k.key
    LEFT JOIN p95 ON p95.endpoint_key = k.key
  ON CONFLICT (endpoint_key) DO UPDATE
     SET until = excluded.until, up_24h = excluded.up_24h, down_24h = excluded.down_24h,
         unknown_24h = excluded.unknown_24h, up_7d = excluded.up_7d, down_7d = excluded.down_7d,
         up_30d = excluded.up_30d, down_30d = excluded.down_30d, up_90d = excluded.up_90d,
         down_90d = excluded.down_90d, p95_24h_us = excluded.p95_24h_us, days_7d = excluded.days_7d,
         days_30d = excluded.days_30d, days_90d = excluded.days_90d, young_checks = 0, is_stale = false`;
