import type { Tx } from '../../platform/database/database';
import { HOUR_MS } from '../../platform/time/time-units';
import { P95_OF_CHECKS } from '../check-encoding';

/**
 * Endpoints that have no p95 from closed hours get one from their individual checks. It is computed after this many up
 * checks and then each time their number has doubled. On average, each check is read about twice. A rarely checked
 * endpoint costs nothing, because the overview reads its few checks directly.
 */
const FIRST_CHECKS = 8;

const WAIT_SECONDS = { min: 60, max: 3600 };

/** The maximum number of rows per statement. Above about 1,000 keys, the planner prefers to read whole tables. */
export const MAX_NEW_ENDPOINTS = 1000;

export interface NewEndpoint {
  /** Up checks in its latest hour with checks and in the hour before. */
  up: number;
  /** The number of up checks in its p95, or 0 if it has no p95. */
  summarized: number;
  intervalSeconds: number;
}

/**
 * Returns whether the p95 is due. Also returns after how many seconds to check again, when the endpoint may have enough
 * checks.
 */
export function nextLook({ up, summarized, intervalSeconds }: NewEndpoint): { due: boolean; waitSeconds: number } {
  const wanted = Math.max(FIRST_CHECKS, 2 * summarized);
  const due = up >= wanted;
  const missing = (due ? 2 * up : wanted) - up;
  const waitSeconds = Math.min(Math.max(missing * intervalSeconds, WAIT_SECONDS.min), WAIT_SECONDS.max);
  return { due, waitSeconds };
}

/**
 * Queues the next `limit` endpoints that were created since the last call, in key order, and returns their number. May
 * miss an endpoint whose transaction took its key more than a minute before the commit. Those are found when the hour
 * is closed.
 */
export async function noteNewEndpoints(tx: Tx, limit: number): Promise<number> {
  const [noted] = await tx.query<{ endpoints: number }>(NOTE_NEW, [limit]);
  return noted?.endpoints ?? 0;
}

/**
 * Processes the next `limit` queued endpoints and writes the p95 for those that need one. `closedUntil` is the time up
 * to which hours are closed. Returns how many it processed. Each statement reads either history or other tables,
 * because they may be on different servers (docs/guides/operate/scaling.md).
 */
export async function summarizeNewEndpoints(tx: Tx, closedUntil: Date, limit: number): Promise<number> {
  const keys = (await tx.query<{ key: string }>(TAKE_DUE, [limit])).map((row) => row.key);
  if (keys.length === 0) return 0;
  const since = new Date(closedUntil.getTime() - HOUR_MS);
  const endpoints = (await tx.query<NewEndpoint & { key: string }>(READ_NEW, [keys, since])).map((endpoint) => ({
    ...endpoint,
    ...nextLook(endpoint),
  }));
  const due = endpoints.filter((endpoint) => endpoint.due);
  if (due.length > 0) {
    const p95 = await tx.query<{ key: string; us: number }>(P95_OF_CHECKS, [due.map(({ key }) => key), since]);
    const checks = new Map(due.map(({ key, up }) => [key, up]));
    await tx.query(SAVE_NEW, [
      p95.map(({ key }) => key),
      p95.map(({ us }) => us),
      p95.map(({ key }) => checks.get(key)),
      closedUntil,
    ]);
  }
  const remaining = new Set(endpoints.map(({ key }) => key));
  await tx.query(LOOK_LATER, [endpoints.map(({ key }) => key), endpoints.map(({ waitSeconds }) => waitSeconds)]);
  await tx.query(FORGET, [keys.filter((key) => !remaining.has(key))]);
  return keys.length;
}

/** Queues endpoints from $1 (keys) that still have no p95 after their summaries were written from closed hours. */
export const NOTE_WITHOUT_P95 = `
  INSERT INTO history_new (endpoint_key, look_at)
  SELECT endpoint_key, now() FROM endpoint_summary WHERE endpoint_key = ANY ($1::bigint[]) AND p95_24h_us < 0
  ON CONFLICT (endpoint_key) DO NOTHING`;

// Cost: one index range over the keys for each new endpoint, or one index lookup if there are none. Stops before the
// first endpoint that is less than a minute old, because an endpoint with a lower key may still be in an open
// transaction.
const NOTE_NEW = `
  WITH progress AS (SELECT after_key FROM history_progress WHERE name = 'new'),
  candidate AS (
    SELECT key, interval_seconds, created_at > now() - interval '1 minute' AS is_recent
      FROM endpoint WHERE key > (SELECT after_key FROM progress) ORDER BY key LIMIT $1
  ),
  settled AS (
    SELECT key, interval_seconds FROM candidate
     WHERE key < coalesce((SELECT min(key) FROM candidate WHERE is_recent), 9223372036854775807)
  ),
  noted AS (
    INSERT INTO history_new (endpoint_key, look_at)
    SELECT key, now() + make_interval(secs => ${FIRST_CHECKS} * interval_seconds) FROM settled
    ON CONFLICT (endpoint_key) DO NOTHING
  ),
  advanced AS (
    UPDATE history_progress SET after_key = (SELECT max(key) FROM settled)
     WHERE name = 'new' AND EXISTS (SELECT FROM settled)
  )
  SELECT count(*)::int AS endpoints FROM settled`;

// Cost: as many rows as requested, in index order.
const TAKE_DUE = `
  SELECT endpoint_key AS key FROM history_new WHERE look_at <= now() ORDER BY look_at LIMIT $1`;

/**
 * Skips endpoints that are deleted, paused, or have a p95 from closed hours by now. Cost: three index lookups per key.
 */
const READ_NEW = `
  SELECT e.key, c.interval_seconds AS "intervalSeconds", coalesce(m.young_checks, 0) AS summarized,
         CASE WHEN s.hour_start >= $2 THEN s.hour_up + s.before_up ELSE 0 END AS up
    FROM endpoint e
    JOIN endpoint_schedule c ON c.endpoint_id = e.id AND c.active
    JOIN endpoint_state s ON s.endpoint_id = e.id
    LEFT JOIN endpoint_summary m ON m.endpoint_key = e.key
   WHERE e.key = ANY ($1::bigint[]) AND (m.endpoint_key IS NULL OR m.p95_24h_us < 0 OR m.young_checks > 0)`;

const SAVE_NEW = `
  INSERT INTO endpoint_summary (endpoint_key, until, up_24h, down_24h, unknown_24h, up_7d, down_7d, up_30d, down_30d,
                                up_90d, down_90d, p95_24h_us, young_checks, days_7d, days_30d, days_90d)
  SELECT key, $4, 0, 0, 0, 0, 0, 0, 0, 0, 0, us, checks, 0, 0, 0
    FROM unnest($1::bigint[], $2::integer[], $3::integer[]) AS v (key, us, checks)
  ON CONFLICT (endpoint_key) DO UPDATE SET p95_24h_us = excluded.p95_24h_us, young_checks = excluded.young_checks`;

const LOOK_LATER = `
  UPDATE history_new SET look_at = now() + make_interval(secs => v.seconds)
    FROM unnest($1::bigint[], $2::float8[]) AS v (key, seconds) WHERE endpoint_key = v.key`;

const FORGET = 'DELETE FROM history_new WHERE endpoint_key = ANY ($1::bigint[])';
