import type { Sql, Tx } from '../platform/database/database';
import { type DefaultContact, FAILING, type FailedAttempts } from './failing';

/** The columns of a failure. `d` is the row of the contact's destination. */
export const FAILED = `d.failing_since AS "since",
  COALESCE(d.failures, 0) AS "count", d.last_failed_at AS "lastAt"`;

/** The condition of `isFailing` on `d`. The parameters are `failingLimits`. */
const IS_FAILING = `d.failing_since < $1 AND d.last_failed_at >= $2 AND d.failures >= $3`;

const failingLimits = (now: Date): [Date, Date, number] => [
  new Date(now.getTime() - FAILING.longerThanMs),
  new Date(now.getTime() - FAILING.withinMs),
  FAILING.attempts,
];

/** Returns the failing contacts of an organization. Cost: its failing destinations, by a small partial index. */
export async function failingContacts(sql: Sql, orgId: string, now: Date): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT c.id FROM notification_destination d
     JOIN contact c ON c.org_id = d.org_id AND c.destination = d.destination
     WHERE ${IS_FAILING} AND d.org_id = $4`,
    [...failingLimits(now), orgId],
  );
  return rows.map(({ id }) => id);
}

/** A failing contact whose failure hasn't been reported to anyone yet. */
export interface NewlyFailing {
  id: string;
  orgId: string;
  name: string;
  type: string;
  since: Date;
  count: number;
  error: string | null;
}

// Cost: the destinations of all organizations that have failed for a week, found with a partial index. For each, the
// contacts of its organization, at most 1,000. The index of deliveries by contact finds the newest error. With `SKIP
// LOCKED`, concurrent instances take different rows, and a later one sees the mark.
const LOCK = `
  SELECT c.id, c.org_id AS "orgId", c.name, c.type, d.failing_since AS since, d.failures AS count, n.error
  FROM notification_destination d
  JOIN contact c ON c.org_id = d.org_id AND c.destination = d.destination
  JOIN organization o ON o.id = c.org_id AND o.deleted_at IS NULL
  LEFT JOIN LATERAL (
    SELECT n.error FROM notification n
     WHERE n.contact_id = c.id AND n.kind <> 'test' AND n.state <> 'delivered' AND n.error IS NOT NULL ORDER BY n.seq DESC LIMIT 1) n ON true
  WHERE ${IS_FAILING} AND c.failing_told IS DISTINCT FROM d.failing_since
  ORDER BY d.failing_since LIMIT $4
  FOR UPDATE OF c SKIP LOCKED`;

/** Locks the failing contacts that no one was notified about, the longest failure first. */
export const lockNewlyFailing = (tx: Tx, now: Date, limit: number): Promise<NewlyFailing[]> =>
  tx.query<NewlyFailing>(LOCK, [...failingLimits(now), limit]);

type DefaultRow = Omit<DefaultContact, 'failed'> & FailedAttempts & { orgId: string };

/**
 * Returns the default contacts of these organizations, by organization. Cost: at most ten rows each, by a partial
 * index.
 */
export async function defaultContacts(tx: Tx, orgIds: readonly string[]): Promise<Map<string, DefaultContact[]>> {
  const rows = await tx.query<DefaultRow>(
    `SELECT c.id, c.org_id AS "orgId", c.type, c.destination, ${FAILED} FROM contact c
     LEFT JOIN notification_destination d ON d.org_id = c.org_id AND d.destination = c.destination
     WHERE c.org_id = ANY ($1::uuid[]) AND c.is_default ORDER BY c.id`,
    [orgIds],
  );
  const found = new Map<string, DefaultContact[]>(orgIds.map((id) => [id, []]));
  for (const { orgId, id, type, destination, ...failed } of rows)
    found.get(orgId)?.push({ id, type, destination, failed });
  return found;
}

/** Marks these failures as handled: others were notified, or there was no one to notify. */
export async function markTold(tx: Tx, contacts: readonly NewlyFailing[]): Promise<void> {
  await tx.query(
    `UPDATE contact c SET failing_told = t.since FROM unnest($1::uuid[], $2::timestamptz[]) AS t (id, since)
     WHERE c.id = t.id`,
    [contacts.map(({ id }) => id), contacts.map(({ since }) => since)],
  );
}
