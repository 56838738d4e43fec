import { Injectable } from '@nestjs/common';
import type { Sql } from '../../platform/database/database';
import type { FinishedCheck } from '../../engine/finished-check';
import { coversSql, type Coverable, type Maintenance, unionAt, type MaintenanceScope, type Occurrence } from './cover';
import { OccurrencesByName } from './occurrences-by-name';

const COLUMNS = `org_id AS "orgId", window_id AS "windowId", name, starts_at AS "startsAt", ends_at AS "endsAt", mute,
  exclude_from_uptime AS "excludeFromUptime", public, covers_all AS "coversAll", website_ids AS "websiteIds",
  endpoint_ids AS "endpointIds", tags`;

// Cost: one index lookup per organization, which nearly always finds no row.
const OVERLAPPING = `
  SELECT ${COLUMNS} FROM maintenance_coverage
   WHERE org_id = ANY ($1::uuid[]) AND ends_at > $2 AND starts_at <= $3 ORDER BY starts_at, window_id`;

// Cost: reads each scope of the installation once, then the rows of those that cover the endpoint. Doesn't return the
// contents of scopes, because a frequent window may have a hundred thousand rows per year.
const COVERING = `
  SELECT org_id AS "orgId", window_id AS "windowId", name, starts_at AS "startsAt", ends_at AS "endsAt", mute,
         exclude_from_uptime AS "excludeFromUptime", public, true AS "coversAll", '{}'::uuid[] AS "websiteIds",
         '{}'::uuid[] AS "endpointIds", '{}'::text[] AS tags
    FROM maintenance_coverage c
   WHERE org_id = $1 AND ends_at > $2 AND starts_at <= $3
     AND ${coversSql('c', '$4::uuid[]', '$5::uuid[]', '$6::text[]')}
   ORDER BY starts_at, window_id`;

const COVERABLE = `
  SELECT e.id, e.org_id AS "orgId", e.website_id AS "websiteId", e.tags || w.tags AS tags
    FROM endpoint e JOIN website w ON w.id = e.website_id WHERE e.id = ANY ($1::uuid[])`;

const OF_ENDPOINT = `
  SELECT ARRAY[e.id] AS "endpointIds", ARRAY[e.website_id] AS "websiteIds", e.tags || w.tags AS tags
    FROM endpoint e JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL WHERE e.org_id = $1 AND e.id = $2`;

// Cost: an index scan over the website's endpoints.
const OF_WEBSITE = `
  SELECT ARRAY(SELECT e.id FROM endpoint e WHERE e.website_id = w.id) AS "endpointIds", ARRAY[w.id] AS "websiteIds",
         w.tags || ARRAY(SELECT DISTINCT tag FROM endpoint e, unnest(e.tags) AS tag WHERE e.website_id = w.id) AS tags
    FROM website w WHERE w.org_id = $1 AND w.id = $2 AND w.deleted_at IS NULL`;

export type ScopeParts = Pick<MaintenanceScope, 'websiteIds' | 'endpointIds' | 'tags'>;

/** An endpoint at the time of one of its checks. */
export interface CheckedAt {
  orgId: string;
  endpointId: string;
  checkedAt: Date;
}

/** The flags that maintenance windows set on a check that starts while they are active. */
export type MaintenanceMarks = Pick<FinishedCheck, 'planned' | 'muted'>;

/** Reads which maintenance windows are active. `cover.ts` decides what they cover. */
@Injectable()
export class MaintenanceCoverage {
  /** Returns the occurrences of these organizations that overlap [from, to]. Cost: one statement. */
  overlapping(sql: Sql, orgIds: readonly string[], from: Date, to: Date): Promise<Occurrence[]> {
    return sql.query<Occurrence>(OVERLAPPING, [orgIds, from, to]);
  }

  /** Returns the first occurrences of one organization that overlap [from, to], by start time. */
  first(sql: Sql, orgId: string, from: Date, to: Date, limit: number): Promise<Occurrence[]> {
    return sql.query<Occurrence>(`${OVERLAPPING} LIMIT $4`, [[orgId], from, to, limit]);
  }

  /** Returns the occurrences that cover the endpoint and overlap [from, to], without their scopes. */
  covering(sql: Sql, { id, orgId, websiteId, tags }: Coverable, from: Date, to: Date): Promise<Occurrence[]> {
    return sql.query<Occurrence>(COVERING, [orgId, from, to, [websiteId], [id], tags]);
  }

  /**
   * Returns the flags for each of these checks, in order. Cost: one statement with an index lookup per organization. If
   * a window covers only some endpoints, one more statement looks them up by key.
   */
  async marks(sql: Sql, checks: readonly CheckedAt[]): Promise<MaintenanceMarks[]> {
    const inForce = await this.inForce(sql, checks);
    return checks.map((_, index) => ({
      planned: inForce?.[index]?.excludeFromUptime ?? false,
      muted: inForce?.[index]?.mute ?? false,
    }));
  }

  /** Returns the IDs of the endpoints that a window mutes at a given time. Cost: the same as `marks`. */
  async mutedAt(
    sql: Sql,
    endpoints: readonly Pick<CheckedAt, 'orgId' | 'endpointId'>[],
    at: Date,
  ): Promise<ReadonlySet<string>> {
    const marks = await this.marks(
      sql,
      endpoints.map(({ orgId, endpointId }) => ({ orgId, endpointId, checkedAt: at })),
    );
    return new Set(endpoints.filter((_, index) => marks[index]?.muted === true).map(({ endpointId }) => endpointId));
  }

  /**
   * Returns the active maintenance for each of these checks, in order. Returns `null` instead of the list if there is
   * none.
   */
  private async inForce(sql: Sql, checks: readonly CheckedAt[]): Promise<(Maintenance | null)[] | null> {
    const orgIds = new Set<string>();
    let [from, to] = [Infinity, -Infinity];
    for (const { orgId, checkedAt } of checks) {
      orgIds.add(orgId);
      from = Math.min(from, checkedAt.getTime());
      to = Math.max(to, checkedAt.getTime());
    }
    if (orgIds.size === 0) return null;
    const occurrences = await this.overlapping(sql, [...orgIds], new Date(from), new Date(to));
    if (occurrences.length === 0) return null;
    const known = await this.partlyCovered(sql, checks, occurrences);
    const endpoints = checks.map((check) => known.get(check.endpointId) ?? unknownOf(check));
    const named = new OccurrencesByName(occurrences, endpoints);
    return checks.map((check, index) => {
      const endpoint = endpoints[index] ?? unknownOf(check);
      return unionAt(named.covering(endpoint), check.checkedAt);
    });
  }

  /** Returns those checked endpoints whose organizations have a window that covers only some endpoints. */
  private async partlyCovered(
    sql: Sql,
    checks: readonly CheckedAt[],
    occurrences: readonly Occurrence[],
  ): Promise<ReadonlyMap<string, Coverable>> {
    const orgIds = new Set(occurrences.flatMap(({ orgId, coversAll }) => (coversAll ? [] : [orgId])));
    const ids = new Set(checks.flatMap(({ orgId, endpointId }) => (orgIds.has(orgId) ? [endpointId] : [])));
    return ids.size === 0 ? new Map<string, Coverable>() : this.coverable(sql, [...ids]);
  }

  /** Returns the properties that determine which windows cover these endpoints, by ID. */
  async coverable(sql: Sql, endpointIds: readonly string[]): Promise<Map<string, Coverable>> {
    const rows = await sql.query<Coverable>(COVERABLE, [endpointIds]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Returns the scope parts that may cover an endpoint, or `null` if it isn't in the organization. */
  async partsOfEndpoint(sql: Sql, orgId: string, endpointId: string): Promise<ScopeParts | null> {
    const [row] = await sql.query<ScopeParts>(OF_ENDPOINT, [orgId, endpointId]);
    return row ?? null;
  }

  /**
   * Returns the scope parts that may cover a website or any of its endpoints, or `null` if it isn't in the
   * organization.
   */
  async partsOfWebsite(sql: Sql, orgId: string, websiteId: string): Promise<ScopeParts | null> {
    const [row] = await sql.query<ScopeParts>(OF_WEBSITE, [orgId, websiteId]);
    return row ?? null;
  }
}

/**
 * Enough information for windows over all endpoints. No other window covers an endpoint that was deleted in the
 * meantime.
 */
const unknownOf = ({ endpointId, orgId }: CheckedAt): Coverable => ({ id: endpointId, orgId, websiteId: '', tags: [] });
