import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/access/caller';
import { readByLocation } from '../../endpoint/locations/by-location';
import { HEARTBEAT } from '../../endpoint/heartbeat/heartbeat-schedule';
import { MaintenanceNowLookup } from '../../endpoint/suppression/maintenance-now';
import { isVerifyingSql } from '../../endpoint/confirmation';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import { Database } from '../../platform/database/database';
import { epochMs } from '../../platform/database/epoch-ms';
import { Cursors } from '../../platform/http/cursors';
import type { Page } from '../../platform/http/page';
import { madeAtMs, NIL_UUID, parseId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { floorTo, HOUR_MS, SECOND_MS } from '../../platform/time/time-units';
import { WebsiteService } from '../../website/website.service';
import { P95_OF_CHECKS } from '../check-encoding';
import {
  hourlyLatency,
  type HourlyLatencyRow,
  LATENCY_HOURS,
  locationCounts,
  type OverviewRow,
  windowCounts,
  windowsAt,
} from './overview-row';
import { downBySteps, type DownSpan, firstStepAt, STEP_MS } from './down-steps';
import {
  type DownHalfHoursRow,
  firstHalfHourAt,
  HALF_HOUR_MS,
  HALF_HOURS,
  halfHours,
  type HoursRow,
} from './half-hours';
import { type OverviewDownView, type OverviewItemView, type OverviewQuery, toOverviewItem } from './overview.dto';

const DEFAULT_LIMIT = 1000;

/**
 * The maximum number of individual checks that one response may read for endpoints without a summary. Reading them
 * takes about 10 ms.
 */
const MAX_SINGLE_CHECKS = 20_000;

/** Builds the overview of all endpoints in an organization from their summaries. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly database: Database,
    private readonly websites: WebsiteService,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
    private readonly maintenance: MaintenanceNowLookup,
  ) {}

  async list({ orgId, role }: Pick<Caller, 'orgId' | 'role'>, query: OverviewQuery): Promise<Page<OverviewItemView>> {
    const { tag } = query;
    const { websiteId, total } = await this.scopeOf(orgId, query.website_id);
    const page = await this.cursors.paginate({
      orgId,
      list: `overview:${websiteId ?? ''}${tag === undefined ? '' : `:${tag}`}`,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      read: (after, count) =>
        this.database.query<OverviewRow>(pageOf(websiteId, tag), [
          orgId,
          after ?? NIL_UUID,
          count,
          websiteId ?? orgId,
          ...(tag === undefined ? [] : [tag]),
        ]),
      idOf: (row) => row.id,
      total: () => (tag === undefined ? total : this.found(orgId, websiteId, tag)),
    });
    const newEndpoints = await this.newEndpointLatencies(page.items);
    const latencies = query.latency && (await this.hourlyLatencies(page.items));
    const histories = query.history && (await this.halfHours(page.items));
    const windows = windowsAt(this.clock.now().getTime());
    const now = await this.maintenance.read(
      this.database,
      orgId,
      page.items.map(({ id, website_id, tags, website_tags }) => ({
        id,
        orgId,
        websiteId: website_id,
        tags: [...tags, ...website_tags],
      })),
    );
    const byLocation = await readByLocation(
      this.database,
      page.items.map(({ id, location_count, quorum, interval_seconds, timeout_seconds }) => ({
        id,
        located: location_count > 1,
        quorum,
        intervalSeconds: interval_seconds,
        timeoutSeconds: timeout_seconds,
      })),
    );
    return page.map((row) => {
      const p95Us = summarized(row.p95_24h_us) ?? newEndpoints.get(row.key) ?? null;
      const latency = latencies && hourlyLatency(latencies.get(row.key) ?? NO_HOURS);
      return toOverviewItem(row, {
        p95Us,
        role,
        windows,
        maintenance: now.get(row.id) ?? null,
        locations: locationCounts(byLocation.get(row.id)),
        latency,
        halfHours: histories?.get(row.key),
      });
    });
  }

  /** Returns how many endpoints were down at the same time, for each step of the last 24 hours. */
  async down(orgId: string): Promise<OverviewDownView> {
    const now = this.clock.now();
    const from = new Date(firstStepAt(now.getTime()));
    const spans = await this.database.query<DownSpan>(DOWN_SPANS, [orgId, from, now, STEP_MS / SECOND_MS]);
    return { from: from.toISOString(), step_seconds: STEP_MS / SECOND_MS, down: downBySteps(spans) };
  }

  /** Returns each endpoint's mean latency for the last full hours. */
  private async hourlyLatencies(rows: readonly OverviewRow[]): Promise<Map<string, HourlyLatencyRow>> {
    const until = floorTo(this.clock.now().getTime(), HOUR_MS);
    const found = await this.database.query<HourlyLatencyRow>(HOURLY_LATENCY, [
      rows.map((row) => row.key),
      new Date(until - LATENCY_HOURS * HOUR_MS),
      new Date(until),
    ]);
    return new Map(found.map((row) => [row.key, row]));
  }

  /** Returns each endpoint's last half hours, as one letter each. */
  private async halfHours(rows: readonly OverviewRow[]): Promise<Map<string, string>> {
    const now = this.clock.now();
    const fromMs = firstHalfHourAt(now.getTime());
    const failed = rows.filter((row) => row.status === OUTCOME_CODE.down || windowCounts(row)['24h'].down > 0);
    const hours = await this.database.query<HoursRow>(HOURS, [
      rows.map((row) => row.key),
      new Date(floorTo(fromMs, HOUR_MS)),
    ]);
    const spans = await this.database.query<DownHalfHoursRow>(DOWN_HALF_HOURS, [
      failed.map((row) => row.key),
      new Date(fromMs),
      now,
    ]);
    const [hoursOf, downOf] = [byKey(hours), byKey(spans)];
    return new Map(
      rows.map((row) => [
        row.key,
        halfHours(hoursOf.get(row.key), downOf.get(row.key), {
          fromMs,
          madeMs: madeAtMs(row.id),
          newestMs: row.last_checked_at,
          isSparse: row.type === HEARTBEAT || row.interval_seconds * SECOND_MS > HALF_HOUR_MS,
        }),
      ]),
    );
  }

  /** Returns the number of endpoints that have a tag, or `null` if there are more than a thousand. */
  private async found(orgId: string, websiteId: string | null, tag: string): Promise<number | null> {
    const [row] = await this.database.query<{ found: number }>(websiteId === null ? COUNT : COUNT_OF_WEBSITE, [
      orgId,
      NIL_UUID,
      MOST_COUNTED + 1,
      websiteId ?? orgId,
      tag,
    ]);
    return row && row.found <= MOST_COUNTED ? row.found : null;
  }

  /**
   * Returns the requested website, if any, and the number of endpoints, taken from counters. Throws: `not_found` for a
   * website in another organization, `invalid_query` for a malformed ID.
   */
  private async scopeOf(orgId: string, text: string | undefined): Promise<{ websiteId: string | null; total: number }> {
    if (text === undefined) return { websiteId: null, total: (await this.websites.listed(orgId)).endpoints };
    const id = parseId('website', text);
    if (id === null) {
      throw problems.invalidQuery([
        { pointer: '?website_id', code: 'invalid_format', message: 'website_id must be an ID like ws_…' },
      ]);
    }
    return { websiteId: id, total: await this.websites.endpointsOf(orgId, id) };
  }

  /**
   * Returns the p95 for new endpoints, which have up checks but no full hour yet. Computes it from individual checks
   * unless there are too many.
   */
  private async newEndpointLatencies(rows: readonly OverviewRow[]): Promise<Map<string, number>> {
    const newEndpoints = rows.filter((row) => summarized(row.p95_24h_us) === null && row.hour_up + row.before_up > 0);
    const checks = newEndpoints.reduce((sum, row) => sum + row.hour_up + row.before_up, 0);
    if (newEndpoints.length === 0 || checks > MAX_SINGLE_CHECKS) return new Map();
    const latencies = await this.database.query<{ key: string; us: number }>(P95_OF_CHECKS, [
      newEndpoints.map((row) => row.key),
      new Date(this.clock.now().getTime() - 2 * HOUR_MS),
    ]);
    return new Map(latencies.map((row) => [row.key, row.us]));
  }
}

const summarized = (p95Us: number | null): number | null => (p95Us === null || p95Us < 0 ? null : p95Us);

const NO_HOURS = { hours: [], us: [] };

const byKey = <T extends { key: string }>(rows: readonly T[]): Map<string, T> =>
  new Map(rows.map((row) => [row.key, row]));

const hasBit = (column: string): string =>
  `coalesce(bit_or(1 << (extract(epoch FROM start_at - $2::timestamptz) / 3600)::int) FILTER (WHERE ${column} > 0), 0)`;

/** The closed hours with a result, as bits. Cost: per endpoint, at most 25 rows in one range of the primary key. */
const HOURS = `
  SELECT endpoint_key::text AS key, ${hasBit('up + down')} AS told, ${hasBit('degraded')} AS degraded,
         ${hasBit('planned')} AS planned, ${hasBit('unknown')} AS unknown
    FROM check_hour
   WHERE endpoint_key = ANY ($1::bigint[]) AND start_at >= $2
   GROUP BY endpoint_key`;

/**
 * The seconds of downtime in each half hour. Cost: the outages of the given endpoints, which are those that failed
 * within a day.
 */
const DOWN_HALF_HOURS = `
  SELECT key, array_agg(step) AS steps, array_agg(seconds) AS seconds, array_agg(planned) AS planned
    FROM (
      SELECT o.endpoint_key::text AS key, step, o.planned,
             round(sum(extract(epoch FROM
               least(coalesce(o.ended_at, $3::timestamptz), $2::timestamptz + (step + 1) * interval '30 minutes')
               - greatest(o.started_at, $2::timestamptz + step * interval '30 minutes'))))::int AS seconds
        FROM outage o
        CROSS JOIN LATERAL generate_series(
          greatest(floor(extract(epoch FROM o.started_at - $2::timestamptz) / 1800), 0)::int,
          least(floor(extract(epoch FROM coalesce(o.ended_at, $3::timestamptz) - $2::timestamptz) / 1800), ${HALF_HOURS - 1})::int
        ) AS step
       WHERE o.endpoint_key = ANY ($1::bigint[]) AND o.started_at < $3 AND (o.ended_at IS NULL OR o.ended_at > $2)
       GROUP BY o.endpoint_key, step, o.planned
    ) part
   GROUP BY key`;

/** Cost: per endpoint, the 24 rows in one range of the primary key. This is half the cost of a page's other columns. */
const HOURLY_LATENCY = `
  SELECT endpoint_key::text AS key, array_agg((extract(epoch FROM start_at - $2::timestamptz) / 3600)::int) AS hours,
         array_agg((sum_us / (SELECT sum(n) FROM unnest(counts) AS n))::int) AS us
    FROM check_hour
   WHERE endpoint_key = ANY ($1::bigint[]) AND start_at >= $2 AND start_at < $3 AND counts <> '{}'
   GROUP BY endpoint_key`;

/**
 * The steps in which endpoints were down. An outage counts in every step that it overlaps. An endpoint counts only once
 * per step, however often it failed. Cost: every endpoint's counters, plus the outages of endpoints that failed within
 * a day, which are few on most days.
 */
const DOWN_SPANS = `
  WITH failed AS (
    SELECT e.key FROM endpoint e
      JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
      JOIN endpoint_state s ON s.endpoint_id = e.id
      LEFT JOIN endpoint_summary m ON m.endpoint_key = e.key
     WHERE e.org_id = $1 AND (s.status = ${OUTCOME_CODE.down} OR s.hour_down + s.before_down + coalesce(m.down_24h, 0) > 0)
  ),
  steps AS (
    SELECT endpoint_key, greatest(floor(extract(epoch FROM started_at - $2::timestamptz) / $4), 0)::int AS first,
           ceil(extract(epoch FROM coalesce(ended_at, $3::timestamptz) - $2::timestamptz) / $4)::int AS until
      FROM outage
     WHERE endpoint_key IN (SELECT key FROM failed) AND NOT planned
       AND started_at < $3 AND (ended_at IS NULL OR ended_at > $2)
  ),
  merged AS (
    SELECT endpoint_key, range_agg(int4range(first, greatest(first + 1, until))) AS parts FROM steps GROUP BY endpoint_key
  )
  SELECT lower(part) AS first, upper(part) AS until, count(*)::int AS endpoints
    FROM merged CROSS JOIN LATERAL unnest(parts) AS part GROUP BY part`;

const milliseconds = (column: string): string => `${epochMs(column)} AS ${column}`;

const TIMES = ['status_since', 'last_checked_at', 'certificate_expires_at', 'hour_start', 'until', 'degraded_since'];

const SELECT = `
  SELECT id, key, name, url, type, active, website_id, website_name, status, last_error, recent, alert_open,
         hour_up, hour_down, hour_unknown, before_up, before_down, before_unknown,
         up_24h, down_24h, unknown_24h, up_7d, down_7d, up_30d, down_30d, up_90d, down_90d, p95_24h_us, days_7d, days_30d, days_90d,
         recent_degraded, tags, website_tags, acknowledged_by, acknowledged_note,
         location_count, quorum, interval_seconds, timeout_seconds,
         ${[...TIMES, 'acknowledged_at', 'acknowledged_until'].map(milliseconds).join(', ')},
         CASE WHEN type = '${HEARTBEAT}' THEN (SELECT ${epochMs('h.expected_at')} FROM heartbeat h WHERE h.endpoint_id = listed) END AS next_expected_at,
         status = ${OUTCOME_CODE.down} AND ${isVerifyingSql('listed', 'type')} AS verifying`;

/**
 * The endpoints on one page. $1 is the organization, $2 the last ID on the previous page, $3 the page size, and $4 the
 * value of `column`. The limit applies before any join and uses the full sort order of one index. With `org_id = $1
 * ORDER BY id`, the planner may instead scan all organizations by ID until it finds enough rows for this one.
 */
const listed = (column: string, filter: string): string => `
  SELECT id AS listed, location_count, quorum, interval_seconds, timeout_seconds FROM endpoint
   WHERE (${column}, id) > ($4::uuid, $2::uuid) AND ${column} <= $4::uuid
     AND website_id <> ALL (ARRAY(SELECT w.id FROM website w WHERE w.org_id = $1 AND w.deleted_at IS NOT NULL)) ${filter}
   ORDER BY ${column}, id LIMIT $3`;

/**
 * Reads every endpoint in the organization or website until the page is full. For 10,000 endpoints without the tag,
 * that takes 2.8 ms. An index over the tags of all organizations would let one organization's tags slow down another.
 */
const TAGGED = `
     AND ($5::text = ANY (tags)
          OR website_id IN (SELECT t.id FROM website t WHERE t.org_id = $1 AND $5 = ANY (t.tags)))`;

/**
 * Reads one item at a time with a few index lookups each, with or without table statistics. OFFSET 0 rules out any
 * other plan.
 */
const page = (column: string, filter = ''): string => `${SELECT}
    FROM (${listed(column, filter)}) page
    CROSS JOIN LATERAL (SELECT * FROM endpoint_overview WHERE org_id = $1 AND id = listed OFFSET 0) item
   ORDER BY listed`;

const PAGES = {
  org_id: { all: page('org_id'), tagged: page('org_id', TAGGED) },
  website_id: { all: page('website_id'), tagged: page('website_id', TAGGED) },
} as const;

const pageOf = (websiteId: string | null, tag: string | undefined): string =>
  PAGES[websiteId === null ? 'org_id' : 'website_id'][tag === undefined ? 'all' : 'tagged'];

/** The maximum number of endpoints that are counted for a tag. */
const MOST_COUNTED = 1000;

const count = (column: string): string => `SELECT count(*)::int AS found FROM (${listed(column, TAGGED)}) e`;
const COUNT = count('org_id');
const COUNT_OF_WEBSITE = count('website_id');
