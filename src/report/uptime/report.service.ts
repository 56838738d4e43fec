import { Injectable } from '@nestjs/common';
import { errorCodeAt } from '../../history/check-encoding';
import { OrganizationZones } from '../../identity/organization/organization-zones';
import { Database } from '../../platform/database/database';
import { epochMs } from '../../platform/database/epoch-ms';
import { Cursors } from '../../platform/http/cursors';
import type { Page } from '../../platform/http/page';
import { formatId, madeAtMs, parseId } from '../../platform/ids/id';
import { type FieldProblem, problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { SECOND_MS } from '../../platform/time/time-units';
import { WebsiteService } from '../../website/website.service';
import { monitoredShare } from './monitored-share';
import {
  DEFAULT_TARGET,
  MAX_LISTED,
  MAX_REPORTED,
  type ReportEndpointView,
  type ReportOutagesQuery,
  type ReportOutageView,
  type ReportSelectionQuery,
  type ReportTotalView,
  type UptimeFiguresView,
  type UptimeReportQuery,
  type UptimeReportView,
} from './report.dto';
import { dateOf, type ReportMonth, readReportMonth } from './report-month';
import { type EndpointFacts, type ReportEndpoint, ReportReader } from './report-reader';
import { coverageOf, judge, totalOf, uptimeByDay, type UptimeSeconds } from './uptime-sums';

const DEFAULT_OUTAGES = 100;

interface OutageRow {
  endpointId: string;
  startedMs: number;
  endedMs: number | null;
  error: number;
  message: string;
  planned: boolean;
}

/** The month and endpoints of a report, after its query was checked. */
interface Selected {
  month: ReportMonth;
  endpoints: ReportEndpoint[];
  now: Date;
}

/** Reports how available endpoints were in a month, compared with a target. */
@Injectable()
export class ReportService {
  constructor(
    private readonly reader: ReportReader,
    private readonly database: Database,
    private readonly zones: OrganizationZones,
    private readonly websites: WebsiteService,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the report. Throws: `not_found` for an unknown website, `invalid_query` for an invalid month and for too many
   * endpoints. Cost: ten statements for any number of endpoints. They read up to 744 hourly rows per endpoint.
   */
  async uptime(orgId: string, query: UptimeReportQuery): Promise<UptimeReportView> {
    const { month, endpoints, now } = await this.select(orgId, query);
    const target = query.target ?? DEFAULT_TARGET;
    const until = Math.min(month.to, now.getTime());
    const period = { bounds: month.bounds, until };
    const [facts, incidents, outages] = await Promise.all([
      this.reader.facts(orgId, endpoints, period),
      this.reader.incidents(orgId, endpoints, period),
      this.outageRows(endpoints, month.from, until, null, MAX_LISTED),
    ]);
    const judged = {
      target: target / 100,
      elapsed: (until - month.from) / SECOND_MS,
      remaining: (month.to - until) / SECOND_MS,
    };
    const days = endpoints.map(({ id, intervalSeconds }, at) => {
      const { checks, planned, downtime } = facts[at] ?? NO_FACTS;
      const shareOf = monitoredShare(checks, intervalSeconds);
      return uptimeByDay(period, { madeMs: madeAtMs(id), shareOf, planned, downtime });
    });
    const sums = days.map(totalOf);
    const counted = facts.reduce((sum, { outages: count }) => sum + count, 0);
    const all = {
      ...judged,
      elapsed: judged.elapsed * endpoints.length,
      remaining: judged.remaining * endpoints.length,
    };
    const total: ReportTotalView = {
      ...figures(totalOf(sums), counted, all),
      incidents: incidents.count,
      longest_incident_seconds: rounded(incidents.longest),
      acknowledge_seconds: rounded(incidents.acknowledged),
    };
    return {
      month: month.name,
      timezone: month.timeZone,
      from: iso(month.from),
      to: iso(month.to),
      until: iso(until),
      target,
      total,
      endpoints: endpoints.map((endpoint, at) =>
        endpointView(endpoint, facts[at] ?? NO_FACTS, { month, days: days[at] ?? [], judged }),
      ),
      outages: outages.map((row) => outageView(row, endpoints, now)),
    };
  }

  /** Returns all outages of the selected endpoints in the month, newest first. Throws: the same as `uptime`. */
  async outages(orgId: string, query: ReportOutagesQuery): Promise<Page<ReportOutageView>> {
    const { month, endpoints, now } = await this.select(orgId, query);
    const until = Math.min(month.to, now.getTime());
    const page = await this.cursors.paginate({
      orgId,
      list: `report-outages ${month.name} ${month.timeZone} ${query.website_id ?? ''} ${query.tag ?? ''}`,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_OUTAGES,
      read: (after, count) => this.outageRows(endpoints, month.from, until, after, count),
      idOf: ({ startedMs, endpointId }) => `${startedMs} ${endpointId}`,
    });
    return page.map((row) => outageView(row, endpoints, now));
  }

  /** Checks the selection in the body of a link. Throws: `not_found`, and `validation_failed` instead of `invalid_query`. */
  async check(orgId: string, body: ReportSelectionQuery): Promise<ReportMonth> {
    return (await this.select(orgId, body, '/')).month;
  }

  private async select(orgId: string, query: ReportSelectionQuery, prefix: '?' | '/' = '?'): Promise<Selected> {
    const refused = (field: string, code: FieldProblem['code'], message: string) => {
      const found: FieldProblem[] = [{ pointer: `${prefix}${field}`, code, message }];
      return prefix === '?' ? problems.invalidQuery(found) : problems.validationFailed(found);
    };
    const now = this.clock.now();
    const timeZone = query.timezone ?? (await this.zones.of(orgId));
    const month = readReportMonth(query.month, timeZone, now);
    if (typeof month === 'string') throw refused('month', 'invalid_format', month);
    const websiteId = query.website_id === undefined ? null : parseId('website', query.website_id);
    if (websiteId !== null) await this.websites.get(orgId, websiteId);
    const endpoints = await this.reader.endpoints(orgId, { websiteId, tag: query.tag ?? null }, MAX_REPORTED + 1);
    if (endpoints.length > MAX_REPORTED) throw refused('tag', 'out_of_range', TOO_MANY);
    return { month, endpoints, now };
  }

  /** Returns outages that overlap the period, newest first. `after` is the position of the last row of a page. */
  private outageRows(
    endpoints: readonly ReportEndpoint[],
    from: number,
    until: number,
    after: string | null,
    limit: number,
  ): Promise<OutageRow[]> {
    const [startedMs = null, id = null] = after?.split(' ') ?? [];
    return this.database.query<OutageRow>(OUTAGES, [
      endpoints.map(({ key }) => key),
      endpoints.map((endpoint) => endpoint.id),
      new Date(from),
      new Date(until),
      startedMs === null ? null : new Date(Number(startedMs)),
      id,
      limit,
    ]);
  }
}

const TOO_MANY = `a report covers at most ${MAX_REPORTED} endpoints; choose a website or a tag`;

/** Cost: each endpoint's outages in the month by key, at most as many as are listed. */
const OUTAGES = `
  SELECT k.id AS "endpointId", ${epochMs('o.started_at')} AS "startedMs", ${epochMs('o.ended_at')} AS "endedMs", o.error,
         o.error_message AS message, o.planned
    FROM unnest($1::bigint[], $2::uuid[]) AS k (key, id)
   CROSS JOIN LATERAL (
     SELECT started_at, ended_at, error, error_message, planned FROM outage
      WHERE endpoint_key = k.key AND started_at < $4 AND (ended_at IS NULL OR ended_at > $3)
        AND ($5::timestamptz IS NULL OR (started_at, k.id) < ($5, $6::uuid))
      ORDER BY started_at DESC LIMIT $7) o
   ORDER BY o.started_at DESC, k.id DESC LIMIT $7`;

const NO_FACTS: EndpointFacts = {
  checks: { days: [], known: [], unknown: [], planned: [], full: [], partial: [], shares: [] },
  counts: { up: 0, down: 0, unknown: 0, planned: 0 },
  planned: [],
  downtime: new Map(),
  outages: 0,
};

/** The target and the lengths that sums are compared with. Durations are in seconds, the target is from 0 to 1. */
interface Measure {
  target: number;
  elapsed: number;
  remaining: number;
}

const iso = (ms: number): string => new Date(ms).toISOString();
const rounded = (seconds: number | null): number | null => (seconds === null ? null : Math.round(seconds));
/** Milliseconds are the precision of outages. */
const exact = (seconds: number): number => Math.round(seconds * 1000) / 1000;

function figures(sum: UptimeSeconds, outages: number, { target, elapsed, remaining }: Measure): UptimeFiguresView {
  const { availability, allowed, budgetUsed, verdict } = judge(sum, target, remaining);
  return {
    availability,
    coverage: coverageOf(sum, elapsed),
    downtime_seconds: exact(sum.down),
    allowed_seconds: exact(allowed),
    budget_left_seconds: exact(allowed - sum.down),
    budget_used: budgetUsed,
    planned_seconds: exact(sum.planned),
    outages,
    verdict,
  };
}

function endpointView(
  { id, name, websiteId, websiteName }: ReportEndpoint,
  { counts, outages }: EndpointFacts,
  { month, days, judged }: { month: ReportMonth; days: readonly UptimeSeconds[]; judged: Measure },
): ReportEndpointView {
  return {
    id: formatId('endpoint', id),
    name,
    website_id: formatId('website', websiteId),
    website_name: websiteName,
    ...figures(totalOf(days), outages, judged),
    checks: counts.up + counts.down,
    failures: counts.down,
    unknown: counts.unknown,
    days: days.map(({ counted, down, planned }, day) => ({
      date: dateOf(month, day),
      availability: counted === 0 ? null : 1 - down / counted,
      downtime_seconds: exact(down),
      planned_seconds: exact(planned),
    })),
  };
}

function outageView(row: OutageRow, endpoints: readonly ReportEndpoint[], now: Date): ReportOutageView {
  const endpoint = endpoints.find(({ id }) => id === row.endpointId);
  const code = errorCodeAt(row.error);
  return {
    endpoint_id: formatId('endpoint', row.endpointId),
    endpoint_name: endpoint?.name ?? '',
    website_name: endpoint?.websiteName ?? '',
    started_at: iso(row.startedMs),
    ended_at: row.endedMs === null ? null : iso(row.endedMs),
    duration_seconds: exact(Math.max(0, (row.endedMs ?? now.getTime()) - row.startedMs) / SECOND_MS),
    error: code === null ? null : { code, message: row.message },
    planned: row.planned,
  };
}
