import type { OrganizationPurge } from '../identity/organization/organization-events';
import type { Tx } from '../platform/database/database';
import { inBatches, type Retention, RETENTION_BATCH } from '../platform/jobs/retention.job';
import { HOUR_MS } from '../platform/time/time-units';

const OLD_OCCURRENCES = `
  DELETE FROM maintenance_occurrence WHERE (window_id, starts_at) IN (
    SELECT window_id, starts_at FROM maintenance_occurrence
     WHERE ends_at < $1 AND over ORDER BY ends_at LIMIT ${RETENTION_BATCH}) RETURNING 1`;

const OLD_WINDOWS = `
  DELETE FROM maintenance_window WHERE id IN (
    SELECT id FROM maintenance_window WHERE ends_at < $1 AND planned_until = 'infinity' LIMIT ${RETENTION_BATCH}) RETURNING 1`;

// Cost: all scopes, each with a lookup in two indexes, once a day.
const UNUSED_SCOPES = `
  DELETE FROM maintenance_scope WHERE id IN (
    SELECT id FROM maintenance_scope s
     WHERE NOT EXISTS (SELECT FROM maintenance_window m WHERE m.scope_id = s.id)
       AND NOT EXISTS (SELECT FROM maintenance_occurrence o WHERE o.scope_id = s.id) LIMIT ${RETENTION_BATCH}) RETURNING 1`;

/**
 * Deletes old occurrences daily, then unused scopes. Occurrences are kept for as long as daily uptime, because they
 * determine how much of a day was planned.
 */
export const MAINTENANCE_RETENTION: Retention = {
  name: 'maintenance-retention',
  restMs: 23 * HOUR_MS,
  rows: [
    { days: 400, remove: inBatches(OLD_OCCURRENCES) },
    { days: 400, remove: inBatches(OLD_WINDOWS) },
    { days: 0, remove: inBatches(UNUSED_SCOPES, () => []) },
  ],
};

/** The rows of an organization, children before parents. */
const OWNED = [
  `DELETE FROM maintenance_occurrence WHERE (window_id, starts_at) IN (
     SELECT window_id, starts_at FROM maintenance_occurrence WHERE org_id = $1 LIMIT ${RETENTION_BATCH}) RETURNING 1`,
  `DELETE FROM maintenance_window WHERE id IN (
     SELECT id FROM maintenance_window WHERE org_id = $1 LIMIT ${RETENTION_BATCH}) RETURNING 1`,
  `DELETE FROM maintenance_scope WHERE id IN (
     SELECT id FROM maintenance_scope WHERE org_id = $1 LIMIT ${RETENTION_BATCH}) RETURNING 1`,
];

export async function removeSomeWindows(tx: Tx, step: OrganizationPurge): Promise<void> {
  for (const statement of OWNED) {
    if ((await tx.query(statement, [step.orgId])).length === RETENTION_BATCH) return step.leave();
  }
}
