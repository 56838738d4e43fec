import type { Tx } from '../platform/database/database';
import { DAY_MS } from '../platform/time/time-units';
import { STRAIGHT_FAILURES } from './plan/retry-policy';
import { isSameDestination, type Route } from './route';

/** How long a new config can revive a failed delivery after it was given up. */
const REVIVABLE_MS = DAY_MS;

/** Alerts that switch to another config or contact. */
export interface Rerouting {
  orgId: string;
  /** Alerts of one organization that all used `before` until now. The caller must have locked their rows. */
  alertIds: readonly string[];
  before: Route;
  after: Route;
  /** True if the alerts are disabled at the same time. In that case, nothing is moved or revived. */
  isStopped: boolean;
}

/** The reasons for giving up that a new config may fix. */
const REFUSED = `'rejected', 'unsendable', 'behind_failed'`;

// Selects pending deliveries, and those rejected within the last day. Cost: two partial indexes of one organization. It
// never reads an alert's whole history, which is long. Reminders are not revived, because the next one contains the
// current duration.
const LOCK = `
  SELECT n.id FROM notification n WHERE n.id IN (
    SELECT p.id FROM notification p
     WHERE p.org_id = $1 AND p.state = 'pending' AND p.kind <> 'test' AND p.alert_id = ANY ($2::uuid[])
    UNION ALL
    SELECT f.id FROM notification f
     WHERE f.org_id = $1 AND f.state = 'failed' AND f.kind <> 'test' AND f.kind <> 'reminder' AND f.finished_at > $3
       AND f.detail IN (${REFUSED}) AND f.alert_id = ANY ($2::uuid[]))
  ORDER BY n.id FOR UPDATE OF n`;

// `here`: the delivery was already meant for the destination in the new config. `told`: its episode's trigger may have
// arrived, or is in flight. With another credential, an open circuit breaker allows one attempt. The key for an alert
// without a destination comes from `destinationOfAlert`.
const REROUTE = `
  WITH chosen AS (
    SELECT n.id, n.state, n.here,
      CASE WHEN n.state = 'pending'
        THEN n.here AND (n.never_arrived OR n.same_format) OR ($8 AND n.never_arrived AND NOT n.told)
        ELSE $8 AND n.never_arrived AND (n.here OR NOT n.told) END AS moves,
      $8 AND n.lease_token IS NULL AND n.attempts > 0 AND n.detail IS DISTINCT FROM 'flapping' AS again
    FROM (
      SELECT o.*, COALESCE(o.destination = $5, false) AS here,
        COALESCE(o.config, $2::jsonb) ->> 'format' IS NOT DISTINCT FROM $10 AS same_format,
        NOT o.may_have_arrived AND o.lease_token IS NULL AS never_arrived,
        EXISTS (
          SELECT FROM notification t
          WHERE t.alert_id = o.alert_id AND t.incident_no = o.incident_no AND t.kind = 'triggered'
            AND (t.state = 'delivered' OR t.may_have_arrived OR t.lease_token IS NOT NULL)) AS told
      FROM notification o
      WHERE o.id = ANY ($1::uuid[]) AND (o.state = 'pending' OR (o.state = 'failed' AND o.kind <> 'reminder' AND o.detail IN (${REFUSED})))) n
  ), changed AS (
    UPDATE notification n
    SET channel_type = CASE WHEN c.moves THEN $4 ELSE n.channel_type END,
      destination = CASE WHEN c.moves
        THEN COALESCE($5, encode(sha256(convert_to('unreadable:' || n.alert_id, 'UTF8')), 'hex'))
        ELSE n.destination END,
      contact_id = CASE WHEN c.moves THEN $6 WHEN n.config IS NULL THEN $3 ELSE n.contact_id END,
      config = CASE WHEN c.moves THEN NULL ELSE COALESCE(n.config, $2::jsonb) END,
      state = 'pending', finished_at = NULL,
      detail = CASE WHEN c.moves AND NOT (c.here AND n.state = 'pending') THEN NULL ELSE n.detail END,
      attempts = CASE WHEN r.restarts THEN 0 ELSE n.attempts END,
      rejections = CASE WHEN r.restarts THEN 0 ELSE n.rejections END,
      next_attempt_at = CASE WHEN r.restarts THEN $7 ELSE n.next_attempt_at END
    FROM chosen c
    CROSS JOIN LATERAL (
      SELECT c.moves AND (c.state = 'failed' OR NOT c.here OR c.again) AS restarts) r
    WHERE n.id = c.id AND (c.moves OR c.state = 'pending')
    RETURNING n.org_id, n.destination, n.channel_type, n.kind, n.event_id, c.moves, r.restarts
  ), woken AS (
    INSERT INTO notification_destination AS d (org_id, destination, channel_type, due_at)
    SELECT DISTINCT org_id, destination, channel_type, $7 FROM changed WHERE restarts ORDER BY 1, 2
    ON CONFLICT (org_id, destination) DO UPDATE SET due_at = LEAST(d.due_at, EXCLUDED.due_at),
      blocked_until = CASE WHEN $9 AND d.failures >= ${STRAIGHT_FAILURES} THEN NULL ELSE d.blocked_until END
  )
  SELECT event_id AS "eventId", restarts FROM changed WHERE moves AND kind = 'triggered' OR restarts`;

interface Moved {
  eventId: string | null;
  restarts: boolean;
}

/**
 * Chooses the config for pending deliveries. Deliveries that were already meant for the new destination use the new
 * config, because only a credential or the format changed. If a user changed the body of a webhook, those that may have
 * arrived keep the old one, because all attempts must be the same. Deliveries that certainly never arrived also use the new
 * config, if their episode's trigger may not have been sent. So do deliveries that the provider rejected within the
 * last day. All others keep the old config, so that the end of an episode is reported where its start was.
 * Cost: at most two statements, regardless of the number of alerts. The first one only locks. While it waits, another
 * instance may lease or finish a delivery, and the second statement sees that.
 */
export async function reroute(
  tx: Tx,
  { orgId, alertIds, before, after, isStopped }: Rerouting,
  now: Date,
): Promise<{ triggers: ReadonlySet<string>; isAnyDue: boolean }> {
  const since = new Date(now.getTime() - REVIVABLE_MS);
  const locked = await tx.query<{ id: string }>(LOCK, [orgId, alertIds, since]);
  if (locked.length === 0) return { triggers: new Set(), isAnyDue: false };
  const moved = await tx.query<Moved>(REROUTE, [
    locked.map(({ id }) => id),
    JSON.stringify(before.config),
    before.contactId,
    after.type,
    after.destination,
    after.contactId,
    now,
    !isStopped,
    isSameDestination(before, after),
    after.config.format ?? null,
  ]);
  return {
    triggers: new Set(moved.flatMap(({ eventId }) => eventId ?? [])),
    isAnyDue: moved.some(({ restarts }) => restarts),
  };
}

/**
 * Deleted alerts leave behind snapshots of the contact's old config. Replaces those snapshots with the new config if
 * the destination is the same. Otherwise, a revoked credential would prevent their resolves from being sent. Cost: one
 * statement over the pending deliveries of this destination.
 */
export async function renewSnapshots(tx: Tx, orgId: string, before: Route, after: Route): Promise<void> {
  await tx.query(
    `UPDATE notification SET config = $4::jsonb, contact_id = $5
     WHERE org_id = $1 AND destination = $2 AND contact_id = $3 AND state = 'pending' AND kind <> 'test'
       AND config IS NOT NULL
       AND ((NOT may_have_arrived AND lease_token IS NULL) OR config ->> 'format' IS NOT DISTINCT FROM $6)`,
    [
      orgId,
      after.destination,
      before.contactId,
      JSON.stringify(after.config),
      after.contactId,
      after.config.format ?? null,
    ],
  );
}
