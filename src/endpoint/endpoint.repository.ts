import { Injectable } from '@nestjs/common';
import type { Caller } from '../platform/access/caller';
import { Database, type Sql } from '../platform/database/database';
import { Cursors } from '../platform/http/cursors';
import type { Page, PageQuery } from '../platform/http/page';
import { problems } from '../platform/problem/problem';
import { isSensitiveHeader } from '../checker/request-headers';
import { NIL_UUID } from '../platform/ids/id';
import { selectColumns } from '../platform/database/select-columns';
import { MASK } from '../platform/secrets/mask';
import { type EndpointRow, type EndpointView, toEndpointView } from './endpoint.dto';
import { Endpoint } from './endpoint.entity';
import { EndpointSettingsResolver } from './endpoint-settings';

const DEFAULT_LIMIT = 1000;

const SELECT = `SELECT ${selectColumns(Endpoint, 'e')},
    w.name AS "group", w.enabled AS "websiteEnabled", s.status AS state, s.last_checked_at AS "lastCheckedAt"
  FROM endpoint e JOIN website w ON w.id = e.website_id JOIN endpoint_state s ON s.endpoint_id = e.id`;

/** Reads endpoints for the API. */
@Injectable()
export class EndpointRepository {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly settings: EndpointSettingsResolver,
  ) {}

  /** One statement for the page, one for the count. */
  async list(caller: Caller, websiteId: string, query: PageQuery): Promise<Page<EndpointView>> {
    const { orgId } = caller;
    const page = await this.cursors.paginate<EndpointRow>({
      orgId,
      list: `endpoints:${websiteId}`,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      idOf: (row) => row.id,
      read: (after, count) =>
        this.database.query<EndpointRow>(
          `${SELECT} WHERE e.org_id = $1 AND e.website_id = $2 AND e.id > $3 ORDER BY e.id LIMIT $4`,
          [orgId, websiteId, after ?? NIL_UUID, count],
        ),
      total: () => this.count(orgId, websiteId),
    });
    return page.map((row) => this.toView(row, caller));
  }

  async view(sql: Sql, caller: Caller, id: string): Promise<EndpointView> {
    const [row] = await sql.query<EndpointRow>(`${SELECT} WHERE e.org_id = $1 AND e.id = $2`, [caller.orgId, id]);
    if (!row) throw problems.notFound();
    return this.toView(row, caller);
  }

  private async count(orgId: string, websiteId: string): Promise<number> {
    const [row] = await this.database.query<{ total: number }>(
      'SELECT count(*)::int AS total FROM endpoint WHERE org_id = $1 AND website_id = $2',
      [orgId, websiteId],
    );
    return row?.total ?? 0;
  }

  /** A read key does not see the values of credentials. */
  private toView(row: EndpointRow, { role }: Caller): EndpointView {
    const isHidden = (key: string) => role === 'read' && isSensitiveHeader(key);
    const headers = this.settings.openHeaders(row.id, row.headers);
    return toEndpointView(
      row,
      headers.map(({ key, value }) => ({ key, value: isHidden(key) ? MASK : value })),
    );
  }
}
