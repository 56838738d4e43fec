import type { Tx } from '../../platform/database/database';
import type { PendingDelivery, DeliveryEnd, TriggerOutcome } from '../plan/queue-plan';
import { IS_HEAD, type Destination } from './destination-queries';
import type { DeliveryDetail, DeliveryKind, DeliveryState } from '../delivery';
import type { Attempt } from './attempt';

/** A row whose turn it is, as far as its alert's queue and its own due time go. */
export interface DueDelivery {
  id: string;
  alertId: string;
  kind: DeliveryKind;
  redeliver: boolean;
}

/** A row that waits, with what its message may depend on. */
export interface LockedDelivery extends PendingDelivery {
  alertId: string;
  redeliver: boolean;
  inFlight: boolean;
  attempts: number;
  rejections: number;
  createdAt: Date;
}

/** Due heads of a destination's queues, new incidents first, then by age. */
export const dueDeliveries = (tx: Tx, place: Destination, now: Date, limit: number): Promise<DueDelivery[]> =>
  tx.query<DueDelivery>(
    `SELECT n.id, n.alert_id AS "alertId", n.kind, n.detail IS NOT DISTINCT FROM 'redeliver' AS redeliver
     FROM notification n
     WHERE n.org_id = $1 AND n.destination = $2 AND n.state = 'pending' AND n.next_attempt_at <= $3
       AND (n.lease_token IS NULL OR n.lease_until <= $3) AND ${IS_HEAD}
     ORDER BY n.kind DESC, n.seq LIMIT $4`,
    [place.orgId, place.destination, now, limit],
  );

type ReadRow = Omit<LockedDelivery, 'triggerFate'> & {
  triggerState: DeliveryState | null;
  triggerDetail: DeliveryDetail | null;
  triggerMayHaveArrived: boolean | null;
};

/**
 * Everything that waits at the destination for these alerts, oldest first. Rows that somebody else has locked are left
 * out instead of waited for.
 */
export async function lockPending(
  tx: Tx,
  place: Destination,
  alertIds: readonly string[],
  now: Date,
): Promise<LockedDelivery[]> {
  const rows = await tx.query<ReadRow>(
    `SELECT n.id, n.alert_id AS "alertId", n.kind, n.incident_no AS "incidentNo", n.attempts, n.rejections,
       n.created_at AS "createdAt", n.may_have_arrived OR n.lease_token IS NOT NULL AS "mayHaveArrived",
       n.lease_token IS NOT NULL AND n.lease_until > $4 AS "inFlight",
       n.detail IS NOT DISTINCT FROM 'redeliver' AS redeliver, e.id IS NOT NULL AS ended,
       t.state AS "triggerState", t.detail AS "triggerDetail", t.may_have_arrived AS "triggerMayHaveArrived"
     FROM notification n
     LEFT JOIN alert_event e
       ON n.kind = 'triggered' AND e.alert_id = n.alert_id AND e.incident_no = n.incident_no AND e.type = 'resolved'
     LEFT JOIN LATERAL (
       SELECT o.state, o.detail, o.may_have_arrived
       FROM notification o
       WHERE n.kind = 'resolved' AND o.alert_id = n.alert_id AND o.incident_no = n.incident_no
         AND o.kind = 'triggered' AND o.seq < n.seq
       LIMIT 1
     ) t ON true
     WHERE n.org_id = $1 AND n.destination = $2 AND n.alert_id = ANY ($3::uuid[]) AND n.state = 'pending'
       AND n.kind <> 'test'
     ORDER BY n.seq
     FOR UPDATE OF n SKIP LOCKED`,
    [place.orgId, place.destination, alertIds, now],
  );
  return rows.map(({ triggerState, triggerDetail, triggerMayHaveArrived, ...row }) => ({
    ...row,
    triggerFate: triggerOutcomeOf(triggerState, triggerDetail, triggerMayHaveArrived === true),
  }));
}

/** What a trigger's row says about whether anybody has heard of it. */
export function triggerOutcomeOf(
  state: DeliveryState | null,
  detail: DeliveryDetail | null,
  mayHaveArrived: boolean,
): TriggerOutcome {
  if (state === null || state === 'delivered' || detail === 'collapsed') return 'told';
  if (state === 'pending') return 'waiting';
  if (mayHaveArrived) return 'maybe_told';
  if (state === 'superseded') return 'dropped';
  return detail === 'expired' || detail === 'interrupted' ? 'given_up' : 'parked';
}

/** Below this incident number an alert cannot have had more than six transitions. */
const FIRST_RESTLESS_INCIDENT = 4;
const HOUR_MS = 3_600_000;

/** Transitions of these alerts in the last hour. No statement unless one of them has had a few incidents. */
export async function recentTransitions(
  tx: Tx,
  rows: readonly LockedDelivery[],
  now: Date,
): Promise<Map<string, number>> {
  const newest = new Map(rows.map(({ alertId, incidentNo }) => [alertId, incidentNo]));
  const suspects = [...newest].filter(([, incidentNo]) => incidentNo >= FIRST_RESTLESS_INCIDENT);
  if (suspects.length === 0) return new Map();
  const found = await tx.query<{ alertId: string; count: number }>(
    `SELECT a.id AS "alertId",
       (SELECT count(*)::int FROM alert_event e
        WHERE e.alert_id = a.id AND e.incident_no > a.incident_no - ${FIRST_RESTLESS_INCIDENT} AND e.created_at > $3
       ) AS count
     FROM unnest($1::uuid[], $2::int[]) AS a (id, incident_no)`,
    [suspects.map(([id]) => id), suspects.map(([, incidentNo]) => incidentNo), new Date(now.getTime() - HOUR_MS)],
  );
  return new Map(found.map(({ alertId, count }) => [alertId, count]));
}

/** Leases the rows of the shipments and counts the attempt. A lease that ran out leaves an unknown outcome behind. */
export async function leaseDeliveries(tx: Tx, shipments: readonly Attempt[], now: Date, until: Date): Promise<void> {
  const rows = shipments.flatMap(({ token, rows }) => rows.map(({ end }) => ({ token, id: end.id })));
  if (rows.length === 0) return;
  await tx.query(
    `UPDATE notification n
     SET may_have_arrived = n.may_have_arrived OR n.lease_token IS NOT NULL, lease_token = s.token, lease_until = $3,
       attempts = n.attempts + 1, last_attempt_at = $4
     FROM unnest($1::uuid[], $2::uuid[]) AS s (id, token)
     WHERE n.id = s.id`,
    [rows.map(({ id }) => id), rows.map(({ token }) => token), until, now],
  );
}

/** Ends rows without telling them. A lease that ran out leaves an unknown outcome behind; a snapshot of a config is kept only where the row may be revived. */
export async function endDeliveries(tx: Tx, ends: readonly DeliveryEnd[], now: Date): Promise<void> {
  if (ends.length === 0) return;
  await tx.query(
    `UPDATE notification n
     SET state = r.state, detail = r.detail, finished_at = $4,
       may_have_arrived = n.may_have_arrived OR n.lease_token IS NOT NULL, lease_token = NULL, lease_until = NULL,
       config = CASE WHEN r.state = 'failed' THEN n.config END
     FROM unnest($1::uuid[], $2::text[], $3::text[]) AS r (id, state, detail)
     WHERE n.id = r.id`,
    [ends.map(({ id }) => id), ends.map(({ state }) => state), ends.map(({ detail }) => detail), now],
  );
}

/** Puts queues off until a time. */
export async function postponeDeliveries(tx: Tx, held: readonly { id: string; until: Date }[]): Promise<void> {
  if (held.length === 0) return;
  await tx.query(
    `UPDATE notification n SET next_attempt_at = h.until
     FROM unnest($1::uuid[], $2::timestamptz[]) AS h (id, until)
     WHERE n.id = h.id`,
    [held.map(({ id }) => id), held.map(({ until }) => until)],
  );
}

/** Gives up what has waited too long at a destination that does not work. */
export const expireDeliveries = (
  tx: Tx,
  place: Destination,
  createdBefore: Date,
  now: Date,
): Promise<{ id: string }[]> =>
  tx.query<{ id: string }>(
    `UPDATE notification SET state = 'failed', detail = 'expired', finished_at = $4
     WHERE id IN (
       SELECT id FROM notification
       WHERE org_id = $1 AND destination = $2 AND state = 'pending' AND lease_token IS NULL AND created_at < $3
         AND detail IS DISTINCT FROM 'redeliver'
       FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [place.orgId, place.destination, createdBefore, now],
  );
