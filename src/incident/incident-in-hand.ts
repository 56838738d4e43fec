import { type Author, storedName } from '../platform/access/author';
import type { Sql, Tx } from '../platform/database/database';
import { INCIDENT_COLUMNS, type IncidentRow } from './incident-row';

/** An incident's acknowledgement. `until` is `null` if it lasts as long as the incident. */
export interface InHand extends Author {
  at: Date;
  note: string;
  until: Date | null;
}

/** The `incident` columns that describe the acknowledgement. */
export type AckColumns = Pick<IncidentRow, 'ackBy' | 'ackPersonId' | 'ackAt' | 'ackNote' | 'ackUntil'>;

/** Returns an incident's current or last acknowledgement, regardless of its expiry. */
export const inHandOf = ({ ackBy, ackPersonId, ackAt, ackNote, ackUntil }: AckColumns): InHand | null =>
  ackAt && { by: ackBy, personId: ackPersonId, at: ackAt, note: ackNote ?? '', until: ackUntil };

/**
 * Sets an incident's acknowledgement, or removes it if `inHand` is `null`. The caller must hold the lock. Returns the
 * updated incident.
 */
export async function setInHand(tx: Tx, id: string, inHand: InHand | null, now: Date): Promise<IncidentRow[]> {
  return tx.query<IncidentRow>(
    `UPDATE incident i SET ack_by = $2, ack_person_id = $3, ack_at = $4, ack_note = $5, ack_until = $6, updated_at = $7 WHERE i.id = $1
     RETURNING ${INCIDENT_COLUMNS}`,
    [
      id,
      inHand && storedName(inHand),
      inHand?.personId ?? null,
      inHand?.at ?? null,
      inHand?.note ?? null,
      inHand?.until ?? null,
      now,
    ],
  );
}

/** Marks an incident's current members, whose acknowledgements must be written. Cost: one row version each. */
export async function markMembers(tx: Tx, id: string): Promise<void> {
  await tx.query('UPDATE incident_member SET ack_due = true WHERE incident_id = $1 AND ended_at IS NULL', [id]);
}

/** Returns the next marked endpoints, in ID order. Cost: a partial index. */
export async function markedMembers(sql: Sql, id: string, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    'SELECT endpoint_id AS id FROM incident_member WHERE incident_id = $1 AND ack_due ORDER BY endpoint_id LIMIT $2',
    [id, limit],
  );
  return rows.map((row) => row.id);
}

/** Removes the marks from these endpoints. Returns those that are still in the incident. */
export async function unmarkMembers(tx: Tx, id: string, endpointIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string; isOpen: boolean }>(
    `UPDATE incident_member SET ack_due = false WHERE incident_id = $1 AND endpoint_id = ANY ($2::uuid[]) AND ack_due
     RETURNING endpoint_id AS id, ended_at IS NULL AS "isOpen"`,
    [id, endpointIds],
  );
  return rows.filter(({ isOpen }) => isOpen).map((row) => row.id);
}

/**
 * Returns the incidents with marked endpoints, which were left behind by a process that died. Cost: a partial index,
 * which is nearly always empty.
 */
export async function unfinishedIncidents(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>('SELECT DISTINCT incident_id AS id FROM incident_member WHERE ack_due');
  return rows.map((row) => row.id);
}

/** Returns true if any incident's acknowledgement has expired. Cost: the partial index of open incidents. */
export async function isAnyInHandOver(sql: Sql, now: Date): Promise<boolean> {
  return (await sql.query('SELECT FROM incident WHERE ended_at IS NULL AND ack_until <= $1 LIMIT 1', [now])).length > 0;
}

/** Removes expired acknowledgements from incidents. Returns the updated incidents. Cost: the open incidents. */
export const endOverInHand = (tx: Tx, now: Date): Promise<IncidentRow[]> =>
  tx.query<IncidentRow>(
    `UPDATE incident i SET ack_by = NULL, ack_person_id = NULL, ack_at = NULL, ack_note = NULL, ack_until = NULL, updated_at = $1
     WHERE i.id = ANY (ARRAY(
       SELECT id FROM incident WHERE ended_at IS NULL AND ack_until <= $1 ORDER BY id FOR UPDATE SKIP LOCKED))
     RETURNING ${INCIDENT_COLUMNS}`,
    [now],
  );

/** SQL expression: the incident with this ID is open and acknowledged. */
export const isInHandSql = (incidentId: string): string =>
  `EXISTS (SELECT FROM incident h WHERE h.id = ${incidentId} AND h.ended_at IS NULL AND h.ack_at IS NOT NULL)`;
