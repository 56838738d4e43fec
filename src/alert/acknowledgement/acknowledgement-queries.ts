import { type InHand, isInHandSql } from '../../incident/incident-in-hand';
import { storedName } from '../../platform/access/author';
import type { Sql, Tx } from '../../platform/database/database';

/** Locks these endpoints' states in ID order, so that their checks are recorded before or after the lock. */
export const lockStates = (tx: Tx, endpointIds: readonly string[]): Promise<unknown> =>
  tx.query('SELECT FROM endpoint_state WHERE endpoint_id = ANY ($1::uuid[]) ORDER BY endpoint_id FOR UPDATE', [
    endpointIds,
  ]);

/**
 * Writes the acknowledgements for endpoints whose incident was acknowledged. Their states must be locked. Doesn't
 * replace other users' existing acknowledgements. Returns the endpoints that they were written for.
 */
export async function acknowledgeEndpoints(
  tx: Tx,
  incidentId: string,
  endpointIds: readonly string[],
  inHand: InHand,
  now: Date,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `INSERT INTO acknowledgement AS k (endpoint_id, org_id, by_name, person_id, at, note, until, incident_id)
     SELECT s.endpoint_id, s.org_id, $3, $4, $5, $6, $7, $1 FROM endpoint_state s WHERE s.endpoint_id = ANY ($2::uuid[])
     ON CONFLICT (endpoint_id) DO UPDATE
       SET by_name = EXCLUDED.by_name, person_id = EXCLUDED.person_id, at = EXCLUDED.at, note = EXCLUDED.note,
         until = EXCLUDED.until, incident_id = EXCLUDED.incident_id
       WHERE k.incident_id = EXCLUDED.incident_id OR k.until <= $8
     RETURNING k.endpoint_id AS id`,
    [incidentId, endpointIds, storedName(inHand), inHand.personId, inHand.at, inHand.note, inHand.until, now],
  );
  return rows.map(({ id }) => id);
}

/**
 * Moves acknowledgements to the incident that their endpoint is in now. If that incident isn't acknowledged, they
 * become the endpoint's own.
 */
export async function followMembers(tx: Tx, incidentId: string, endpointIds: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE acknowledgement SET incident_id = CASE WHEN ${isInHandSql('$1')} THEN $1::uuid END
     WHERE endpoint_id = ANY ($2::uuid[]) AND incident_id IS NOT NULL AND incident_id <> $1`,
    [incidentId, endpointIds],
  );
}

/** Returns the next endpoints that were acknowledged through this incident, in ID order. */
export async function writtenBy(sql: Sql, incidentId: string, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT endpoint_id AS id FROM acknowledgement WHERE incident_id = $1 ORDER BY endpoint_id LIMIT $2`,
    [incidentId, limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * Removes the acknowledgements that this incident wrote for these endpoints, unless the incident has been acknowledged
 * again. Returns how many were removed.
 */
export async function removeWritten(tx: Tx, incidentId: string, endpointIds: readonly string[]): Promise<number> {
  const rows = await tx.query(
    `DELETE FROM acknowledgement WHERE endpoint_id = ANY ($1::uuid[]) AND incident_id = $2 AND NOT ${isInHandSql('incident_id')}
     RETURNING 1`,
    [endpointIds, incidentId],
  );
  return rows.length;
}

/**
 * Returns incidents that are no longer acknowledged, but whose endpoints still have acknowledgements from them. Cost:
 * reads these acknowledgements by index.
 */
export async function leftBehind(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT DISTINCT k.incident_id AS id FROM acknowledgement k
     WHERE k.incident_id IS NOT NULL AND NOT ${isInHandSql('k.incident_id')}`,
  );
  return rows.map(({ id }) => id);
}
