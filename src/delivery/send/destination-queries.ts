import type { Sql, Tx } from '../../platform/database/database';
import type { Destination } from '../destination';
import type { Circuit } from '../plan/retry-policy';

/** A destination's stored state, which decides its next attempts. */
export interface DestinationState extends Circuit {
  channelType: string;
  host: string | null;
  tokens: number;
  tokensAt: Date | null;
  digestAt: Date | null;
}

/**
 * Everything that has reached its limit on attempts in flight, or was already visited. `key` is a destination or a
 * host.
 */
export interface Busy {
  orgs: readonly string[];
  destinations: readonly { orgId: string; key: string }[];
  hosts: readonly { orgId: string; key: string }[];
}

/**
 * The limit per organization and query. It is higher than the number of attempts that most destinations allow in
 * flight, and keeps each query short.
 */
const MOST_PER_ORGANIZATION = 16;
/** The maximum number of an organization's due destinations to search for one that hasn't reached its limit. */
const MOST_SEARCHED = 500;

/**
 * Returns due destinations. Organizations take turns. Cost: two index lookups per organization with pending deliveries,
 * plus the rows returned, even if an organization has thousands of due destinations. A single lookup if nothing is
 * pending.
 */
export const dueDestinations = (sql: Sql, now: Date, limit: number, busy: Busy): Promise<Destination[]> =>
  sql.query<Destination>(
    `WITH RECURSIVE organizations AS (
       (SELECT org_id FROM notification_destination WHERE due_at IS NOT NULL ORDER BY org_id LIMIT 1)
       UNION ALL
       SELECT (SELECT n.org_id FROM notification_destination n
               WHERE n.due_at IS NOT NULL AND n.org_id > o.org_id ORDER BY n.org_id LIMIT 1)
       FROM organizations o WHERE o.org_id IS NOT NULL
     )
     SELECT o.org_id AS "orgId", d.destination
     FROM organizations o
     CROSS JOIN LATERAL (
       SELECT s.destination, s.due_at, row_number() OVER (ORDER BY s.due_at) AS turn
       FROM (
         SELECT n.org_id, n.destination, n.due_at, n.host FROM notification_destination n
         WHERE n.org_id = o.org_id AND n.due_at <= $1
         ORDER BY n.due_at LIMIT ${MOST_SEARCHED}
       ) s
       WHERE (s.org_id, s.destination) NOT IN (SELECT * FROM unnest($3::uuid[], $4::text[]))
         AND (s.host IS NULL OR (s.org_id, s.host) NOT IN (SELECT * FROM unnest($5::uuid[], $6::text[])))
       ORDER BY s.due_at LIMIT ${MOST_PER_ORGANIZATION}
     ) d
     WHERE o.org_id <> ALL ($2::uuid[])
     ORDER BY d.turn, d.due_at LIMIT $7`,
    [
      now,
      busy.orgs,
      busy.destinations.map(({ orgId }) => orgId),
      busy.destinations.map(({ key }) => key),
      busy.hosts.map(({ orgId }) => orgId),
      busy.hosts.map(({ key }) => key),
      limit,
    ],
  );

/** Returns true if any delivery is waiting to be sent, now or later. Cost: one index lookup. */
export const isAnyPending = async (sql: Sql): Promise<boolean> =>
  (await sql.query('SELECT FROM notification_destination WHERE due_at IS NOT NULL LIMIT 1')).length > 0;

/** Locks and returns the destination, if it is still due and not locked by another session. */
export async function lockDestination(tx: Tx, destination: Destination, now: Date): Promise<DestinationState | null> {
  const [state] = await tx.query<DestinationState>(
    `SELECT channel_type AS "channelType", host, tokens, tokens_at AS "tokensAt", digest_at AS "digestAt", failures,
       blocked_until AS "blockedUntil"
     FROM notification_destination
     WHERE org_id = $1 AND destination = $2 AND due_at <= $3
     FOR UPDATE SKIP LOCKED`,
    [destination.orgId, destination.destination, now],
  );
  return state ?? null;
}

/** The columns that change when the next attempts are chosen. */
export interface Chosen {
  dueAt: Date | null;
  tokens: number;
  tokensAt: Date | null;
  digestAt: Date | null;
  blockedUntil: Date | null;
}

export async function saveChosen(tx: Tx, destination: Destination, chosen: Chosen): Promise<void> {
  await tx.query(
    `UPDATE notification_destination
     SET due_at = $3, tokens = $4, tokens_at = $5, digest_at = $6, blocked_until = $7
     WHERE org_id = $1 AND destination = $2`,
    [
      destination.orgId,
      destination.destination,
      chosen.dueAt,
      chosen.tokens,
      chosen.tokensAt,
      chosen.digestAt,
      chosen.blockedUntil,
    ],
  );
}

/**
 * Returns when the first of the pending queues is due. Ignores the queues of `held` deliveries. Includes leases that
 * may expire without an outcome.
 */
export async function nextDue(tx: Tx, destination: Destination, held: readonly string[]): Promise<Date | null> {
  const [row] = await tx.query<{ at: Date | null }>(
    `SELECT min(CASE WHEN n.lease_token IS NULL THEN n.next_attempt_at ELSE n.lease_until END) AS at
     FROM notification n
     WHERE n.org_id = $1 AND n.destination = $2 AND n.state = 'pending' AND n.id <> ALL ($3::uuid[]) AND ${IS_HEAD}`,
    [destination.orgId, destination.destination, held],
  );
  return row?.at ?? null;
}

/**
 * SQL condition: no older delivery of its alert precedes a pending delivery `n` at this destination. Tests and
 * redeliveries are outside the queue. Nothing waits for a reminder or a certificate warning, unless it is being sent.
 * `|| ''` prevents the planner from using the destination's index. With stale statistics, it rescanned the backlog once
 * per row.
 */
export const IS_HEAD = `(n.kind = 'test' OR n.detail IS NOT DISTINCT FROM 'redeliver' OR NOT EXISTS (
  SELECT 1 FROM notification o
  WHERE o.alert_id = n.alert_id AND o.seq < n.seq AND o.state = 'pending' AND o.destination || '' = n.destination
    AND o.kind <> 'test' AND (o.kind NOT IN ('reminder', 'expiry') OR o.lease_token IS NOT NULL) AND o.detail IS DISTINCT FROM 'redeliver'))`;

/** Locks the destination's circuit breaker until an attempt's outcome is written. */
export async function lockCircuit(tx: Tx, destination: Destination): Promise<Circuit> {
  const [circuit] = await tx.query<Circuit>(
    `SELECT failures, blocked_until AS "blockedUntil" FROM notification_destination
     WHERE org_id = $1 AND destination = $2 FOR UPDATE`,
    [destination.orgId, destination.destination],
  );
  return circuit ?? { failures: 0, blockedUntil: null };
}

/**
 * Writes the circuit breaker after an attempt and makes the destination due. The first failure sets `failing_since`,
 * and a delivered attempt clears it. So it is set if and only if `failures` is above 0. `last_failed_at` is the time of
 * the newest failure.
 */
export async function saveCircuit(
  tx: Tx,
  destination: Destination,
  circuit: Circuit,
  host: string | null,
  now: Date,
): Promise<void> {
  await tx.query(
    `UPDATE notification_destination
     SET failures = $3, blocked_until = $4, host = COALESCE($5, host), due_at = LEAST(due_at, $6),
       failing_since = CASE WHEN $3 > 0 THEN COALESCE(failing_since, $6) END,
       last_failed_at = CASE WHEN $3 > failures THEN $6 WHEN $3 > 0 THEN last_failed_at END
     WHERE org_id = $1 AND destination = $2`,
    [destination.orgId, destination.destination, circuit.failures, circuit.blockedUntil, host, now],
  );
}
