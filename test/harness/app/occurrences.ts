import type { MaintenanceScope, Occurrence } from '../../../src/endpoint/suppression/cover';
import type { Sql } from '../../../src/platform/database/database';
import { newUuid } from '../../../src/platform/ids/id';

export const EVERYTHING: MaintenanceScope = { coversAll: true, websiteIds: [], endpointIds: [], tags: [] };
/** An empty scope. Add what the window should cover. */
export const NO_SCOPE: MaintenanceScope = { ...EVERYTHING, coversAll: false };

type Given = Pick<Occurrence, 'orgId' | 'startsAt' | 'endsAt'> & Partial<Occurrence>;

/**
 * Makes a maintenance occurrence active without creating a full window. It covers everything unless there is a scope.
 * Returns the window's UUID.
 */
export async function addOccurrence(sql: Sql, given: Given): Promise<string> {
  const scopeId = newUuid();
  const occurrence = {
    windowId: newUuid(),
    name: 'Upgrade',
    mute: true,
    excludeFromUptime: true,
    ...EVERYTHING,
    ...given,
  };
  await sql.query(
    `INSERT INTO maintenance_scope (id, org_id, covers_all, website_ids, endpoint_ids, tags)
     VALUES ($1, $2, $3, $4::uuid[], $5::uuid[], $6::text[])`,
    [scopeId, occurrence.orgId, occurrence.coversAll, occurrence.websiteIds, occurrence.endpointIds, occurrence.tags],
  );
  await sql.query(
    `INSERT INTO maintenance_occurrence (window_id, starts_at, ends_at, org_id, scope_id, name, mute, exclude_from_uptime, public)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, false)`,
    [
      occurrence.windowId,
      occurrence.startsAt,
      occurrence.endsAt,
      occurrence.orgId,
      scopeId,
      occurrence.name,
      occurrence.mute,
      occurrence.excludeFromUptime,
    ],
  );
  return occurrence.windowId;
}

/**
 * Ends all of an organization's occurrences, including past ones, because tests that share an application use the same
 * times.
 */
export async function forgetOccurrences(sql: Sql, orgId: string): Promise<void> {
  await sql.query('DELETE FROM maintenance_occurrence WHERE org_id = $1', [orgId]);
}
