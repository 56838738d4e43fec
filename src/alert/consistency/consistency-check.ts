import type { Sql } from '../../platform/database/database';
import { IS_LEFT_OVER, IS_MISSING } from '../../incident/incident-adoption';
import { firstUuidAt } from '../../platform/ids/id';

/**
 * Possible inconsistencies between flags, events, deliveries, and incident members. The names are public, because
 * metrics and health show them.
 */
export const INCONSISTENCY_KINDS = [
  /** An alert's flag doesn't match its newest event. */
  'flag_without_event',
  /** An alert's events don't alternate between triggered and resolved. */
  'not_alternating',
  /** An event that should have a delivery has none. */
  'event_without_message',
  /** A pending delivery whose destination never becomes due. The consistency job repairs it. */
  'message_forgotten',
  /** A delivery that should have been claimed long ago, which means that the delivery loop is stuck. */
  'message_overdue',
  /** A finished delivery without an end time, or with an incomplete lease. No code path writes this state. */
  'message_inconsistent',
  /** An endpoint with a triggered alert that isn't in any open incident. The consistency job repairs it. */
  'member_missing',
  /**
   * An open incident member without a triggered alert and without an acknowledgement. The consistency job repairs it.
   */
  'member_left_over',
] as const;
export type InconsistencyKind = (typeof INCONSISTENCY_KINDS)[number];

export interface Inconsistency {
  kind: InconsistencyKind;
  count: number;
  /** UUIDs of up to five examples: alerts, events, deliveries, or endpoints. */
  samples: string[];
}

/** The scope of a check: events recorded since a given time, and everything that is open now. */
export interface ConsistencyScope {
  since: Date;
  now: Date;
  /** A delivery is overdue if its destination has been due for this long. */
  overdueMs: number;
}

const FLAG_WITHOUT_EVENT = `
  WITH changed AS (SELECT DISTINCT alert_id FROM alert_event WHERE id >= $1)
  SELECT a.id
  FROM alert a
  LEFT JOIN alert_event t ON t.alert_id = a.id AND t.incident_no = a.incident_no AND t.type = 'triggered'
  LEFT JOIN alert_event r ON r.alert_id = a.id AND r.incident_no = a.incident_no AND r.type = 'resolved'
  LEFT JOIN alert_event later ON later.alert_id = a.id AND later.incident_no = a.incident_no + 1
  WHERE (a.triggered OR a.id IN (SELECT alert_id FROM changed))
    AND (t.id IS NULL OR a.triggered = (r.id IS NOT NULL) OR later.id IS NOT NULL
      OR (a.triggered AND a.trigger_event_id IS DISTINCT FROM t.id))`;

const NOT_ALTERNATING = `
  SELECT e.id
  FROM alert_event e
  WHERE e.id >= $1 AND (
    (e.type = 'resolved' AND NOT EXISTS (
      SELECT 1 FROM alert_event t
      WHERE t.alert_id = e.alert_id AND t.incident_no = e.incident_no AND t.type = 'triggered'))
    OR (e.type = 'triggered' AND e.incident_no > 1 AND NOT EXISTS (
      SELECT 1 FROM alert_event r
      WHERE r.alert_id = e.alert_id AND r.incident_no = e.incident_no - 1 AND r.type = 'resolved')))`;

// Whether a resolve is sent depends on a setting of the alert, so if the alert was edited after the event, nothing can
// be concluded.
const EVENT_WITHOUT_DELIVERY = `
  SELECT e.id
  FROM alert_event e
  LEFT JOIN alert a ON a.id = e.alert_id
  WHERE e.id >= $1
    AND (e.type = 'triggered' OR (a.send_on_resolved AND a.updated_at <= e.created_at))
    AND NOT EXISTS (SELECT 1 FROM notification n WHERE n.event_id = e.id AND n.kind = e.type)`;

const DELIVERY_FORGOTTEN = `
  SELECT n.id
  FROM notification n
  LEFT JOIN notification_destination d ON d.org_id = n.org_id AND d.destination = n.destination
  WHERE n.state = 'pending' AND d.due_at IS NULL`;

const DELIVERY_OVERDUE = `
  SELECT n.id
  FROM notification_destination d
  JOIN notification n ON n.org_id = d.org_id AND n.destination = d.destination AND n.state = 'pending'
  WHERE d.due_at < $1 AND n.next_attempt_at < $1 AND (n.lease_until IS NULL OR n.lease_until < $1)`;

const DELIVERY_INCONSISTENT = `
  SELECT id FROM notification
  WHERE id >= $1 AND (
    (state = 'pending' AND finished_at IS NOT NULL)
    OR (state <> 'pending' AND (finished_at IS NULL OR lease_token IS NOT NULL))
    OR (lease_token IS NULL) <> (lease_until IS NULL)
    OR (state = 'superseded' AND detail IS NULL)
    OR (state = 'failed' AND detail IS NULL))`;

// Cost: the open alerts and the open members, each by a partial index, with a lookup in the other index for each.
const MEMBER_MISSING = `SELECT DISTINCT a.endpoint_id AS id FROM alert a WHERE ${IS_MISSING}`;
const MEMBER_LEFT_OVER = `SELECT m.endpoint_id AS id FROM incident_member m WHERE ${IS_LEFT_OVER}`;

/**
 * Compares alert flags, events, deliveries, and incident members. Each comparison is one statement, so that a
 * transaction that commits in between can't look like an inconsistency.
 */
export async function checkConsistency(
  sql: Sql,
  { since, now, overdueMs }: ConsistencyScope,
): Promise<Inconsistency[]> {
  const from = firstUuidAt(since);
  const overdue = new Date(now.getTime() - overdueMs);
  return [
    ...(await compare(sql, 'flag_without_event', FLAG_WITHOUT_EVENT, [from])),
    ...(await compare(sql, 'not_alternating', NOT_ALTERNATING, [from])),
    ...(await compare(sql, 'event_without_message', EVENT_WITHOUT_DELIVERY, [from])),
    ...(await compare(sql, 'message_forgotten', DELIVERY_FORGOTTEN, [])),
    ...(await compare(sql, 'message_overdue', DELIVERY_OVERDUE, [overdue])),
    ...(await compare(sql, 'message_inconsistent', DELIVERY_INCONSISTENT, [from])),
    ...(await compare(sql, 'member_missing', MEMBER_MISSING, [])),
    ...(await compare(sql, 'member_left_over', MEMBER_LEFT_OVER, [])),
  ];
}

async function compare(
  sql: Sql,
  kind: InconsistencyKind,
  statement: string,
  parameters: unknown[],
): Promise<Inconsistency[]> {
  const [found] = await sql.query<{ count: number; samples: string[] | null }>(
    `WITH wrong AS (${statement})
     SELECT (SELECT count(*)::int FROM wrong) AS count,
       (SELECT array_agg(id::text) FROM (SELECT id FROM wrong LIMIT 5) first) AS samples`,
    parameters,
  );
  return found && found.count > 0 ? [{ kind, count: found.count, samples: found.samples ?? [] }] : [];
}
