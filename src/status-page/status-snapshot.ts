import { SHOWN_DAYS } from './shown-days';
import { Injectable } from '@nestjs/common';
import type { EndpointStatus } from '../endpoint/endpoint.dto';
import { confirmedSecondsSql, isVerifyingSql } from '../endpoint/confirmation';
import { OUTCOME_CODE, outcomeOf } from '../endpoint/outcome-code';
import { errorCodeAt } from '../history/check-encoding';
import { publicReason } from './public-reason';
import { Config } from '../platform/config/config';
import { Database } from '../platform/database/database';
import { epochMs } from '../platform/database/epoch-ms';
import { Clock } from '../platform/time/clock';
import { DAY_MS, floorTo } from '../platform/time/time-units';
import { WebsiteService } from '../website/website.service';
import { Announcements } from './announcements';
import { arranged, type PageEndpoint, type PageGroup } from './page-groups';
import { type AffectedEndpoint, incidentsOf, type MemberTime, type StatusIncident } from './page-incidents';
import {
  type EndpointMaintenance,
  endpointMaintenance,
  maintenanceOf,
  type StatusMaintenance,
  opaqueId,
} from './page-maintenance';
import { besides, type PageMonth } from './page-month';
import { type IncidentRange, PublicIncidents } from './public-incidents';

/** The maximum numbers of items that a page shows. */
const MAX_ENDPOINTS = 200;
const MAX_OUTAGES = 20;
const MAX_INCIDENTS = 20;
/** How long a page shows an incident that has ended. */
const INCIDENT_DAYS = 14;
/** The maximum number of incidents, and of outages, in a month. */
const MAX_OF_MONTH = 200;
/** Used as the end of an outage or incident that is still open. */
const FOR_EVER = new Date('9999-12-31T00:00:00Z');

interface OutageRange extends IncidentRange {
  downAfterMinutes: number | null;
}

/** The checks of one endpoint on one UTC day. */
export interface StatusDay {
  date: string;
  up: number;
  down: number;
  unknown: number;
  /**
   * True if all checks were in maintenance that is excluded from uptime. Not shown, because it includes maintenance
   * that isn't public.
   */
  excluded: boolean;
  /** True if there were outages during announced maintenance. */
  planned: boolean;
}

export interface StatusEndpoint {
  name: string;
  /** The heading of the endpoint's group, or an empty string if it has none. */
  group: string;
  status: EndpointStatus;
  /** The endpoint is up, but a warning assertion failed. */
  degraded: boolean;
  maintenance: EndpointMaintenance | null;
  /** Oldest first. There are always `SHOWN_DAYS` entries. */
  days: StatusDay[];
}

export interface StatusOutage {
  /** An ID that doesn't change as long as the outage is stored. It reveals nothing about the endpoint. */
  id: string;
  endpoint: string;
  started_at: string;
  ended_at: string | null;
  /** The stable error code in words. It never contains text from the target. */
  reason: string | null;
}

/** The look of a page, and its other URLs. The JSON form doesn't contain them. */
export interface PageLook {
  /** The ID of the feed. */
  id: string;
  accent: string | null;
  hasLogo: boolean;
  /** The page's own hostname. */
  domain: string | null;
  /** Whether search engines may index the page. */
  indexed: boolean;
  /** Where readers report a problem. */
  supportUrl: string | null;
  changedAt: string;
}

/** Everything that a public page may show. Data that isn't in it cannot leak. */
export interface StatusSnapshot {
  slug: string;
  name: string;
  description: string;
  status: EndpointStatus;
  updated_at: string;
  look: PageLook;
  endpoints: StatusEndpoint[];
  /** Public incidents: open ones first, then those that ended recently, newest first. */
  incidents: StatusIncident[];
  /** Excludes planned outages. */
  outages: StatusOutage[];
  /** The outages that no incident covers. */
  otherOutages: StatusOutage[];
  /** Announced maintenance: recently completed, in progress, or planned. */
  maintenance: StatusMaintenance[];
}

/** The range of months that have any content, so that most others need not be read. */
export interface HistoryExtent {
  /** The start of the first outage or public incident, or `null` if there was none. */
  since: Date | null;
  /** Changes whenever a public incident changes. */
  version: string;
}

/** The content of a month on a public page. */
export interface StatusHistory extends Pick<StatusSnapshot, 'slug' | 'name' | 'look' | 'updated_at' | 'incidents'> {
  /** The month in the format `2026-11`, in UTC. */
  month: string;
  /** The adjacent months if they may have content. */
  earlier: string | null;
  later: string | null;
  /** The outages that no incident covers, excluding planned ones. */
  outages: StatusOutage[];
}

/** A page that is visible to everyone. */
export interface PublishedPage {
  id: string;
  slug: string;
  orgId: string;
  websiteId: string | null;
  title: string | null;
  description: string;
  accent: string | null;
  logoHash: string | null;
  domain: string | null;
  /** How long an endpoint must fail before it is shown as down. `null`: until its alert rules would trigger. */
  downAfterMinutes: number | null;
  indexed: boolean;
  supportUrl: string | null;
  /** `null` means that the page shows its website. */
  groups: PageGroup[] | null;
  changedAt: Date;
}

/** An uploaded image, with the type detected when it was stored. */
export interface PageLogo {
  body: Buffer;
  type: string;
}

/** The days of one endpoint that have checks, as offsets from the first day shown, and the checks of each day. */
interface DaysRow {
  endpoint_id: string;
  days: number[];
  up: number[];
  down: number[];
  unknown: number[];
  /** Days on which all checks were excluded from uptime. */
  excluded: number[] | null;
}

interface OutageRow {
  endpoint_id: string;
  endpoint_name: string;
  started_at: Date;
  ended_at: Date | null;
  error: number;
}

interface EndpointRow extends PageEndpoint {
  name: string;
  active: boolean;
  status: number;
  degraded: boolean;
  /** It is down, but not yet for as long as the page requires. */
  verifying: boolean;
  /** The tags of the endpoint and of its website. */
  tags: string[];
}

@Injectable()
export class StatusSnapshots {
  constructor(
    private readonly database: Database,
    private readonly websites: WebsiteService,
    private readonly announcements: Announcements,
    private readonly incidents: PublicIncidents,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Returns the published page with that slug, or `null`. Cost: one index lookup. */
  async find(slug: string): Promise<PublishedPage | null> {
    const [page] = await this.database.query<PublishedPage>(PUBLISHED, [slug]);
    return page ?? null;
  }

  /** Returns the logo, or `null` if there is none. */
  async logo({ id }: Pick<PublishedPage, 'id'>): Promise<PageLogo | null> {
    const [logo] = await this.database.query<PageLogo>(LOGO, [id]);
    return logo ?? null;
  }

  /** Reads a page. Cost: up to 200 endpoints times 90 days of rows. Use `PublicPages` instead, which caches it. */
  async read(page: PublishedPage): Promise<StatusSnapshot> {
    const { orgId } = page;
    const now = this.clock.now();
    const since = new Date(floorTo(now.getTime(), DAY_MS) - (SHOWN_DAYS - 1) * DAY_MS);
    const [website, shown] = await Promise.all([this.websiteOf(page), this.endpointsOf(page)]);
    const covered = coveredOf(orgId, shown);
    const ids = covered.map(({ id }) => id);
    const lately = new Date(now.getTime() - INCIDENT_DAYS * DAY_MS);
    const range = { from: since, until: FOR_EVER, limit: MAX_OUTAGES, downAfterMinutes: page.downAfterMinutes };
    const [days, outages, incidents, work] = await Promise.all([
      this.database.query<DaysRow>(DAY_COUNTS, [ids, since]),
      this.outages(ids, [], range),
      this.incidents.read(covered, { ...range, from: lately, limit: MAX_INCIDENTS }),
      this.announcements.read(covered, since, now),
    ]);
    const told = incidents.flatMap(({ members }) => members);
    const otherOutages = told.length === 0 ? outages : await this.outages(ids, told, range);
    const counts = new Map(days.map((row) => [row.endpoint_id, row]));
    const dates = datesFrom(since);
    const endpoints = shown.map(({ group, endpoint }) => ({
      name: endpoint.name,
      group,
      status: statusOfRow(endpoint),
      degraded: endpoint.degraded && statusOfRow(endpoint) === 'up',
      maintenance: endpointMaintenance(work.announcements, { ...endpoint, orgId }, now),
      days: daysOf(dates, counts.get(endpoint.id), work.plannedDays.get(endpoint.id)),
    }));
    return {
      slug: page.slug,
      name: page.title ?? website?.name ?? '',
      description: page.description,
      // A website may have more endpoints than a page shows.
      status: page.groups === null && website ? statusOfWebsite(website, endpoints) : statusOf(endpoints),
      updated_at: now.toISOString(),
      look: lookOf(page),
      endpoints,
      incidents: incidentsOf(incidents, covered),
      outages,
      otherOutages,
      maintenance: maintenanceOf(work.announcements, covered, now),
    };
  }

  /**
   * Returns the range of months with content. Cost: two statements. Use `PublicPages` instead, which reads the range
   * once for each read of a page.
   */
  async extent(page: PublishedPage): Promise<HistoryExtent> {
    const ids = (await this.endpointsOf(page)).map(({ endpoint }) => endpoint.id);
    const [extent] = await this.database.query<HistoryExtent>(EXTENT, [page.orgId, ids]);
    return extent ?? { since: null, version: '' };
  }

  /** Returns the content of a month. Cost: four statements. Use `PublicPages` instead. */
  async history(page: PublishedPage, month: PageMonth): Promise<StatusHistory> {
    const now = this.clock.now();
    const range = { ...month, limit: MAX_OF_MONTH, downAfterMinutes: page.downAfterMinutes };
    const [website, shown] = await Promise.all([this.websiteOf(page), this.endpointsOf(page)]);
    const covered = coveredOf(page.orgId, shown);
    const ids = covered.map(({ id }) => id);
    const incidents = await this.incidents.read(covered, range);
    const outages = await this.outages(
      ids,
      incidents.flatMap(({ members }) => members),
      range,
    );
    const name = page.title ?? website?.name ?? '';
    const frame = { slug: page.slug, name, look: lookOf(page), updated_at: now.toISOString() };
    return { ...this.emptyHistory(frame, month), incidents: incidentsOf(incidents, covered), outages };
  }

  /**
   * Returns a public incident that affects endpoints of the page, however long ago it was, or `null`. `id` is the ID that
   * the page shows. Cost: two statements, of which one compares the public incidents of the organization. Use
   * `PublicPages` instead.
   */
  async incident(page: PublishedPage, id: string): Promise<StatusIncident | null> {
    const covered = coveredOf(page.orgId, await this.endpointsOf(page));
    const rows = await this.incidents.read(covered, { from: new Date(0), until: FOR_EVER, limit: 1, id });
    return incidentsOf(rows, covered)[0] ?? null;
  }

  /** Returns an empty month without reading anything. */
  emptyHistory(
    { slug, name, look, updated_at }: Pick<StatusSnapshot, 'slug' | 'name' | 'look' | 'updated_at'>,
    month: PageMonth,
  ): StatusHistory {
    const now = this.clock.now();
    const keptDays = Math.max(this.config.eventRetentionDays, this.config.rollupRetentionDays);
    const around = besides(month, new Date(now.getTime() - keptDays * DAY_MS), now);
    return { slug, name, look, updated_at, month: month.name, ...around, incidents: [], outages: [] };
  }

  /**
   * Returns confirmed outages that no incident covers. An alert triggers after its outage has started, so an outage and its
   * incident overlap.
   */
  private async outages(ids: readonly string[], told: readonly MemberTime[], range: OutageRange) {
    const rows = await this.database.query<OutageRow>(OUTAGES, [
      ids,
      range.from,
      range.until,
      range.limit,
      told.map(({ id }) => id),
      told.map(({ from }) => from),
      told.map(({ until }) => until),
      range.downAfterMinutes,
    ]);
    return rows.map((row): StatusOutage => ({
      id: opaqueId(`${row.endpoint_id} ${row.started_at.getTime()}`),
      endpoint: row.endpoint_name,
      started_at: row.started_at.toISOString(),
      ended_at: row.ended_at?.toISOString() ?? null,
      reason: publicReason(errorCodeAt(row.error)),
    }));
  }

  private websiteOf({ orgId, websiteId }: PublishedPage) {
    return websiteId === null ? null : this.websites.get(orgId, websiteId);
  }

  private async endpointsOf({ orgId, websiteId, groups, downAfterMinutes }: PublishedPage) {
    const chosen = groups ?? [{ name: '', endpoints: [], websites: websiteId === null ? [] : [websiteId] }];
    const rows = await this.database.query<EndpointRow>(ENDPOINTS, [
      orgId,
      chosen.flatMap((group) => group.endpoints),
      chosen.flatMap((group) => group.websites),
      MAX_ENDPOINTS,
      downAfterMinutes,
    ]);
    return arranged(chosen, rows).slice(0, MAX_ENDPOINTS);
  }
}

/**
 * Returns the status of a website's page. A failure that isn't confirmed yet doesn't count, unless the page doesn't show
 * all endpoints.
 */
const statusOfWebsite = (
  { status, endpoint_count }: { status: EndpointStatus; endpoint_count: number },
  endpoints: readonly Pick<StatusEndpoint, 'status'>[],
): EndpointStatus => (status === 'down' && endpoint_count <= endpoints.length ? statusOf(endpoints) : status);

/** Returns the worst status of everything shown. */
export function statusOf(endpoints: readonly Pick<StatusEndpoint, 'status'>[]): EndpointStatus {
  const has = (status: EndpointStatus) => endpoints.some((endpoint) => endpoint.status === status);
  if (has('down')) return 'down';
  if (has('up')) return 'up';
  return has('paused') && !has('unknown') ? 'paused' : 'unknown';
}

const lookOf = ({ id, accent, logoHash, domain, indexed, supportUrl, changedAt }: PublishedPage): PageLook => ({
  id: opaqueId(id),
  accent,
  hasLogo: logoHash !== null,
  domain,
  indexed,
  supportUrl,
  changedAt: changedAt.toISOString(),
});

const coveredOf = (orgId: string, shown: readonly { endpoint: EndpointRow }[]): AffectedEndpoint[] =>
  shown.map(({ endpoint }) => {
    const { id, name, websiteId, tags, degraded } = endpoint;
    return { id, name, orgId, websiteId, tags, works: statusOfRow(endpoint) === 'up' && !degraded };
  });

/** A failure that isn't confirmed yet is shown as up. */
const statusOfRow = ({ active, status, verifying }: EndpointRow): EndpointStatus =>
  !active ? 'paused' : verifying ? 'up' : outcomeOf(status);

const datesFrom = (since: Date): string[] =>
  Array.from({ length: SHOWN_DAYS }, (_, index) =>
    new Date(since.getTime() + index * DAY_MS).toISOString().slice(0, 10),
  );

function daysOf(
  dates: readonly string[],
  row: DaysRow | undefined,
  planned: ReadonlySet<number> | undefined,
): StatusDay[] {
  const days = dates.map((date, index) => ({
    date,
    up: 0,
    down: 0,
    unknown: 0,
    excluded: false,
    planned: planned?.has(index) ?? false,
  }));
  const excluded = new Set(row?.excluded);
  for (const [i, index] of (row?.days ?? []).entries()) {
    const day = days[index];
    if (!row || !day) continue;
    day.up = row.up[i] ?? 0;
    day.down = row.down[i] ?? 0;
    day.unknown = row.unknown[i] ?? 0;
    day.excluded = excluded.has(index);
  }
  return days;
}

const PUBLISHED = `
  SELECT id, slug, org_id AS "orgId", website_id AS "websiteId", title, description, accent, logo_hash AS "logoHash", domain,
         groups, down_after_minutes AS "downAfterMinutes", indexed, support_url AS "supportUrl", updated_at AS "changedAt"
    FROM status_page WHERE slug = $1 AND enabled`;

const LOGO = 'SELECT logo AS body, logo_type AS type FROM status_page WHERE id = $1 AND enabled AND logo IS NOT NULL';

/**
 * SQL condition: the endpoint is down, but not yet for as long as the page requires. `minutes` is the page's setting, and
 * `endpoint` has the columns `id`, `type`, `status`, and `status_since`.
 */
const isVerifyingOnPageSql = (endpoint: string, minutes: string): string =>
  `(${endpoint}.status = ${OUTCOME_CODE.down} AND CASE WHEN ${minutes}::int IS NULL
      THEN ${isVerifyingSql(`${endpoint}.id`, `${endpoint}.type`)}
      ELSE ${minutes}::int > 0 AND ${endpoint}.status_since > now() - ${minutes}::int * interval '1 minute' END)`;

/**
 * Reads the IDs first, no more per website than a page shows, then each item (OFFSET 0 forces this plan). The view
 * omits resources that are being deleted.
 */
const ENDPOINTS = `
  SELECT item.id, item.website_id AS "websiteId", item.name, item.active, item.status, item.degraded, item.tags,
         ${isVerifyingOnPageSql('item', '$5')} AS verifying
    FROM (SELECT id AS listed FROM endpoint WHERE org_id = $1 AND id = ANY ($2::uuid[])
           UNION
          SELECT listed FROM (
            SELECT e.id AS listed FROM unnest($3::uuid[]) AS wanted (website)
             CROSS JOIN LATERAL (SELECT id FROM endpoint WHERE website_id = wanted.website AND org_id = $1
                                  ORDER BY website_id, id LIMIT $4) e
             LIMIT 2 * $4) of_websites) page
   CROSS JOIN LATERAL (SELECT id, website_id, name, type, active, status, status_since, degraded_since IS NOT NULL AS degraded,
                              tags || website_tags AS tags
                         FROM endpoint_overview WHERE org_id = $1 AND id = listed OFFSET 0) item
   ORDER BY item.id`;

/** Returns one row per endpoint. With eighteen thousand rows, the event loop would need more time than the database. */
const DAY_COUNTS = `
  SELECT endpoint_id, array_agg(day) AS days, array_agg(up) AS up, array_agg(down) AS down, array_agg(unknown) AS unknown,
         array_agg(day) FILTER (WHERE planned > 0 AND up + down + unknown = 0) AS excluded
    FROM (
      SELECT endpoint_id, day - ($2::timestamptz AT TIME ZONE 'UTC')::date AS day,
             sum(up)::int AS up, sum(down)::int AS down, sum(unknown)::int AS unknown,
             sum(planned) AS planned
        FROM endpoint_day WHERE endpoint_id = ANY ($1::uuid[]) AND day >= ($2::timestamptz AT TIME ZONE 'UTC')::date
       GROUP BY endpoint_id, day
    ) d
   GROUP BY endpoint_id`;

/**
 * Cost: the first outage of each of at most 200 endpoints by primary key, and the public incidents of one organization.
 */
const EXTENT = `
  SELECT least(min(i.started_at),
               (SELECT min(first.started_at) FROM endpoint e
                 CROSS JOIN LATERAL (SELECT o.started_at FROM outage o WHERE o.endpoint_key = e.key
                                      ORDER BY o.started_at LIMIT 1) first
                 WHERE e.id = ANY ($2::uuid[]))) AS since,
         count(*) || ' ' || coalesce(max(i.updated_at)::text, '') AS version
    FROM incident i WHERE i.org_id = $1 AND i.public_at IS NOT NULL`;

/**
 * An open outage is listed if the page shows the endpoint as down, and a past one if it was long enough. Cost: the outages
 * of at most 200 endpoints since a given time, each compared with the incident times of its endpoint and, if it was
 * short, with the outages that alerts reported.
 */
const OUTAGES = `
  WITH confirmed AS MATERIALIZED (
    SELECT e.id, e.type, s.status, s.status_since, COALESCE($8::int * 60, ${confirmedSecondsSql('e')}) AS seconds
      FROM endpoint e JOIN endpoint_state s ON s.endpoint_id = e.id WHERE e.id = ANY ($1::uuid[]))
  SELECT o.endpoint_id, endpoint_name, o.started_at, o.ended_at, error FROM endpoint_outage o
    JOIN confirmed c ON c.id = o.endpoint_id
   WHERE o.endpoint_id = ANY ($1::uuid[]) AND NOT planned AND COALESCE(o.ended_at, now()) >= $2 AND o.started_at < $3
     AND NOT EXISTS (SELECT FROM unnest($5::uuid[], $6::float8[], $7::float8[]) AS told (endpoint, since, until)
                      WHERE told.endpoint = o.endpoint_id AND ${epochMs('o.started_at')} <= COALESCE(told.until, 'infinity')
                        AND COALESCE(${epochMs('o.ended_at')}, 'infinity') >= told.since)
     AND CASE WHEN o.ended_at IS NULL THEN NOT ${isVerifyingOnPageSql('c', '$8')}
         ELSE extract(epoch FROM o.ended_at - o.started_at) >= c.seconds
           OR $8::int IS NULL AND EXISTS (
             SELECT FROM incident_member m JOIN incident_outage a ON a.incident_id = m.incident_id AND a.endpoint_id = m.endpoint_id
              WHERE m.endpoint_id = o.endpoint_id AND a.started_at <= o.ended_at
                AND COALESCE(a.ended_at, 'infinity') >= o.started_at) END
   ORDER BY o.started_at DESC LIMIT $4`;
