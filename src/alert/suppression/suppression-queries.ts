import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import type { Tx } from '../../platform/database/database';
import type { SuppressionFacts } from './suppressed-by';

/** What suppresses the alerts of one endpoint, and which of them have an open episode. */
export interface SuppressedEndpoint extends SuppressionFacts {
  triggered: readonly string[];
  /** It joined an incident that somebody has in hand, and none of its alerts triggered. */
  held: boolean;
  /** Others depend on it. */
  isParent: boolean;
}

interface Row extends Omit<SuppressedEndpoint, 'acknowledgedUntil'> {
  id: string;
  isAcknowledged: boolean;
  until: Date | null;
}

/** Whether what this endpoint depends on is known to be down; a parent that is paused counts for nothing. */
const isParentDown = (endpointId: string): string => `EXISTS (
      SELECT FROM endpoint_dependency d
      JOIN endpoint_state s ON s.endpoint_id = d.parent_id AND s.status = ${OUTCOME_CODE.down}
      JOIN endpoint_schedule p ON p.endpoint_id = d.parent_id AND p.active
      WHERE d.endpoint_id = ${endpointId})`;

/** `suppressedBy` for a moment in SQL, but for maintenance. `endpointId`, `now`: expressions. Cost: a few probes of small indexes. */
export const isSuppressedSql = (endpointId: string, now: string): string => `(
  EXISTS (SELECT FROM acknowledgement k WHERE k.endpoint_id = ${endpointId} AND (k.until IS NULL OR k.until > ${now}))
  OR ${isParentDown(endpointId)})`;

// Cost: for each endpoint a probe of five small indexes, and of the state and
// the schedule of each parent; nearly always there is none.
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

/** What suppresses alerts of these endpoints, one statement. The caller holds their `endpoint_state` rows, as they are now. */
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

/** Ends the acknowledgements of these endpoints, whatever their state. */
export async function endAcknowledgements(tx: Tx, endpointIds: readonly string[]): Promise<void> {
  if (endpointIds.length === 0) return;
  await tx.query('DELETE FROM acknowledgement WHERE endpoint_id = ANY ($1::uuid[])', [endpointIds]);
}

/**
 * Ends the acknowledgements of those of these endpoints that are up and have no triggered alert. Two transactions may each
 * close the last but one alert, as each sees it: so the rows are locked first, and judged by a statement of its own.
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
