import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/access/caller';
import { Database } from '../../platform/database/database';
import { Cursors } from '../../platform/http/cursors';
import type { Page } from '../../platform/http/page';
import { NIL_UUID, parseId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { WebsiteService } from '../../website/website.service';
import type { OverviewRow } from './overview-row';
import { type OverviewItemView, type OverviewQuery, toOverviewItem } from './overview.dto';
import { HOUR_MS } from '../../platform/time/time-units';

const DEFAULT_LIMIT = 1000;

/** Single checks that one response may read for endpoints without a summary: about 10 ms. */
const MAX_SINGLE_CHECKS = 20_000;

/** All endpoints of an organization at a glance, from their summaries. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly database: Database,
    private readonly websites: WebsiteService,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  async list({ orgId, role }: Pick<Caller, 'orgId' | 'role'>, query: OverviewQuery): Promise<Page<OverviewItemView>> {
    const websiteId = await this.websiteOf(orgId, query.website_id);
    let total = 0;
    const page = await this.cursors.paginate({
      orgId,
      list: `overview:${websiteId ?? ''}`,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      read: async (after, limit) => {
        const [rows, counted] = await Promise.all([
          this.database.query<OverviewRow>(PAGE, [orgId, after ?? NIL_UUID, websiteId, limit]),
          this.database.query<{ total: number }>(COUNT, [orgId, websiteId]),
        ]);
        total = counted[0]?.total ?? 0;
        return rows;
      },
      idOf: (row) => row.id,
      total: () => total,
    });
    const newEndpoints = await this.newEndpointLatencies(page.items);
    return page.map((row) =>
      toOverviewItem(row, summarized(row.p95_24h_us) ?? newEndpoints.get(row.key) ?? null, role),
    );
  }

  /** Throws `not_found` for a website of another organization and `invalid_query` for a malformed id. */
  private async websiteOf(orgId: string, text: string | undefined): Promise<string | null> {
    if (text === undefined) return null;
    const id = parseId('website', text);
    if (id === null) {
      throw problems.invalidQuery([
        { pointer: '?website_id', code: 'invalid_format', message: 'website_id must be an id like ws_…' },
      ]);
    }
    await this.websites.get(orgId, id);
    return id;
  }

  /** The p95 of new endpoints, with up checks but no full hour yet; read from single checks unless those are too many. */
  private async newEndpointLatencies(rows: readonly OverviewRow[]): Promise<Map<string, number>> {
    const newEndpoints = rows.filter((row) => summarized(row.p95_24h_us) === null && row.hour_up + row.before_up > 0);
    const checks = newEndpoints.reduce((sum, row) => sum + row.hour_up + row.before_up, 0);
    if (newEndpoints.length === 0 || checks > MAX_SINGLE_CHECKS) return new Map();
    const latencies = await this.database.query<{ key: string; p95_us: number }>(NEW_ENDPOINT_P95, [
      newEndpoints.map((row) => row.key),
      new Date(this.clock.now().getTime() - 2 * HOUR_MS),
    ]);
    return new Map(latencies.map((row) => [row.key, row.p95_us]));
  }
}

const summarized = (p95Us: number | null): number | null => (p95Us === null || p95Us < 0 ? null : p95Us);

const milliseconds = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float8 AS ${column}`;

const PAGE = `
  SELECT id, key, name, url, type, active, website_id, website_name, status, last_error, recent, alert_open,
         hour_up, hour_down, hour_unknown, before_up, before_down, before_unknown,
         up_24h, down_24h, unknown_24h, up_7d, down_7d, up_30d, down_30d, up_90d, down_90d, p95_24h_us,
         ${['status_since', 'last_checked_at', 'certificate_expires_at', 'hour_start', 'until'].map(milliseconds).join(', ')}
    FROM endpoint_overview
   WHERE org_id = $1 AND id > $2 AND ($3::uuid IS NULL OR website_id = $3)
   ORDER BY id LIMIT $4`;

const COUNT = `
  SELECT count(*)::integer AS total FROM endpoint WHERE org_id = $1 AND ($2::uuid IS NULL OR website_id = $2)`;

const NEW_ENDPOINT_P95 = `
  SELECT endpoint_key AS key, percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_us) AS p95_us
    FROM check_result
   WHERE endpoint_key = ANY ($1::bigint[]) AND checked_at >= $2 AND outcome & 3 = 1
   GROUP BY endpoint_key`;
