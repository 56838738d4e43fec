import { Injectable } from '@nestjs/common';
import type { Sql } from '../../platform/database/database';
import type { Coverable, Occurrence } from './cover';

const COLUMNS = `org_id AS "orgId", window_id AS "windowId", name, starts_at AS "startsAt", ends_at AS "endsAt", mute,
  exclude_from_uptime AS "excludeFromUptime", public, covers_all AS "coversAll", website_ids AS "websiteIds",
  endpoint_ids AS "endpointIds", tags`;

// Cost: a probe of an index for each organization; nearly always no row.
const OVERLAPPING = `
  SELECT ${COLUMNS} FROM maintenance_coverage
   WHERE org_id = ANY ($1::uuid[]) AND ends_at > $2 AND starts_at <= $3 ORDER BY starts_at, window_id`;

const COVERABLE = `
  SELECT e.id, e.org_id AS "orgId", e.website_id AS "websiteId", e.tags || w.tags AS tags
    FROM endpoint e JOIN website w ON w.id = e.website_id WHERE e.id = ANY ($1::uuid[])`;

/** Reads which maintenance windows are in force. What they cover is decided by `cover.ts`. */
@Injectable()
export class MaintenanceCoverage {
  /** The occurrences of these organizations that touch [from, to], one statement. */
  overlapping(sql: Sql, orgIds: readonly string[], from: Date, to: Date): Promise<Occurrence[]> {
    return sql.query<Occurrence>(OVERLAPPING, [orgIds, from, to]);
  }

  /** What decides for these endpoints which windows cover them, by id. */
  async coverable(sql: Sql, endpointIds: readonly string[]): Promise<Map<string, Coverable>> {
    const rows = await sql.query<Coverable>(COVERABLE, [endpointIds]);
    return new Map(rows.map((row) => [row.id, row]));
  }
}
