import { checkConsistency } from '../../../src/alert/consistency/consistency-check';
import type { Sql } from '../../../src/platform/database/database';

export interface Violation {
  what: string;
  ids: string[];
}

const DELIVERIES: readonly [what: string, sql: string][] = [
  [
    'a resolve that was delivered before its trigger',
    `SELECT r.id FROM notification r JOIN notification t
       ON t.alert_id = r.alert_id AND t.incident_no = r.incident_no AND t.kind = 'triggered'
     WHERE r.kind = 'resolved' AND r.state = 'delivered' AND r.detail IS NULL
       AND t.state = 'pending' AND t.detail IS DISTINCT FROM 'redeliver'`,
  ],
  [
    'a delivery of one organization for an alert of another',
    `SELECT n.id FROM notification n JOIN alert a ON a.id = n.alert_id WHERE a.org_id <> n.org_id`,
  ],
  [
    'a config snapshot that is no longer needed',
    `SELECT id FROM notification WHERE state IN ('delivered', 'superseded') AND config IS NOT NULL`,
  ],
];

const INCIDENTS: readonly [what: string, sql: string][] = [
  [
    'an incident whose counts are not those of its members',
    `SELECT i.id FROM incident i WHERE (i.endpoint_count, i.open_count) <>
       (SELECT count(*)::int, count(*) FILTER (WHERE m.ended_at IS NULL)::int FROM incident_member m WHERE m.incident_id = i.id)`,
  ],
  [
    'a detected incident that is open without an open member, or has ended with one',
    `SELECT i.id FROM incident i WHERE i.kind = 'detected' AND (i.ended_at IS NULL) <> EXISTS
       (SELECT FROM incident_member m WHERE m.incident_id = i.id AND m.ended_at IS NULL)`,
  ],
  [
    'a member whose current outage is not open, or that has ended with an open one',
    `SELECT m.endpoint_id AS id FROM incident_member m WHERE (m.ended_at IS NULL) <> EXISTS
       (SELECT FROM incident_outage o WHERE o.incident_id = m.incident_id AND o.endpoint_id = m.endpoint_id AND o.ended_at IS NULL)`,
  ],
  [
    'an acknowledgement that an incident wrote for an endpoint that is not in it',
    `SELECT k.endpoint_id AS id FROM acknowledgement k WHERE k.incident_id IS NOT NULL AND NOT EXISTS
       (SELECT FROM incident_member m WHERE m.endpoint_id = k.endpoint_id AND m.ended_at IS NULL)`,
  ],
];

const OUTAGES: readonly [what: string, sql: string][] = [
  [
    'an endpoint that is down without an open outage',
    `SELECT s.endpoint_id AS id FROM endpoint_state s
      WHERE s.status = 0 AND NOT EXISTS (SELECT FROM outage o WHERE o.endpoint_key = s.endpoint_key AND o.ended_at IS NULL)`,
  ],
  [
    'an outage that disagrees with the streak',
    `SELECT s.endpoint_id AS id FROM endpoint_state s
       LEFT JOIN outage o ON o.endpoint_key = s.endpoint_key AND o.ended_at IS NULL
      WHERE s.failing_since IS DISTINCT FROM o.started_at`,
  ],
  [
    'outages that overlap',
    `SELECT a.endpoint_key::text AS id FROM outage a JOIN outage b ON b.endpoint_key = a.endpoint_key AND b.started_at > a.started_at
      WHERE a.ended_at IS NULL OR a.ended_at > b.started_at OR a.ended_at < a.started_at`,
  ],
];

const ENGINE: readonly [what: string, sql: string][] = [
  [
    // A check that started late may be close to the next one, but each slot in the schedule has one check.
    'a slot that was checked twice',
    `SELECT format('%s at %s and %s later, its check %s; every %s from %s, recorded to %s, claimed to %s by %s;', id, checked_at - gap, gap, nth, stride, origin, last_slot_at, claimed_slot, claimed_by) AS id
       FROM (SELECT e.id, r.checked_at, stride, origin, t.last_slot_at, s.claimed_slot, s.claimed_by, row_number() OVER checks AS nth,
                    r.checked_at - lag(r.checked_at) OVER checks AS gap,
                    date_bin(stride, r.checked_at, origin) = date_bin(stride, lag(r.checked_at) OVER checks, origin) AS same_cell
               FROM check_result r JOIN endpoint e ON e.key = r.endpoint_key JOIN endpoint_schedule s ON s.endpoint_id = e.id
                    JOIN endpoint_state t ON t.endpoint_id = e.id,
                    LATERAL (SELECT make_interval(secs => s.interval_seconds) AS stride,
                                    timestamptz 'epoch' + make_interval(secs => s.phase_ms / 1000.0) AS origin) grid
              WHERE s.scheduled AND r.location = 0
             WINDOW checks AS (PARTITION BY r.endpoint_key ORDER BY r.checked_at)) c
      WHERE c.same_cell AND c.gap < 0.3 * c.stride`,
  ],
  [
    // With several locations, the streak belongs to the quorum.
    'a streak that differs from the history',
    `SELECT endpoint_id AS id FROM (
       SELECT s.endpoint_id, s.consecutive_failures,
              (SELECT count(*) FROM check_result r WHERE r.endpoint_key = s.endpoint_key AND r.outcome & 3 = 0
                  AND r.checked_at > COALESCE((SELECT max(u.checked_at) FROM check_result u
                                                WHERE u.endpoint_key = s.endpoint_key AND u.outcome & 3 = 1), '-infinity')) AS counted
         FROM endpoint_state s JOIN endpoint e ON e.id = s.endpoint_id AND e.location_count = 1) streaks
      WHERE consecutive_failures <> counted`,
  ],
  [
    'a location whose newest check is not in the history',
    `SELECT l.endpoint_id::text || ' at ' || l.number AS id
       FROM endpoint_location l JOIN endpoint_state s ON s.endpoint_id = l.endpoint_id
      WHERE l.last_checked_at IS NOT NULL AND l.last_checked_at > now() - interval '1 hour'
        AND NOT EXISTS (SELECT FROM check_result r WHERE r.endpoint_key = s.endpoint_key AND r.location = l.number AND r.checked_at = l.last_checked_at)`,
  ],
  ...OUTAGES,
];

/**
 * Checks `checkInvariants` plus the invariants for recorded checks. Only for endpoints whose check was neither changed
 * nor run on demand.
 */
export async function checkEngine(sql: Sql, now: Date = new Date()): Promise<void> {
  await checkInvariants(sql, now);
  failOn(await findAll(sql, ENGINE));
}

/** Returns invariant violations in outages, for endpoints that have no history waiting to be written. */
export const findOutageViolations = (sql: Sql): Promise<Violation[]> => findAll(sql, OUTAGES);

const NUMBERS: readonly [what: string, sql: string][] = [
  [
    'an organization whose numbers of incidents have a gap',
    `SELECT org_id AS id FROM incident JOIN incident_sequence s USING (org_id)
      GROUP BY org_id, s.last HAVING max(number) <> count(*) OR max(number) <> s.last`,
  ],
];

/** Returns invariant violations in incidents, provided that none has been removed. */
export const findIncidentViolations = async (sql: Sql, now: Date = new Date()): Promise<Violation[]> => [
  ...(await inconsistencies(sql, now)).filter(({ what }) => what.includes('member')),
  ...(await findAll(sql, [...INCIDENTS, ...NUMBERS])),
];

const inconsistencies = async (sql: Sql, now: Date): Promise<Violation[]> =>
  (await checkConsistency(sql, { since: new Date(0), now, overdueMs: 300_000 })).map(({ kind, samples }) => ({
    what: kind,
    ids: samples,
  }));

/** Checks the invariants that hold in any database state, after any event. Fails with a list of all violations. */
export async function checkInvariants(sql: Sql, now: Date = new Date()): Promise<void> {
  failOn([...(await inconsistencies(sql, now)), ...(await findAll(sql, [...DELIVERIES, ...INCIDENTS]))]);
}

export async function findAll(sql: Sql, rules: readonly [what: string, sql: string][]): Promise<Violation[]> {
  const wrong: Violation[] = [];
  for (const [what, statement] of rules) {
    const rows = await sql.query<{ id: string }>(statement);
    if (rows.length > 0) wrong.push({ what, ids: rows.slice(0, 5).map(({ id }) => id) });
  }
  return wrong;
}

export function failOn(wrong: readonly Violation[]): void {
  if (wrong.length === 0) return;
  throw new Error(`Invariants are broken:\n${wrong.map(({ what, ids }) => `  ${what}: ${ids.join(' ')}`).join('\n')}`);
}

/**
 * Checks `checkInvariants` and that nothing is pending: every delivery has arrived, was superseded with a reason, or
 * has visibly failed.
 */
export async function checkSettled(sql: Sql, now: Date = new Date()): Promise<void> {
  await checkInvariants(sql, now);
  const pending = await sql.query<{ id: string }>(`SELECT id FROM notification WHERE state = 'pending'`);
  if (pending.length > 0) throw new Error(`${pending.length} deliveries are still pending`);
}
