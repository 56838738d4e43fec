import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import type { Tx } from '../../platform/database/database';
import type { SuppressionFacts } from './suppressed-by';

/** The facts that suppress one endpoint's alerts, and its alerts with an open episode. */
export interface SuppressedEndpoint extends SuppressionFacts {
  triggered: readonly string[];
  /** Whether the endpoint joined an acknowledged incident without a triggered alert. */
  held: boolean;
  /** Whether other endpoints depend on it. */
  isParent: boolean;
}

interface Row extends Omit<SuppressedEndpoint, 'acknowledgedUntil'> {
  id: string;
  isAcknowledged: boolean;
  until: Date | null;
}

/** SQL condition: one of this endpoint's parents is known to be down. Paused parents don't count. */
const isParentDown = (endpointId: string): string => `EXISTS (
      SELECT FROM endpoint_dependency d
      JOIN endpoint_state s ON s.endpoint_id = d.parent_id AND s.status = ${OUTCOME_CODE.down}
      JOIN endpoint_schedule p ON p.endpoint_id = d.parent_id AND p.active
      WHERE d.endpoint_id = ${endpointId})`;

/**
 * SQL condition: `suppressedBy` at a point in time, not counting maintenance. `endpointId` and `now` are expressions.
 * Cost: a few lookups in small indexes.
 */
export const isSuppressedSql = (endpointId: string, now: string): string => `(
  EXISTS (SELECT FROM acknowledgement k WHERE k.endpoint_id = ${endpointId} AND (k.until IS NULL OR k.until > ${now}))
  OR ${isParentDown(endpointId)})`;

// Cost: for each endpoint, a lookup in five small indexes, and in each parent's state and schedule. There is nearly
// always no parent.
const READ = `
  SELECT e.id, k.endpoint_id IS NOT NULL AS "isAcknowledged", k.until,
    ${isParentDown('e.id')} AS "isParentDown",
    (SELECT max(s.status_since) FROM endpoint_dependency d
      JOIN endpoint_state s ON s.endpoint_id = d.parent_id AND s.status = ${OUTCOME_CODE.up}
      JOIN endpoint_schedule p ON p.endpoint_id = d.parent_id AND p.active
      WHERE d.endpoint_id = e.id) AS "parentsUpSince",
    ARRAY(SELECT a.id FROM alert a WHERE a.endpoint_id = e.id AND a.triggered) AS triggered,
    EXISTS (SELECT FROM incident_member m WHERE m.endpoint_id = e.id AND m.ended_at IS NULL AND m.held) AS "held",
    EXISTS (SELECT FROM endpoint_dependency d WHERE d.parent_id = e.id) AS "isParent"
  FROM unnest($1::uuid[]) AS e (id) LEFT JOIN acknowledgement k ON k.endpoint_id = e.id`;

/**
 * Returns what suppresses these endpoints' alerts. The caller must have locked their current `endpoint_state` rows.
 * Cost: one statement.
 */
export async function readSuppression(
  tx: Tx,
  endpointIds: readonly string[],
): Promise<Map<string, SuppressedEndpoint>> {
  if (endpointIds.length === 0) return new Map();
  const rows = await tx.query<Row>(READ, [endpointIds]);
  return new Map(
    rows.map(({ id, isAcknowledged, until, ...facts }) => [
      id,
      { ...facts, acknowledgedUntil: isAcknowledged ? until : undefined },
    ]),
  );
}

/** Ends these endpoints' acknowledgements, regardless of their state. */
export async function endAcknowledgements(tx: Tx, endpointIds: readonly string[]): Promise<void> {
  if (endpointIds.length === 0) return;
  await tx.query('DELETE FROM acknowledgement WHERE endpoint_id = ANY ($1::uuid[])', [endpointIds]);
}

/**
 * Ends the acknowledgements of those endpoints that are up and have no triggered alert. Two transactions may each close
 * an alert that isn't the last one from their point of view. So the rows are locked first, and a separate statement
 * decides.
 */
export async function endOverAcknowledgements(tx: Tx, endpointIds: readonly string[]): Promise<void> {
  if (endpointIds.length === 0) return;
  const locked = await tx.query<{ id: string }>(
    'SELECT endpoint_id AS id FROM acknowledgement WHERE endpoint_id = ANY ($1::uuid[]) ORDER BY endpoint_id FOR UPDATE',
    [endpointIds],
  );
  if (locked.length === 0) return;
  await tx.query(
    `DELETE FROM acknowledgement k USING endpoint_state s
     WHERE k.endpoint_id = ANY ($1::uuid[]) AND s.endpoint_id = k.endpoint_id AND s.status = ${OUTCOME_CODE.up}
       AND NOT EXISTS (SELECT FROM alert a WHERE a.endpoint_id = k.endpoint_id AND a.triggered)`,
    [locked.map(({ id }) => id)],
  );
}
