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

interface DayRow {
  endpoint_id: string;
  day: string;
  up: number;
  down: number;
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

  /** `null` when no published page has that slug. */
  async read(slug: string): Promise<StatusSnapshot | null> {
    const [page] = await this.database.query<{ website_id: string; org_id: string }>(
      'SELECT website_id, org_id FROM status_page WHERE slug = $1 AND enabled',
      [slug],
    );
    if (!page) return null;
    const now = this.clock.now();
    const since = new Date(floorTo(now.getTime(), DAY_MS) - (DAYS - 1) * DAY_MS);
    const [website, items, days, outages] = await Promise.all([
      this.websites.get(page.org_id, page.website_id),
      this.overview.list(
        { orgId: page.org_id, role: 'read' },
        { website_id: formatId('website', page.website_id), limit: MAX_ENDPOINTS },
      ),
      this.database.query<DayRow>(DAY_COUNTS, [page.website_id, since]),
      this.database.query<OutageRow>(OUTAGES, [page.website_id, since, MAX_OUTAGES]),
    ]);
    const counts = new Map(days.map((row) => [`${formatId('endpoint', row.endpoint_id)} ${row.day}`, row]));
    return {
      slug,
      name: website.name,
      status: website.status,
      updated_at: now.toISOString(),
      endpoints: items.items.map((item) => ({
        name: item.name,
        status: item.status,
        days: datesFrom(since).map((date) => {
          const row = counts.get(`${item.id} ${date}`);
          return { date, up: row?.up ?? 0, down: row?.down ?? 0 };
        }),
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

const DAY_COUNTS = `
  SELECT endpoint_id, day::text AS day, sum(up)::int AS up, sum(down)::int AS down
    FROM endpoint_day WHERE website_id = $1 AND day >= ($2::timestamptz AT TIME ZONE 'UTC')::date
   GROUP BY endpoint_id, day`;

const OUTAGES = `
  SELECT endpoint_name, started_at, ended_at, error FROM endpoint_outage
   WHERE website_id = $1 AND COALESCE(ended_at, now()) >= $2
   ORDER BY started_at DESC LIMIT $3`;
