import type { Sql } from '../../src/platform/database/database';
import { checkSettled } from '../harness/app/invariants';
import type { Delivery, StoredCheck } from './properties';

/** What the database holds about a run. */
export interface DatabaseSnapshot {
  deliveries: Delivery[];
  checks: StoredCheck[];
  /** Alert events; those of deleted websites are gone. */
  events: number;
  /** Violated invariants. */
  broken: string[];
}

const DELIVERIES = `
  SELECT notice->>'id' AS id, (extract(epoch FROM created_at) * 1000)::float8 AS at, notice->'alert'->>'description' AS alert, notice->'endpoint'->>'name' AS endpoint,
         kind, incident_no AS "incidentNo", state, detail
    FROM notification ORDER BY seq`;

const CHECKS = `
  SELECT e.name AS endpoint, (extract(epoch FROM r.checked_at) * 1000)::float8 AS at,
         CASE r.outcome & 3 WHEN 0 THEN 'down' WHEN 1 THEN 'up' ELSE 'unknown' END AS outcome
    FROM check_result r JOIN endpoint e ON e.key = r.endpoint_key ORDER BY r.checked_at`;

// A changed URL starts a new streak, so only endpoints that no command edits can be compared.
const WRONG_STREAKS = `
  SELECT name || ' has ' || failures || ' failures in a row, its history ' || counted AS text FROM (
    SELECT e.name, s.consecutive_failures AS failures,
           (SELECT count(*) FROM check_result r WHERE r.endpoint_key = e.key AND r.outcome & 3 = 0
               AND r.checked_at > COALESCE((SELECT max(u.checked_at) FROM check_result u
                                             WHERE u.endpoint_key = e.key AND u.outcome & 3 = 1), '-infinity')) AS counted
      FROM endpoint_state s JOIN endpoint e ON e.id = s.endpoint_id WHERE e.name = ANY ($1::text[])) streaks
   WHERE failures <> counted`;

/** Call it when no delivery is pending. */
export async function readDatabase(sql: Sql, steady: readonly string[]): Promise<DatabaseSnapshot> {
  const broken: string[] = [];
  await checkSettled(sql).catch((error: unknown) => broken.push(String(error)));
  for (const { text } of await sql.query<{ text: string }>(WRONG_STREAKS, [steady])) broken.push(text);
  const [{ events } = { events: 0 }] = await sql.query<{ events: number }>(
    'SELECT count(*)::int AS events FROM alert_event',
  );
  const [deliveries, checks] = [await sql.query<Delivery>(DELIVERIES), await sql.query<StoredCheck>(CHECKS)];
  return { deliveries, checks, events, broken };
}
