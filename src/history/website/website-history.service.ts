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

/** How all endpoints of a website were, day by day. */
@Injectable()
export class WebsiteHistoryService {
  constructor(
    private readonly database: Database,
    private readonly websites: WebsiteService,
    private readonly clock: Clock,
  ) {}

  /** Throws `not_found`. */
  async read(orgId: string, websiteId: string, query: WebsiteHistoryQuery): Promise<WebsiteHistoryView> {
    const now = this.clock.now();
    const days = daysRead(query.days ?? MOST_DAYS, await this.websites.endpointsOf(orgId, websiteId));
    const first = dayNumber(now) - days + 1;
    const since = dayText(first);
    const [counted, outages] = await Promise.all([
      this.database.query<WebsiteDayView>(DAYS, [orgId, websiteId, since]),
      this.database.query<WebsiteOutageRow>(OUTAGES, [orgId, websiteId, new Date(first * DAY_MS), MOST_OUTAGES]),
    ]);
    return {
      since,
      days: counted,
      outages: outages.map((row) => ({
        endpoint_id: formatId('endpoint', row.endpoint_id),
        endpoint_name: row.endpoint_name,
        ...toOutageView(row, now),
      })),
    };
  }
}

// Cost: the daily stats of each of its endpoints, which are kept for a year and a month, added up to a row a day.
const DAYS = `
  SELECT to_char(day, 'YYYY-MM-DD') AS date, sum(up)::float8 AS up, sum(down)::float8 AS down,
         sum(unknown)::float8 AS unknown, sum(planned)::float8 AS planned
    FROM endpoint_day WHERE org_id = $1 AND website_id = $2 AND day >= $3::date
   GROUP BY day HAVING sum(up + down + unknown + planned) > 0 ORDER BY day`;

// Cost: of each endpoint its newest outages by their key, as many as are listed, and no more.
const OUTAGES = `
  SELECT e.id AS endpoint_id, e.name AS endpoint_name, o.*
    FROM endpoint e
   CROSS JOIN LATERAL (SELECT started_at, ended_at, error, error_message, planned FROM outage
                        WHERE endpoint_key = e.key AND (ended_at IS NULL OR ended_at >= $3)
                        ORDER BY started_at DESC LIMIT $4) o
   WHERE e.org_id = $1 AND e.website_id = $2
   ORDER BY o.started_at DESC, e.id LIMIT $4`;
