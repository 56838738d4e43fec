import { Injectable } from '@nestjs/common';
import type { Sql } from '../../platform/database/database';
import type { Coverable, MaintenanceScope, Occurrence } from './cover';

const COLUMNS = `org_id AS "orgId", window_id AS "windowId", name, starts_at AS "startsAt", ends_at AS "endsAt", mute,
  exclude_from_uptime AS "excludeFromUptime", public, covers_all AS "coversAll", website_ids AS "websiteIds",
  endpoint_ids AS "endpointIds", tags`;

// Cost: a probe of an index for each organization; nearly always no row.
const OVERLAPPING = `
  SELECT ${COLUMNS} FROM maintenance_coverage
   WHERE org_id = ANY ($1::uuid[]) AND ends_at > $2 AND starts_at <= $3 ORDER BY starts_at, window_id`;

// Cost: each scope of the installation is looked at once, then the rows of those that cover the endpoint. What scopes name is
// not sent: there may be a hundred thousand rows in a year of a window that comes often.
const COVERING = `
  SELECT org_id AS "orgId", window_id AS "windowId", name, starts_at AS "startsAt", ends_at AS "endsAt", mute,
         exclude_from_uptime AS "excludeFromUptime", public, true AS "coversAll", '{}'::uuid[] AS "websiteIds",
         '{}'::uuid[] AS "endpointIds", '{}'::text[] AS tags
    FROM maintenance_coverage
   WHERE org_id = $1 AND ends_at > $2 AND starts_at <= $3
     AND (covers_all OR website_ids && $4::uuid[] OR endpoint_ids && $5::uuid[] OR tags && $6::text[])
   ORDER BY starts_at, window_id`;

const COVERABLE = `
  SELECT e.id, e.org_id AS "orgId", e.website_id AS "websiteId", e.tags || w.tags AS tags
    FROM endpoint e JOIN website w ON w.id = e.website_id WHERE e.id = ANY ($1::uuid[])`;

const UNKNOWN = `
  SELECT ARRAY(SELECT id FROM unnest($2::uuid[]) AS id
                WHERE NOT EXISTS (SELECT FROM website w WHERE w.id = id.id AND w.org_id = $1 AND w.deleted_at IS NULL)) AS "websiteIds",
         ARRAY(SELECT id FROM unnest($3::uuid[]) AS id
                WHERE NOT EXISTS (SELECT FROM endpoint e JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
                                   WHERE e.id = id.id AND e.org_id = $1)) AS "endpointIds"`;

const OF_ENDPOINT = `
  SELECT ARRAY[e.id] AS "endpointIds", ARRAY[e.website_id] AS "websiteIds", e.tags || w.tags AS tags
    FROM endpoint e JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL WHERE e.org_id = $1 AND e.id = $2`;

// Cost: an index scan of the website's endpoints.
const OF_WEBSITE = `
  SELECT ARRAY(SELECT e.id FROM endpoint e WHERE e.website_id = w.id) AS "endpointIds", ARRAY[w.id] AS "websiteIds",
         w.tags || ARRAY(SELECT DISTINCT tag FROM endpoint e, unnest(e.tags) AS tag WHERE e.website_id = w.id) AS tags
    FROM website w WHERE w.org_id = $1 AND w.id = $2 AND w.deleted_at IS NULL`;

/** What a scope can be made of. */
export type ScopeParts = Pick<MaintenanceScope, 'websiteIds' | 'endpointIds' | 'tags'>;

/** Reads which maintenance windows are in force. What they cover is decided by `cover.ts`. */
@Injectable()
export class MaintenanceCoverage {
  /** The occurrences of these organizations that touch [from, to], one statement. */
  overlapping(sql: Sql, orgIds: readonly string[], from: Date, to: Date): Promise<Occurrence[]> {
    return sql.query<Occurrence>(OVERLAPPING, [orgIds, from, to]);
  }

  /** The first of one organization that touch [from, to], those that began first before the others. */
  first(sql: Sql, orgId: string, from: Date, to: Date, limit: number): Promise<Occurrence[]> {
    return sql.query<Occurrence>(`${OVERLAPPING} LIMIT $4`, [[orgId], from, to, limit]);
  }

  /** The occurrences that cover the endpoint and touch [from, to], without what else they cover. */
  covering(sql: Sql, { id, orgId, websiteId, tags }: Coverable, from: Date, to: Date): Promise<Occurrence[]> {
    return sql.query<Occurrence>(COVERING, [orgId, from, to, [websiteId], [id], tags]);
  }

  /** What decides for these endpoints which windows cover them, by id. */
  async coverable(sql: Sql, endpointIds: readonly string[]): Promise<Map<string, Coverable>> {
    const rows = await sql.query<Coverable>(COVERABLE, [endpointIds]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Which ids of a scope are nobody's or another organization's. */
  async unknownIn(
    sql: Sql,
    orgId: string,
    { websiteIds, endpointIds }: Omit<ScopeParts, 'tags'>,
  ): Promise<Omit<ScopeParts, 'tags'>> {
    if (websiteIds.length + endpointIds.length === 0) return { websiteIds: [], endpointIds: [] };
    const [row] = await sql.query<Omit<ScopeParts, 'tags'>>(UNKNOWN, [orgId, websiteIds, endpointIds]);
    return row ?? { websiteIds, endpointIds };
  }

  /** By which parts a scope may cover an endpoint; `null` when the organization has none of that id. */
  async partsOfEndpoint(sql: Sql, orgId: string, endpointId: string): Promise<ScopeParts | null> {
    const [row] = await sql.query<ScopeParts>(OF_ENDPOINT, [orgId, endpointId]);
    return row ?? null;
  }

  /** The same for a website or any endpoint of it. */
  async partsOfWebsite(sql: Sql, orgId: string, websiteId: string): Promise<ScopeParts | null> {
    const [row] = await sql.query<ScopeParts>(OF_WEBSITE, [orgId, websiteId]);
    return row ?? null;
  }
}
