import type { Sql, Tx } from '../../platform/database/database';
import type { Circuit } from '../plan/retry-policy';

/** What shares one rate limit and one circuit. */
export interface Destination {
  orgId: string;
  destination: string;
}

/** What is known about a destination when the next messages for it are chosen. */
export interface DestinationState extends Circuit {
  channelType: string;
  host: string | null;
  tokens: number;
  tokensAt: Date | null;
  digestAt: Date | null;
}

/** What is in flight already and must not get more. */
export interface Busy {
  orgs: readonly string[];
  destinations: readonly string[];
  hosts: readonly string[];
}

/** Destinations to look at, organizations taking turns. One index scan; with nothing owed one probe of the index. */
export const dueDestinations = (sql: Sql, now: Date, limit: number, busy: Busy): Promise<Destination[]> =>
  sql.query<Destination>(
    `SELECT org_id AS "orgId", destination
     FROM (
       SELECT org_id, destination, due_at, row_number() OVER (PARTITION BY org_id ORDER BY due_at) AS turn
       FROM notification_destination
       WHERE due_at <= $1 AND org_id <> ALL ($2::uuid[]) AND destination <> ALL ($3::text[])
         AND (host IS NULL OR host <> ALL ($4::text[]))
     ) d
     ORDER BY turn, due_at LIMIT $5`,
    [now, busy.orgs, busy.destinations, busy.hosts, limit],
  );

/** The destination if it is still due and nobody else is looking at it. */
export async function lockDestination(tx: Tx, place: Destination, now: Date): Promise<DestinationState | null> {
  const [state] = await tx.query<DestinationState>(
    `SELECT channel_type AS "channelType", host, tokens, tokens_at AS "tokensAt", digest_at AS "digestAt", failures,
       blocked_until AS "blockedUntil"
     FROM notification_destination
     WHERE org_id = $1 AND destination = $2 AND due_at <= $3
     FOR UPDATE SKIP LOCKED`,
    [place.orgId, place.destination, now],
  );
  return state ?? null;
}

/** What choosing the next messages changes. */
export interface Chosen {
  dueAt: Date | null;
  tokens: number;
  tokensAt: Date | null;
  digestAt: Date | null;
  blockedUntil: Date | null;
}

export async function saveChosen(tx: Tx, place: Destination, chosen: Chosen): Promise<void> {
  await tx.query(
    `UPDATE notification_destination
     SET due_at = $3, tokens = $4, tokens_at = $5, digest_at = $6, blocked_until = $7
     WHERE org_id = $1 AND destination = $2`,
    [
      place.orgId,
      place.destination,
      chosen.dueAt,
      chosen.tokens,
      chosen.tokensAt,
      chosen.digestAt,
      chosen.blockedUntil,
    ],
  );
}

/** When the first of the waiting queues has something to do, leases included that may end without an outcome. */
export async function nextDue(tx: Tx, place: Destination): Promise<Date | null> {
  const [row] = await tx.query<{ at: Date | null }>(
    `SELECT min(CASE WHEN n.lease_token IS NULL THEN n.next_attempt_at ELSE n.lease_until END) AS at
     FROM notification n
     WHERE n.org_id = $1 AND n.destination = $2 AND n.state = 'pending' AND ${IS_HEAD}`,
    [place.orgId, place.destination],
  );
  return row?.at ?? null;
}

/**
 * True of a waiting row `n` that no older row of its alert holds back at this destination. Tests and redeliveries stand
 * beside the queue. The concatenation keeps the planner to the index on the alert: by the destination it would read the
 * whole backlog once for each of its rows, which without fresh statistics it took for the better way.
 */
export const IS_HEAD = `(n.kind = 'test' OR n.detail IS NOT DISTINCT FROM 'redeliver' OR NOT EXISTS (
  SELECT 1 FROM notification o
  WHERE o.alert_id = n.alert_id AND o.seq < n.seq AND o.state = 'pending' AND o.destination || '' = n.destination
    AND o.kind <> 'test' AND o.detail IS DISTINCT FROM 'redeliver'))`;

/** The destination's circuit, locked until the outcome of an attempt is written. */
export async function lockCircuit(tx: Tx, place: Destination): Promise<Circuit> {
  const [circuit] = await tx.query<Circuit>(
    `SELECT failures, blocked_until AS "blockedUntil" FROM notification_destination
     WHERE org_id = $1 AND destination = $2 FOR UPDATE`,
    [place.orgId, place.destination],
  );
  return circuit ?? { failures: 0, blockedUntil: null };
}

/** Writes what an attempt did to the circuit and asks for another look at once. */
export async function saveCircuit(
  tx: Tx,
  place: Destination,
  circuit: Circuit,
  host: string | null,
  now: Date,
): Promise<void> {
  await tx.query(
    `UPDATE notification_destination
     SET failures = $3, blocked_until = $4, host = COALESCE($5, host), due_at = LEAST(due_at, $6)
     WHERE org_id = $1 AND destination = $2`,
    [place.orgId, place.destination, circuit.failures, circuit.blockedUntil, host, now],
  );
}
