import type { OrganizationPurge } from '../identity/organization/organization-events';
import type { Tx } from '../platform/database/database';
import { firstUuidAt } from '../platform/ids/id';
import { inBatches, type Retention, RETENTION_BATCH } from '../platform/jobs/retention.job';
import type { WebsitePurge } from '../website/website-events';
import { lockIncidents } from './incident-queries';

// IDs are in creation order, so old rows are at the start of the primary key.
const OLD = 'i.id < $1 AND i.ended_at < $2';
const OLD_MEMBERS = `
  DELETE FROM incident_member WHERE (incident_id, endpoint_id) IN (
    SELECT m.incident_id, m.endpoint_id FROM incident i JOIN incident_member m ON m.incident_id = i.id
     WHERE ${OLD} LIMIT ${RETENTION_BATCH}) RETURNING 1`;
const OLD_OUTAGES = `
  DELETE FROM incident_outage WHERE (incident_id, endpoint_id, started_at) IN (
    SELECT o.incident_id, o.endpoint_id, o.started_at FROM incident i JOIN incident_outage o ON o.incident_id = i.id
     WHERE ${OLD} LIMIT ${RETENTION_BATCH}) RETURNING 1`;
/** Also deletes their updates. */
const OLD_INCIDENTS = `
  DELETE FROM incident WHERE id IN (SELECT i.id FROM incident i WHERE ${OLD} ORDER BY i.id LIMIT ${RETENTION_BATCH}) RETURNING 1`;

const ended = (statement: string) => inBatches(statement, (cutoff) => [firstUuidAt(cutoff), cutoff]);

/** Deletes incidents that ended longer ago than the retention period for events, outages and members first. */
export const INCIDENT_RETENTION: Retention = {
  name: 'incident-retention',
  rows: [OLD_OUTAGES, OLD_MEMBERS, OLD_INCIDENTS].map((statement) => ({
    days: (config) => config.eventRetentionDays,
    remove: ended(statement),
  })),
};

// If an endpoint still exists, it was moved to another website. Its memberships are kept, like its events.
const MEMBERS_OF_WEBSITE = `
  WITH gone AS (
    DELETE FROM incident_member WHERE (incident_id, endpoint_id) IN (
      SELECT incident_id, endpoint_id FROM incident_member m
       WHERE website_id = $1 AND NOT EXISTS (SELECT FROM endpoint e WHERE e.id = m.endpoint_id) LIMIT ${RETENTION_BATCH})
    RETURNING incident_id, endpoint_id, ended_at),
  outages AS (
    DELETE FROM incident_outage o USING gone g WHERE o.incident_id = g.incident_id AND o.endpoint_id = g.endpoint_id),
  counted AS (
    SELECT incident_id AS id, count(*)::int AS members, count(*) FILTER (WHERE ended_at IS NULL)::int AS open FROM gone GROUP BY incident_id),
  changed AS (
    UPDATE incident i SET endpoint_count = i.endpoint_count - c.members, open_count = i.open_count - c.open
      FROM counted c WHERE i.id = c.id RETURNING i.id, i.endpoint_count, i.kind)
  SELECT ARRAY(SELECT id FROM changed WHERE endpoint_count <= 0 AND kind = 'detected') AS empty,
         (SELECT count(*)::int FROM gone) AS removed`;

/**
 * Performs one step in removing a deleted website: its members, and detected incidents that have no members left. Cost:
 * at most three statements.
 */
export async function removeMembers(tx: Tx, step: WebsitePurge): Promise<void> {
  if (step.hasMore) return;
  await lockIncidents(tx, [step.orgId]);
  const [row] = await tx.query<{ empty: string[]; removed: number }>(MEMBERS_OF_WEBSITE, [step.websiteId]);
  if (row && row.empty.length > 0) await tx.query('DELETE FROM incident WHERE id = ANY ($1::uuid[])', [row.empty]);
  if (row?.removed === RETENTION_BATCH) step.leave();
}

/** An organization's data, children before parents. */
const OWNED = [
  `DELETE FROM incident_outage WHERE (incident_id, endpoint_id, started_at) IN (
     SELECT o.incident_id, o.endpoint_id, o.started_at FROM incident i JOIN incident_outage o ON o.incident_id = i.id
      WHERE i.org_id = $1 LIMIT ${RETENTION_BATCH}) RETURNING 1`,
  `DELETE FROM incident_member WHERE (incident_id, endpoint_id) IN (
     SELECT m.incident_id, m.endpoint_id FROM incident i JOIN incident_member m ON m.incident_id = i.id
      WHERE i.org_id = $1 LIMIT ${RETENTION_BATCH}) RETURNING 1`,
  `DELETE FROM incident WHERE id IN (SELECT id FROM incident WHERE org_id = $1 ORDER BY id LIMIT ${RETENTION_BATCH}) RETURNING 1`,
  'DELETE FROM incident_sequence WHERE org_id = $1 RETURNING 1',
];

/** Performs one step in removing a deleted organization. */
export async function removeSomeIncidents(tx: Tx, step: OrganizationPurge): Promise<void> {
  if (step.hasMore) return;
  for (const statement of OWNED)
    if ((await tx.query(statement, [step.orgId])).length === RETENTION_BATCH) return step.leave();
}
