import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { formatId } from '../../platform/ids/id';
import { Clock } from '../../platform/time/clock';
import { DAY_MS, dayNumber, dayText } from '../../platform/time/time-units';
import { WebsiteService } from '../../website/website.service';
import { type OutageRow, toOutageView } from '../read/outage-reader';
import { daysRead } from './days-read';
import {
  MOST_DAYS,
  type WebsiteDayView,
  type WebsiteHistoryQuery,
  type WebsiteHistoryView,
} from './website-history.dto';

const MOST_OUTAGES = 50;

interface WebsiteOutageRow extends OutageRow {
  endpoint_id: string;
  endpoint_name: string;
}

/** Reads the combined daily history of all endpoints in a website. */
@Injectable()
export class WebsiteHistoryService {
  constructor(
    private readonly database: Database,
    private readonly websites: WebsiteService,
    private readonly clock: Clock,
  ) {}

  /** Throws: `not_found`. */
  async read(orgId: string, websiteId: string, query: WebsiteHistoryQuery): Promise<WebsiteHistoryView> {
    const now = this.clock.now();
    const days = daysRead(query.days ?? MOST_DAYS, await this.websites.endpointsOf(orgId, websiteId));
    const first = dayNumber(now) - days + 1;
    const since = new Date(first * DAY_MS);
    const [counted, outages] = await Promise.all([
      this.database.query<WebsiteDayView>(DAYS, [orgId, websiteId, since]),
      this.database.query<WebsiteOutageRow>(OUTAGES, [orgId, websiteId, since, MOST_OUTAGES]),
    ]);
    return {
      since: dayText(first),
      days: counted,
      outages: outages.map((row) => ({
        endpoint_id: formatId('endpoint', row.endpoint_id),
        endpoint_name: row.endpoint_name,
        ...toOutageView(row, now),
      })),
    };
  }
}

/**
 * Reads built days, then built hours, then the current counters, like the `endpoint_day` view. Processes one endpoint
 * at a time, because the view joins the days of all organizations. Cost: the daily stats, limited by `daysRead` and
 * each found by key, plus the hours of at most two days.
 */
const DAYS = `
  WITH built AS (SELECT max(done_until) FILTER (WHERE name = 'day') AS days, max(done_until) FILTER (WHERE name = 'hour') AS hours
                   FROM history_progress)
  SELECT to_char(d.at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS date, sum(d.up)::float8 AS up, sum(d.down)::float8 AS down,
         sum(d.unknown)::float8 AS unknown, sum(d.planned)::float8 AS planned
    FROM built
   CROSS JOIN endpoint e
   CROSS JOIN LATERAL (
     SELECT start_at AS at, up, down, unknown, planned FROM check_day
      WHERE endpoint_key = e.key AND start_at >= $3 AND start_at < built.days
      UNION ALL
     SELECT start_at, up, down, unknown, planned FROM check_hour
      WHERE endpoint_key = e.key AND start_at >= greatest($3, built.days) AND start_at < built.hours
      UNION ALL
     SELECT hour_start, hour_up, hour_down, hour_unknown, hour_planned FROM endpoint_state
      WHERE endpoint_id = e.id AND hour_start >= greatest($3, built.hours)
      UNION ALL
     SELECT hour_start - interval '1 hour', before_up, before_down, before_unknown, before_planned FROM endpoint_state
      WHERE endpoint_id = e.id AND hour_start - interval '1 hour' >= greatest($3, built.hours)) d
   WHERE e.org_id = $1 AND e.website_id = $2
   GROUP BY 1 HAVING sum(d.up + d.down + d.unknown + d.planned) > 0 ORDER BY 1`;

// Cost: each endpoint's latest outages by key, at most as many as are listed.
const OUTAGES = `
  SELECT e.id AS endpoint_id, e.name AS endpoint_name, o.*
    FROM endpoint e
   CROSS JOIN LATERAL (SELECT started_at, ended_at, error, error_message, planned FROM outage
                        WHERE endpoint_key = e.key AND (ended_at IS NULL OR ended_at >= $3)
                        ORDER BY started_at DESC LIMIT $4) o
   WHERE e.org_id = $1 AND e.website_id = $2
   ORDER BY o.started_at DESC, e.id LIMIT $4`;
