import { Injectable } from '@nestjs/common';
import type { Caller } from '../platform/access/caller';
import { Database, type Sql } from '../platform/database/database';
import { Cursors } from '../platform/http/cursors';
import type { Page, PageQuery } from '../platform/http/page';
import { problems } from '../platform/problem/problem';
import { type EndpointView, toEndpointView } from './endpoint.dto';
import { EndpointSettingsRules } from './endpoint-settings';
import type { Endpoint } from './endpoint.entity';
import { NIL_UUID } from '../platform/ids/id';

// Aliased to the entity's names: a row is an entity with what is derived beside it, without hydration.
const SELECT = `SELECT e.id, e.key::text AS key, e.org_id AS "orgId", e.website_id AS "websiteId", e.name, e.url, e.type, e.method,
    e.interval_seconds AS "intervalSeconds", e.timeout_seconds AS "timeoutSeconds", e.enabled, e.headers, e.body,
    e.follow_redirects AS "followRedirects", e.assertions, e.revision, e.created_at AS "createdAt", e.updated_at AS "updatedAt",
    w.name AS "group", w.enabled AS "websiteEnabled", s.status AS state, s.last_checked_at AS "lastCheckedAt"
  FROM endpoint e JOIN website w ON w.id = e.website_id JOIN endpoint_state s ON s.endpoint_id = e.id`;

type Row = Endpoint & { group: string; websiteEnabled: boolean; state: number; lastCheckedAt: Date | null };

/** Reads endpoints for the API. */
@Injectable()
export class EndpointRepository {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly rules: EndpointSettingsRules,
  ) {}

  async list(caller: Caller, websiteId: string, query: PageQuery): Promise<Page<EndpointView>> {
    const limit = query.limit ?? 1000;
    const list = `endpoints:${websiteId}`;
    const after = this.cursors.decode(caller.orgId, list, query.cursor) ?? NIL_UUID;
    const rows = await this.database.query<Row>(
      `${SELECT} WHERE e.org_id = $1 AND e.website_id = $2 AND e.id > $3 ORDER BY e.id LIMIT $4`,
      [caller.orgId, websiteId, after, limit + 1],
    );
    const [count] = await this.database.query<{ total: number }>(
      'SELECT count(*)::int AS total FROM endpoint WHERE org_id = $1 AND website_id = $2',
      [caller.orgId, websiteId],
    );
    return this.cursors
      .page(caller.orgId, list, rows, limit, (row) => row.id, count?.total ?? 0)
      .map((row) => this.toView(row, caller));
  }

  async view(sql: Sql, caller: Caller, id: string): Promise<EndpointView> {
    const [row] = await sql.query<Row>(`${SELECT} WHERE e.org_id = $1 AND e.id = $2`, [caller.orgId, id]);
    if (!row) throw problems.notFound();
    return this.toView(row, caller);
  }

  private toView(row: Row, caller: Caller): EndpointView {
    return toEndpointView({ endpoint: row, ...row }, this.rules.openHeaders(row.id, row.headers), caller.role);
  }
}
