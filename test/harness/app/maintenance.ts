import type { MaintenanceScope } from '../../../src/endpoint/maintenance/cover';
import type { Sql } from '../../../src/platform/database/database';
import { newUuid } from '../../../src/platform/ids/id';

/** When a window is in force, over what, and what it does. */
export interface PlantedOccurrence extends Partial<MaintenanceScope> {
  orgId: string;
  from: number;
  to: number;
  name?: string;
  mute?: boolean;
  excludeFromUptime?: boolean;
}

/**
 * Writes that a maintenance window is or was in force, also in the past, where the API lets nobody make one. Over all
 * endpoints unless something is named. Returns the window's uuid.
 */
export async function plantOccurrence(sql: Sql, planted: PlantedOccurrence): Promise<string> {
  const { orgId, websiteIds = [], endpointIds = [], tags = [], mute = true, excludeFromUptime = true } = planted;
  const coversAll = planted.coversAll ?? websiteIds.length + endpointIds.length + tags.length === 0;
  const [scopeId, windowId] = [newUuid(), newUuid()];
  await sql.query(
    `INSERT INTO maintenance_scope (id, org_id, covers_all, website_ids, endpoint_ids, tags)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [scopeId, orgId, coversAll, websiteIds, endpointIds, tags],
  );
  await sql.query(
    `INSERT INTO maintenance_occurrence (window_id, starts_at, ends_at, org_id, scope_id, name, mute,
                                         exclude_from_uptime, public, begun, over)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, true, true, true)`,
    [
      windowId,
      new Date(planted.from),
      new Date(planted.to),
      orgId,
      scopeId,
      planted.name ?? 'Patch day',
      mute,
      excludeFromUptime,
    ],
  );
  return windowId;
}
