import { Injectable } from '@nestjs/common';
import type { EndpointStatus } from '../endpoint/endpoint.dto';
import { errorCodeAt } from '../history/check-encoding';
import { OverviewService } from '../history/overview/overview.service';
import { Database } from '../platform/database/database';
import { formatId } from '../platform/ids/id';
import { Clock } from '../platform/time/clock';
import { DAY_MS, floorTo } from '../platform/time/time-units';
import { WebsiteService } from '../website/website.service';

export const DAYS = 90;
/** A page shows no more than that. */
const MAX_ENDPOINTS = 200;
const MAX_OUTAGES = 20;

/** The checks of one endpoint on one UTC day. */
export interface StatusDay {
  date: string;
  up: number;
  down: number;
}

export interface StatusEndpoint {
  name: string;
  status: EndpointStatus;
  /** Oldest first, always `DAYS` of them. */
  days: StatusDay[];
}

export interface StatusOutage {
  endpoint: string;
  started_at: string;
  ended_at: string | null;
  /** The stable error code in words; never text from the target. */
  reason: string | null;
}

/** Everything a public page may show. What is not in it cannot leak. */
export interface StatusSnapshot {
  slug: string;
  name: string;
  status: EndpointStatus;
  updated_at: string;
  endpoints: StatusEndpoint[];
  outages: StatusOutage[];
}

/** A page that everybody may see. */
export interface PublishedPage {
  slug: string;
  orgId: string;
  websiteId: string;
}

/** The days of one endpoint that have checks: days after the first one shown, and the checks of each. */
interface DaysRow {
  endpoint_id: string;
  days: number[];
  up: number[];
  down: number[];
}

interface OutageRow {
  endpoint_name: string;
  started_at: Date;
  ended_at: Date | null;
  error: number;
}

/** up / (up + down) over the newest days; `null` without such a check. */
export function uptimeOf(days: readonly StatusDay[], newest = DAYS): number | null {
  const counted = days.slice(-newest);
  const up = counted.reduce((sum, day) => sum + day.up, 0);
  const down = counted.reduce((sum, day) => sum + day.down, 0);
  return up + down === 0 ? null : up / (up + down);
}

/** Reads what a public page shows. */
@Injectable()
export class StatusSnapshots {
  constructor(
    private readonly database: Database,
    private readonly websites: WebsiteService,
    private readonly overview: OverviewService,
    private readonly clock: Clock,
  ) {}

  /** `null` when no published page has that slug. One probe of an index. */
  async find(slug: string): Promise<PublishedPage | null> {
    const [page] = await this.database.query<PublishedPage>(
      'SELECT slug, org_id AS "orgId", website_id AS "websiteId" FROM status_page WHERE slug = $1 AND enabled',
      [slug],
    );
    return page ?? null;
  }

  /** Costs up to 200 endpoints times 90 days of rows; ask `PublicPages`, which keeps it. */
  async read({ slug, orgId, websiteId }: PublishedPage): Promise<StatusSnapshot> {
    const now = this.clock.now();
    const since = new Date(floorTo(now.getTime(), DAY_MS) - (DAYS - 1) * DAY_MS);
    const [website, items, days, outages] = await Promise.all([
      this.websites.get(orgId, websiteId),
      this.overview.list({ orgId, role: 'read' }, { website_id: formatId('website', websiteId), limit: MAX_ENDPOINTS }),
      this.database.query<DaysRow>(DAY_COUNTS, [websiteId, since]),
      this.database.query<OutageRow>(OUTAGES, [websiteId, since, MAX_OUTAGES]),
    ]);
    const counts = new Map(days.map((row) => [formatId('endpoint', row.endpoint_id), row]));
    const dates = datesFrom(since);
    return {
      slug,
      name: website.name,
      status: website.status,
      updated_at: now.toISOString(),
      endpoints: items.items.map((item) => ({
        name: item.name,
        status: item.status,
        days: daysOf(dates, counts.get(item.id)),
      })),
      outages: outages.map((row) => ({
        endpoint: row.endpoint_name,
        started_at: row.started_at.toISOString(),
        ended_at: row.ended_at?.toISOString() ?? null,
        reason: errorCodeAt(row.error)?.replaceAll('_', ' ') ?? null,
      })),
    };
  }
}

const datesFrom = (since: Date): string[] =>
  Array.from({ length: DAYS }, (_, index) => new Date(since.getTime() + index * DAY_MS).toISOString().slice(0, 10));

function daysOf(dates: readonly string[], row: DaysRow | undefined): StatusDay[] {
  const days = dates.map((date) => ({ date, up: 0, down: 0 }));
  for (const [i, index] of (row?.days ?? []).entries()) {
    const day = days[index];
    if (!row || !day) continue;
    day.up = row.up[i] ?? 0;
    day.down = row.down[i] ?? 0;
  }
  return days;
}

/** One row per endpoint: eighteen thousand would take the event loop longer than the database. */
const DAY_COUNTS = `
  SELECT endpoint_id, array_agg(day) AS days, array_agg(up) AS up, array_agg(down) AS down
    FROM (
      SELECT endpoint_id, day - ($2::timestamptz AT TIME ZONE 'UTC')::date AS day, sum(up)::int AS up, sum(down)::int AS down
        FROM endpoint_day WHERE website_id = $1 AND day >= ($2::timestamptz AT TIME ZONE 'UTC')::date
       GROUP BY endpoint_id, day
    ) d
   GROUP BY endpoint_id`;

const OUTAGES = `
  SELECT endpoint_name, started_at, ended_at, error FROM endpoint_outage
   WHERE website_id = $1 AND COALESCE(ended_at, now()) >= $2
   ORDER BY started_at DESC LIMIT $3`;
