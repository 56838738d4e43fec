import type { Tx } from '../../platform/database/database';
import { epochMs } from '../../platform/database/epoch-ms';
import { HOUR_MS } from '../../platform/time/time-units';
import type {
  DeliveryDetail,
  DeliveryEnd,
  DeliveryState,
  DueDelivery,
  LockedDelivery,
  TriggerOutcome,
} from '../delivery';
import { throughColumn } from '../delivery-contact';
import type { Destination } from '../destination';
import type { ReadyQueue } from '../plan/batch-plan';
import type { TellableIncident } from '../plan/fold';
import type { Attempt } from './attempt';
import { IS_HEAD } from './destination-queries';

/** Returns the due heads of a destination's queues, new episodes first, then by age. */
export const dueDeliveries = (tx: Tx, destination: Destination, now: Date, limit: number): Promise<DueDelivery[]> =>
  tx.query<DueDelivery>(
    `SELECT n.id, COALESCE(n.alert_id, n.id) AS "queueId", n.kind, n.detail IS NOT DISTINCT FROM 'redeliver' AS redeliver
     FROM notification n
     WHERE n.org_id = $1 AND n.destination = $2 AND n.state = 'pending' AND n.next_attempt_at <= $3
       AND (n.lease_token IS NULL OR n.lease_until <= $3) AND ${IS_HEAD}
     ORDER BY n.kind DESC, n.seq LIMIT $4`,
    [destination.orgId, destination.destination, now, limit],
  );

type ReadRow = Omit<LockedDelivery, 'triggerOutcome'> & {
  triggerState: DeliveryState | null;
  triggerDetail: DeliveryDetail | null;
  triggerMayHaveArrived: boolean | null;
};

/**
 * Locks and returns all pending deliveries in the queues that start with these heads, oldest first. Skips rows that
 * another session has locked. Cost: one statement, and a second one only for heads without an alert.
 */
export async function lockPending(
  tx: Tx,
  destination: Destination,
  heads: readonly DueDelivery[],
  now: Date,
): Promise<LockedDelivery[]> {
  const [alone, ofAlerts] = [true, false].map((isAlone) => [
    ...new Set(heads.filter(({ kind }) => (kind === 'contact_failing') === isAlone).map(({ queueId }) => queueId)),
  ]);
  return [
    ...(await lockQueues(tx, destination, 'n.alert_id', ofAlerts ?? [], now)),
    ...(await lockQueues(tx, destination, 'n.id', alone ?? [], now)),
  ];
}

async function lockQueues(
  tx: Tx,
  destination: Destination,
  queue: 'n.alert_id' | 'n.id',
  queueIds: readonly string[],
  now: Date,
): Promise<LockedDelivery[]> {
  if (queueIds.length === 0) return [];
  const rows = await tx.query<ReadRow>(
    `SELECT n.id, ${queue} AS "queueId", n.kind, n.incident_no AS "episodeNo", n.attempts, n.rejections,
       n.created_at AS "createdAt", n.notice #>> '{endpoint,id}' AS "endpointId", n.incident_id AS "incidentId",
       n.may_have_arrived OR n.lease_token IS NOT NULL AS "mayHaveArrived",
       n.lease_token IS NOT NULL AND n.lease_until > $4 AS "inFlight",
       n.detail IS NOT DISTINCT FROM 'redeliver' AS redeliver, e.id IS NOT NULL AS ended,
       t.state AS "triggerState", t.detail AS "triggerDetail", t.may_have_arrived AS "triggerMayHaveArrived"
     FROM notification n
     LEFT JOIN alert_event e
       ON n.kind <> 'resolved' AND e.alert_id = n.alert_id AND e.incident_no = n.incident_no AND e.type = 'resolved'
     LEFT JOIN LATERAL (
       SELECT o.state, o.detail, o.may_have_arrived
       FROM notification o
       WHERE n.kind <> 'triggered' AND o.alert_id = n.alert_id AND o.incident_no = n.incident_no
         AND o.kind = 'triggered' AND o.seq < n.seq
       LIMIT 1
     ) t ON true
     WHERE n.org_id = $1 AND n.destination = $2 AND ${queue} = ANY ($3::uuid[]) AND n.state = 'pending'
       AND n.kind <> 'test'
     ORDER BY n.seq
     FOR UPDATE OF n SKIP LOCKED`,
    [destination.orgId, destination.destination, queueIds, now],
  );
  return rows.map(({ triggerState, triggerDetail, triggerMayHaveArrived, ...row }) => ({
    ...row,
    triggerOutcome: triggerOutcomeOf(triggerState, triggerDetail, triggerMayHaveArrived === true),
  }));
}

/** Returns the outcome of a trigger based on its row. Pass `null` if the row no longer exists. */
export function triggerOutcomeOf(
  state: DeliveryState | null,
  detail: DeliveryDetail | null,
  mayHaveArrived: boolean,
): TriggerOutcome {
  if (state === null || state === 'delivered' || detail === 'collapsed') return 'notified';
  if (state === 'pending') return 'pending';
  if (mayHaveArrived) return 'maybe_notified';
  if (state === 'superseded') return 'dropped';
  return detail === 'expired' || detail === 'interrupted' ? 'given_up' : 'parked';
}

/** An alert with a lower episode number can't have had more than six transitions. */
const FIRST_FLAPPING_EPISODE = 4;

/**
 * Returns how many transitions these queues' alerts had in the last hour. Cost: one statement, or none unless one of
 * them has had a few episodes.
 */
export async function recentTransitions(
  tx: Tx,
  pending: readonly Pick<LockedDelivery, 'queueId' | 'episodeNo'>[],
  now: Date,
): Promise<Map<string, number>> {
  const newest = new Map(pending.map(({ queueId, episodeNo }) => [queueId, episodeNo]));
  const suspects = [...newest].filter(([, episodeNo]) => episodeNo >= FIRST_FLAPPING_EPISODE);
  if (suspects.length === 0) return new Map();
  const found = await tx.query<{ alertId: string; count: number }>(
    `SELECT a.id AS "alertId",
       (SELECT count(*)::int FROM alert_event e
        WHERE e.alert_id = a.id AND e.incident_no > a.incident_no - ${FIRST_FLAPPING_EPISODE} AND e.created_at > $3
       ) AS count
     FROM unnest($1::uuid[], $2::int[]) AS a (id, incident_no)`,
    [suspects.map(([id]) => id), suspects.map(([, episodeNo]) => episodeNo), new Date(now.getTime() - HOUR_MS)],
  );
  return new Map(found.map(({ alertId, count }) => [alertId, count]));
}

/**
 * Returns those incidents of these queues that had more than one endpoint, by the IDs in the deliveries. For a merged
 * incident, returns the incident that its endpoints are in now. Cost: no statement without an incident. Otherwise,
 * reads the destination's rows for these incidents by index.
 */
export async function readIncidents(
  tx: Tx,
  destination: Destination,
  ready: readonly ReadyQueue[],
  now: Date,
): Promise<Map<string, TellableIncident>> {
  const ids = new Set(ready.flatMap(({ deliveries }) => deliveries.flatMap(({ incidentId }) => incidentId ?? [])));
  if (ids.size === 0) return new Map();
  const rows = await tx.query<TellableIncident & { of: string }>(
    `SELECT o.id AS of, i.id, i.number, CASE WHEN i.cause = 'address' THEN i.cause_value END AS address,
       i.endpoint_count AS "endpointCount", i.open_count AS "openCount", i.outage_count AS outages,
       i.earlier_downtime_ms + COALESCE(${epochMs('i.ended_at')} - ${epochMs('COALESCE(i.last_started_at, i.started_at)')}, 0) AS "downtimeMs",
       i.ended_at AS "endedAt", l.*
     FROM incident o
     JOIN incident i ON i.id = COALESCE(o.merged_into, o.id)
     CROSS JOIN LATERAL (
       SELECT max(n.last_attempt_at) FILTER (
           WHERE n.state = 'delivered' OR n.state <> 'pending' AND n.may_have_arrived OR n.lease_until > $4) AS "leftAt",
         max(n.lease_until) FILTER (WHERE n.lease_until > $4) AS "busyUntil"
       FROM notification n
       WHERE n.incident_id = i.id AND n.org_id = $2 AND n.destination = $3
     ) l
     WHERE o.id = ANY ($1::uuid[]) AND i.endpoint_count > 1`,
    [[...ids], destination.orgId, destination.destination, now],
  );
  return new Map(rows.map(({ of, ...incident }) => [of, incident]));
}

/**
 * The incident and the time zone in the first attempt. Part of `notice` like the contact, because all attempts must be
 * the same, even if the incident is merged or the time zone changed in between.
 */
const TOLD = `jsonb_build_object(
  'timezone', (SELECT o.timezone FROM organization o WHERE o.id = n.org_id),
  'incident', (SELECT jsonb_build_object('id', i.id, 'number', i.number, 'outage', (
      SELECT count(*) FROM incident_outage p
       WHERE p.incident_id = i.id AND p.endpoint_id = v.endpoint_id AND p.started_at <= v.started_at))
    FROM incident w
    JOIN incident i ON i.id = COALESCE(w.merged_into, w.id)
    LEFT JOIN alert_event v ON v.id = COALESCE(n.event_id, n.reminder_of)
    WHERE w.id = n.incident_id))`;

/**
 * Leases the attempts' deliveries and counts the attempts. An expired lease leaves behind an unknown outcome. All
 * attempts name the same contact and incident as the first one. Cost: lookups by primary key for each first attempt.
 */
export async function leaseDeliveries(tx: Tx, attempts: readonly Attempt[], now: Date, until: Date): Promise<void> {
  const rows = attempts.flatMap(({ token, deliveries }) => deliveries.map(({ end }) => ({ token, id: end.id })));
  if (rows.length === 0) return;
  await tx.query(
    `UPDATE notification n
     SET may_have_arrived = n.may_have_arrived OR n.lease_token IS NOT NULL, lease_token = s.token, lease_until = $3,
       attempts = n.attempts + 1, last_attempt_at = $4,
       notice = CASE WHEN n.notice ? 'through' THEN n.notice ELSE n.notice || ${throughColumn('n.contact_id', 'n.org_id')} || ${TOLD} END
     FROM unnest($1::uuid[], $2::uuid[]) AS s (id, token)
     WHERE n.id = s.id`,
    [rows.map(({ id }) => id), rows.map(({ token }) => token), until, now],
  );
}

/**
 * Finishes deliveries without an attempt. An expired lease leaves behind an unknown outcome. The snapshot of a config
 * is kept only if the delivery may be revived.
 */
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

/** Postpones the queues that start with these deliveries. */
export async function postponeDeliveries(tx: Tx, postponed: readonly { id: string; until: Date }[]): Promise<void> {
  if (postponed.length === 0) return;
  await tx.query(
    `UPDATE notification n SET next_attempt_at = p.until
     FROM unnest($1::uuid[], $2::timestamptz[]) AS p (id, until)
     WHERE n.id = p.id`,
    [postponed.map(({ id }) => id), postponed.map(({ until }) => until)],
  );
}

/** Gives up on deliveries that have been pending for too long at a destination that doesn't work. */
export const expireDeliveries = (
  tx: Tx,
  destination: Destination,
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
    [destination.orgId, destination.destination, createdBefore, now],
  );
