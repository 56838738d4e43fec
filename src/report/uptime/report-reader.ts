import { Injectable } from '@nestjs/common';
import { MaintenanceCoverage } from '../../endpoint/suppression/maintenance-coverage';
import { plannedTime } from '../../history/read/planned-time';
import type { TimeRange } from '../../history/time-range';
import { Database } from '../../platform/database/database';
import { madeAtMs } from '../../platform/ids/id';
import { floorTo, HOUR_MS, SECOND_MS } from '../../platform/time/time-units';
import type { DayChecks } from './monitored-share';
import { type ReportPeriod, slotOf } from './uptime-sums';

/** The endpoints that a report covers. `null` selects all. */
export interface ReportScope {
  websiteId: string | null;
  tag: string | null;
}

export interface ReportEndpoint {
  id: string;
  key: string;
  name: string;
  websiteId: string;
  websiteName: string;
  /** `null` for jobs, which have no interval. */
  intervalSeconds: number | null;
}

export interface CountedChecks {
  up: number;
  down: number;
  unknown: number;
  planned: number;
}

/** Everything that a report says about one endpoint, before it is summed up. */
export interface EndpointFacts {
  checks: DayChecks;
  counts: CountedChecks;
  planned: TimeRange[];
  downtime: Map<number, number>;
  outages: number;
}

export interface IncidentFacts {
  count: number;
  /** In seconds, `null` without an incident. */
  longest: number | null;
  /** The median time from the start of an incident to its acknowledgement, in seconds. */
  acknowledged: number | null;
}

interface ChecksRow extends DayChecks {
  key: string;
  upCount: number;
  downCount: number;
  unknownCount: number;
  plannedCount: number;
}

/** Reads what a report needs, with a fixed number of statements for any number of endpoints. */
@Injectable()
export class ReportReader {
  constructor(
    private readonly database: Database,
    private readonly coverage: MaintenanceCoverage,
  ) {}

  /** Returns the endpoints of a scope by website and name, at most `limit`. Cost: a scan of the organization's endpoints. */
  endpoints(orgId: string, { websiteId, tag }: ReportScope, limit: number): Promise<ReportEndpoint[]> {
    return this.database.query<ReportEndpoint>(ENDPOINTS, [orgId, websiteId, tag, limit]);
  }

  /** Returns the facts about each of these endpoints, in order. */
  async facts(orgId: string, endpoints: readonly ReportEndpoint[], period: ReportPeriod): Promise<EndpointFacts[]> {
    const range = { from: period.bounds[0] ?? 0, to: period.until };
    const planned = await this.planned(orgId, endpoints, range);
    const keys = endpoints.map(({ key }) => key);
    const bounds = [new Date(range.from), new Date(range.to)];
    const [checks, downtime, outages] = await Promise.all([
      this.database.query<ChecksRow>(CHECKS, [keys, new Date(floorTo(range.from, HOUR_MS)), ...bounds]),
      this.database.query<{ key: string; slots: number[]; seconds: number[] }>(DOWNTIME, [
        keys,
        planned.map(multirange),
        ...bounds,
        slotOf(period) / SECOND_MS,
      ]),
      this.database.query<{ key: string; outages: number }>(OUTAGE_COUNTS, [keys, ...bounds]),
    ]);
    const checksOf = new Map(checks.map((row) => [row.key, row]));
    const downOf = new Map(downtime.map(({ key, slots, seconds }) => [key, toMap(slots, seconds)]));
    const outagesOf = new Map(outages.map((row) => [row.key, row.outages]));
    return endpoints.map(({ key }, at) => {
      const own = checksOf.get(key) ?? NO_CHECKS;
      const { upCount: up, downCount: down, unknownCount: unknown, plannedCount } = own;
      return {
        checks: own,
        counts: { up, down, unknown, planned: plannedCount },
        planned: planned[at] ?? [],
        downtime: downOf.get(key) ?? new Map<number, number>(),
        outages: outagesOf.get(key) ?? 0,
      };
    });
  }

  /** Returns what is known about the incidents of these endpoints that started in the period. Cost: one statement. */
  async incidents(orgId: string, endpoints: readonly ReportEndpoint[], period: ReportPeriod): Promise<IncidentFacts> {
    const [row] = await this.database.query<IncidentFacts>(INCIDENTS, [
      orgId,
      endpoints.map(({ id }) => id),
      new Date(period.bounds[0] ?? 0),
      new Date(period.until),
    ]);
    return row ?? { count: 0, longest: null, acknowledged: null };
  }

  /** Returns the planned parts of the range for each endpoint. Cost: two statements. */
  private async planned(
    orgId: string,
    endpoints: readonly ReportEndpoint[],
    { from, to }: TimeRange,
  ): Promise<TimeRange[][]> {
    const occurrences = await this.coverage.overlapping(this.database, [orgId], new Date(from), new Date(to));
    if (occurrences.length === 0) return endpoints.map(() => []);
    const ids = endpoints.map(({ id }) => id);
    const coverable = await this.coverage.coverable(this.database, ids);
    return ids.map((id) => {
      const endpoint = coverable.get(id);
      return endpoint ? plannedTime(occurrences, endpoint, { from: Math.max(from, madeAtMs(id)), to }) : [];
    });
  }
}

const NO_CHECKS: Omit<ChecksRow, 'key'> = {
  days: [],
  known: [],
  unknown: [],
  planned: [],
  full: [],
  partial: [],
  shares: [],
  upCount: 0,
  downCount: 0,
  unknownCount: 0,
  plannedCount: 0,
};

const toMap = (slots: readonly number[], seconds: readonly number[]): Map<number, number> =>
  new Map(slots.map((slot, at) => [slot, seconds[at] ?? 0]));

/** Formats time ranges as a PostgreSQL multirange. */
const multirange = (parts: readonly TimeRange[]): string =>
  `{${parts.map(({ from, to }) => `[${new Date(from).toISOString()},${new Date(to).toISOString()})`).join(',')}}`;

const ENDPOINTS = `
  SELECT e.id, e.key, e.name, w.id AS "websiteId", w.name AS "websiteName",
         CASE WHEN e.type <> 'HEARTBEAT' THEN e.interval_seconds END AS "intervalSeconds"
    FROM endpoint e JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
   WHERE e.org_id = $1 AND ($2::uuid IS NULL OR w.id = $2) AND ($3::text IS NULL OR $3 = ANY (e.tags || w.tags))
   ORDER BY w.name, w.id, e.name, e.id LIMIT $4`;

/**
 * Summarizes the hours of each endpoint by UTC day: built hours, then the counters of the hours that aren't built yet.
 * Cost: at most 744 hourly rows per endpoint, each endpoint's found by key, aggregated to at most 32 days.
 */
const CHECKS = `
  WITH built AS (SELECT max(done_until) AS hours FROM history_progress WHERE name = 'hour'),
  hours AS (
    SELECT k.key, h.*, floor(extract(epoch FROM h.at) / 3600)::integer AS hour
      FROM unnest($1::bigint[]) AS k (key)
     CROSS JOIN built
     CROSS JOIN LATERAL (
       SELECT start_at AS at, up, down, unknown, planned FROM check_hour
        WHERE endpoint_key = k.key AND start_at >= $2 AND start_at < least($4, built.hours)
        UNION ALL
       SELECT s.hour_start, s.hour_up, s.hour_down, s.hour_unknown, s.hour_planned
         FROM endpoint e JOIN endpoint_state s ON s.endpoint_id = e.id
        WHERE e.key = k.key AND s.hour_start >= greatest($2, built.hours) AND s.hour_start < $4
        UNION ALL
       SELECT s.hour_start - interval '1 hour', s.before_up, s.before_down, s.before_unknown, s.before_planned
         FROM endpoint e JOIN endpoint_state s ON s.endpoint_id = e.id
        WHERE e.key = k.key AND s.hour_start - interval '1 hour' >= greatest($2, built.hours)
          AND s.hour_start - interval '1 hour' < $4) h
     WHERE h.up + h.down + h.unknown + h.planned > 0),
  days AS (
    SELECT key, hour / 24 AS day, sum(up + down)::integer AS known, sum(unknown)::integer AS unknown,
           sum(planned)::integer AS planned,
           coalesce(sum(1 << (hour % 24)) FILTER (WHERE unknown = 0), 0)::integer AS full_hours,
           array_agg(hour) FILTER (WHERE unknown > 0 AND up + down > 0) AS partial,
           array_agg((up + down)::float8 / (up + down + unknown)) FILTER (WHERE unknown > 0 AND up + down > 0) AS shares,
           sum(up) FILTER (WHERE at >= $3) AS up_count, sum(down) FILTER (WHERE at >= $3) AS down_count,
           sum(unknown) FILTER (WHERE at >= $3) AS unknown_count, sum(planned) FILTER (WHERE at >= $3) AS planned_count
      FROM hours GROUP BY 1, 2),
  mixed AS (
    SELECT d.key, array_agg(m.hour) AS partial, array_agg(m.share) AS shares
      FROM days d CROSS JOIN LATERAL unnest(d.partial, d.shares) AS m (hour, share) GROUP BY 1)
  SELECT key, array_agg(day) AS days, array_agg(known) AS known, array_agg(d.unknown) AS unknown,
         array_agg(d.planned) AS planned, array_agg(full_hours) AS full,
         coalesce(m.partial, '{}') AS partial, coalesce(m.shares, '{}') AS shares,
         coalesce(sum(up_count), 0)::float8 AS "upCount", coalesce(sum(down_count), 0)::float8 AS "downCount",
         coalesce(sum(unknown_count), 0)::float8 AS "unknownCount",
         coalesce(sum(planned_count), 0)::float8 AS "plannedCount"
    FROM days d LEFT JOIN mixed m USING (key) GROUP BY key, m.partial, m.shares`;

/**
 * Splits the time of all unplanned outages, outside of planned time, into slots of $5 seconds. Overlaps count once.
 * Cost: the outages of each endpoint in the month, by key, and a row per slot with downtime.
 */
const DOWNTIME = `
  SELECT key, array_agg(slot) AS slots, array_agg(seconds) AS seconds
    FROM (
      SELECT k.key, slot,
             sum(extract(epoch FROM least(upper(part), to_timestamp((slot + 1) * $5::float8))
                                  - greatest(lower(part), to_timestamp(slot * $5::float8))))::float8 AS seconds
        FROM unnest($1::bigint[], $2::text[]) AS k (key, planned)
       CROSS JOIN LATERAL (
         SELECT range_agg(tstzrange(greatest(started_at, $3), greatest(started_at, $3, least(coalesce(ended_at, $4), $4)))) AS time
           FROM outage WHERE endpoint_key = k.key AND started_at < $4 AND (ended_at IS NULL OR ended_at > $3) AND NOT planned) o
       CROSS JOIN LATERAL unnest(o.time - k.planned::tstzmultirange) AS part
       CROSS JOIN LATERAL generate_series(floor(extract(epoch FROM lower(part)) / $5::float8)::integer,
                                          ceil(extract(epoch FROM upper(part)) / $5::float8)::integer - 1) AS slot
       GROUP BY 1, 2) s
   GROUP BY key`;

// Cost: the outages of each endpoint in the month, by key.
const OUTAGE_COUNTS = `
  SELECT endpoint_key AS key, count(*)::integer AS outages FROM outage
   WHERE endpoint_key = ANY ($1::bigint[]) AND started_at < $3 AND (ended_at IS NULL OR ended_at > $2) AND NOT planned
   GROUP BY 1`;

// Cost: the incidents of the organization in the month, each with a lookup of its members.
const INCIDENTS = `
  SELECT count(*)::integer AS count,
         max(extract(epoch FROM coalesce(i.ended_at, $4) - i.started_at))::float8 AS longest,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM i.ack_at - i.started_at))
           FILTER (WHERE i.ack_at IS NOT NULL) AS acknowledged
    FROM incident i
   WHERE i.org_id = $1 AND i.started_at >= $3 AND i.started_at < $4 AND i.merged_into IS NULL
     AND EXISTS (SELECT FROM incident_member m WHERE m.incident_id = i.id AND m.endpoint_id = ANY ($2::uuid[]))`;
