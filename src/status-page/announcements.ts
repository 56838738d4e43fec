import { Injectable } from '@nestjs/common';
import { type Coverable, covers, type MaintenanceScope } from '../endpoint/suppression/cover';
import { Database } from '../platform/database/database';
import { AHEAD_MS, type Announcement, BACK_MS, MAX_PER_WINDOW } from './page-maintenance';

/** The maximum number of occurrences to read for one page. */
const MAX_OCCURRENCES = 200;

interface ScopeRow extends MaintenanceScope {
  id: string;
  orgId: string;
}

interface DaysRow {
  id: string;
  days: number[];
}

/** The announced maintenance for the endpoints of a page. */
export interface AnnouncedWork {
  announcements: readonly Announcement[];
  /** For each endpoint ID, the days with planned outages and announced maintenance. Day 0 is the first day shown. */
  plannedDays: ReadonlyMap<string, ReadonlySet<number>>;
}

const NONE: AnnouncedWork = { announcements: [], plannedDays: new Map() };

/**
 * Reads the announced maintenance for the endpoints of a page. A window that isn't public reveals nothing, not even its
 * existence.
 */
@Injectable()
export class Announcements {
  constructor(private readonly database: Database) {}

  /**
   * Reads the announcements for endpoints of one organization. `since` is the start of the first day shown. Cost: one
   * index lookup if nothing was announced since then. Otherwise two more statements if an announcement covers the
   * endpoints, and a third if there were planned outages.
   */
  async read(shown: readonly Coverable[], since: Date, now: Date): Promise<AnnouncedWork> {
    const [first] = shown;
    if (!first) return NONE;
    const websites = [...new Set(shown.map(({ websiteId }) => websiteId))];
    const until = new Date(now.getTime() + AHEAD_MS);
    const wanted = [first.orgId, since, until, websites, shown.map(({ id }) => id)];
    const used = await this.database.query<ScopeRow>(SCOPES, wanted);
    const scopes = used.filter((scope) => shown.some((endpoint) => covers(scope, endpoint)));
    if (scopes.length === 0) return NONE;
    const [announcements, plannedDays] = await Promise.all([
      this.announcements(scopes, now, until),
      this.plannedDays(scopes, shown, since, now),
    ]);
    return { announcements, plannedDays };
  }

  private async announcements(scopes: readonly ScopeRow[], now: Date, until: Date): Promise<Announcement[]> {
    const byId = new Map(scopes.map((scope) => [scope.id, scope]));
    const [{ orgId }] = scopes as [ScopeRow];
    const back = new Date(now.getTime() - BACK_MS);
    const rows = await this.database.query<Omit<Announcement, keyof MaintenanceScope> & { scopeId: string }>(
      OCCURRENCES,
      [orgId, [...byId.keys()], now, back, until, MAX_PER_WINDOW + 1, MAX_OCCURRENCES],
    );
    return rows.flatMap((row) => {
      const scope = byId.get(row.scopeId);
      return scope ? [{ ...scope, ...row }] : [];
    });
  }

  private async plannedDays(
    scopes: readonly ScopeRow[],
    endpoints: readonly Coverable[],
    since: Date,
    now: Date,
  ): Promise<Map<string, Set<number>>> {
    const planned = await this.database.query<DaysRow>(PLANNED_DAYS, [endpoints.map(({ id }) => id), since, now]);
    if (planned.length === 0) return new Map();
    const inForce = await this.database.query<DaysRow>(SCOPE_DAYS, [
      scopes[0]?.orgId,
      scopes.map(({ id }) => id),
      since,
      now,
    ]);
    const daysOf = new Map(inForce.map(({ id, days }) => [id, days]));
    const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
    return new Map(
      planned.map(({ id, days }) => {
        const endpoint = byId.get(id);
        const covering = endpoint ? scopes.filter((scope) => covers(scope, endpoint)) : [];
        const announced = new Set(covering.flatMap((scope) => daysOf.get(scope.id) ?? []));
        return [id, new Set(days.filter((day) => announced.has(day)))];
      }),
    );
  }
}

/**
 * The scopes of the announcements, each reduced to the endpoints that are shown, because a window may contain thousands
 * of endpoints. Cost: an index range scan, which nearly always finds no row, then one row per scope.
 */
const SCOPES = `
  SELECT s.id, s.org_id AS "orgId", s.covers_all AS "coversAll", s.tags,
         ARRAY(SELECT wanted FROM unnest(s.website_ids) AS wanted WHERE wanted = ANY ($4::uuid[])) AS "websiteIds",
         ARRAY(SELECT wanted FROM unnest(s.endpoint_ids) AS wanted WHERE wanted = ANY ($5::uuid[])) AS "endpointIds"
    FROM (SELECT DISTINCT scope_id FROM maintenance_announcement
           WHERE org_id = $1 AND ends_at > $2 AND starts_at <= $3) used
    JOIN maintenance_scope s ON s.id = used.scope_id`;

/** For each window, the most recent occurrences that are over and the next ones that aren't. */
const OCCURRENCES = `
  SELECT org_id AS "orgId", window_id AS "windowId", scope_id AS "scopeId", name, starts_at AS "startsAt", ends_at AS "endsAt",
         mute, exclude_from_uptime AS "excludeFromUptime", true AS public, description, recurring,
         announced_at AS "announcedAt", changed_at AS "changedAt"
    FROM (SELECT *, row_number() OVER (PARTITION BY window_id, ends_at <= $3
                                       ORDER BY abs(extract(epoch FROM starts_at - $3::timestamptz))) AS place
            FROM maintenance_announcement
           WHERE org_id = $1 AND scope_id = ANY ($2::uuid[]) AND ends_at > $4 AND starts_at <= $5) nearest
   WHERE place <= $6
   ORDER BY ends_at <= $3, starts_at LIMIT $7`;

const PLANNED_DAYS = `
  SELECT endpoint_id AS id, array_agg(DISTINCT day - ($2::timestamptz AT TIME ZONE 'UTC')::date) AS days
    FROM (SELECT endpoint_id, (GREATEST(started_at, $2) AT TIME ZONE 'UTC')::date AS first,
                 (LEAST(COALESCE(ended_at, $3), $3) AT TIME ZONE 'UTC')::date AS last
            FROM endpoint_outage
           WHERE endpoint_id = ANY ($1::uuid[]) AND planned AND COALESCE(ended_at, $3) >= $2) o
   CROSS JOIN LATERAL (SELECT first + n AS day FROM generate_series(0, last - first) AS n) d
   GROUP BY endpoint_id`;

const SCOPE_DAYS = `
  SELECT scope_id AS id, array_agg(DISTINCT day - ($3::timestamptz AT TIME ZONE 'UTC')::date) AS days
    FROM (SELECT scope_id, (GREATEST(starts_at, $3) AT TIME ZONE 'UTC')::date AS first,
                 (LEAST(ends_at, $4) AT TIME ZONE 'UTC')::date AS last
            FROM maintenance_announcement
           WHERE org_id = $1 AND scope_id = ANY ($2::uuid[]) AND ends_at > $3 AND starts_at <= $4) a
   CROSS JOIN LATERAL (SELECT first + n AS day FROM generate_series(0, last - first) AS n) d
   GROUP BY scope_id`;
