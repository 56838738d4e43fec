import { type Author, storedName } from '../platform/access/author';
import type { Sql, Tx } from '../platform/database/database';
import { INCIDENT_COLUMNS, type IncidentRow } from './incident-row';

/** Who has an incident in hand; `until`: `null` for as long as it lasts. */
export interface InHand extends Author {
  at: Date;
  note: string;
  until: Date | null;
}

/** What a row of `incident` tells of it. */
export type AckColumns = Pick<IncidentRow, 'ackBy' | 'ackPersonId' | 'ackAt' | 'ackNote' | 'ackUntil'>;

/** Who has, or last had, an incident in hand, whatever the time is. */
export const inHandOf = ({ ackBy, ackPersonId, ackAt, ackNote, ackUntil }: AckColumns): InHand | null =>
  ackAt && { by: ackBy, personId: ackPersonId, at: ackAt, note: ackNote ?? '', until: ackUntil };

/** Somebody has the incident in hand, or (`null`) nobody any more. Locked by the caller. Returns it as it is then. */
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

/** Of those endpoints that are in it now the acknowledgement is to be written. Cost: a row version for each. */
export async function markMembers(tx: Tx, id: string): Promise<void> {
  await tx.query('UPDATE incident_member SET ack_due = true WHERE incident_id = $1 AND ended_at IS NULL', [id]);
}

/** The next marked endpoints, in the order of their ids. By a partial index. */
export async function markedMembers(sql: Sql, id: string, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    'SELECT endpoint_id AS id FROM incident_member WHERE incident_id = $1 AND ack_due ORDER BY endpoint_id LIMIT $2',
    [id, limit],
  );
  return rows.map((row) => row.id);
}

/** Takes the marks of these endpoints away. Returns those that are still in it. */
export async function unmarkMembers(tx: Tx, id: string, endpointIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string; isOpen: boolean }>(
    `UPDATE incident_member SET ack_due = false WHERE incident_id = $1 AND endpoint_id = ANY ($2::uuid[]) AND ack_due
     RETURNING endpoint_id AS id, ended_at IS NULL AS "isOpen"`,
    [id, endpointIds],
  );
  return rows.filter(({ isOpen }) => isOpen).map((row) => row.id);
}

/** The incidents with marked endpoints: what a process that died left. Nearly always none, by a partial index. */
export async function unfinishedIncidents(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>('SELECT DISTINCT incident_id AS id FROM incident_member WHERE ack_due');
  return rows.map((row) => row.id);
}

/** Whether the time of one that somebody has in hand is over. By the partial index of the open ones. */
export async function isAnyInHandOver(sql: Sql, now: Date): Promise<boolean> {
  return (await sql.query('SELECT FROM incident WHERE ended_at IS NULL AND ack_until <= $1 LIMIT 1', [now])).length > 0;
}

/** Nobody has those incidents in hand any more whose time is over. Returns them as they are then. Cost: the open incidents. */
export const endOverInHand = (tx: Tx, now: Date): Promise<IncidentRow[]> =>
  tx.query<IncidentRow>(
    `UPDATE incident i SET ack_by = NULL, ack_person_id = NULL, ack_at = NULL, ack_note = NULL, ack_until = NULL, updated_at = $1
     WHERE i.id = ANY (ARRAY(
       SELECT id FROM incident WHERE ended_at IS NULL AND ack_until <= $1 ORDER BY id FOR UPDATE SKIP LOCKED))
     RETURNING ${INCIDENT_COLUMNS}`,
    [now],
  );

/** In an expression of SQL: the incident of this id is open, and somebody has it in hand. */
export const isInHandSql = (incidentId: string): string =>
  `EXISTS (SELECT FROM incident h WHERE h.id = ${incidentId} AND h.ended_at IS NULL AND h.ack_at IS NOT NULL)`;
