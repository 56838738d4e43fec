import { Injectable } from '@nestjs/common';
import { Quotas } from '../identity/quota/quotas.service';
import type { Caller } from '../platform/access/caller';
import { Database, type Sql, type Tx } from '../platform/database/database';
import { Cursors, LARGE_ROWS } from '../platform/http/cursors';
import type { Page, PageQuery } from '../platform/http/page';
import { problems } from '../platform/problem/problem';
import { NIL_UUID } from '../platform/ids/id';
import { selectColumns } from '../platform/database/select-columns';
import { type EndpointRow, type EndpointView, toEndpointView } from './endpoint.dto';
import { Endpoint, type EndpointSettings } from './endpoint.entity';
import { EndpointSettingsResolver } from './endpoint-settings';
import { withoutCredentials } from './settings/shown-settings';

const DEFAULT_LIMIT = 1000;

const SELECT = `SELECT ${selectColumns(Endpoint, 'e')},
    w.name AS "group", w.enabled AS "websiteEnabled", s.status AS state, s.last_checked_at AS "lastCheckedAt"
  FROM endpoint e JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL JOIN endpoint_state s ON s.endpoint_id = e.id`;

/** The rows of endpoints: read for the API, and written within what the organization may have. */
@Injectable()
export class EndpointRepository {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly settings: EndpointSettingsResolver,
    private readonly quotas: Quotas,
  ) {}

  /**
   * A new endpoint with its state, on a locked website. `endpoint_state` has no entity: the recorder writes it in sets.
   * Throws `quota_exceeded`.
   */
  async insert(
    tx: Tx,
    identity: Pick<Endpoint, 'id' | 'orgId' | 'websiteId'>,
    settings: EndpointSettings,
  ): Promise<void> {
    const wanted = { endpoints: 1, checks_per_second: 1 / settings.intervalSeconds };
    await this.quotas.claim(tx, identity.orgId, wanted);
    await tx.manager.insert(Endpoint, { ...identity, ...settings });
    await tx.query(
      'INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM endpoint WHERE id = $1',
      [identity.id],
    );
  }

  /** New settings of a locked endpoint. Throws `quota_exceeded` when it asks for more checks per second than there are left. */
  async save(tx: Tx, endpoint: Endpoint, settings: EndpointSettings & { revision: number }): Promise<void> {
    const moreChecks = 1 / settings.intervalSeconds - 1 / endpoint.intervalSeconds;
    if (moreChecks > 0) await this.quotas.claim(tx, endpoint.orgId, { checks_per_second: moreChecks });
    await tx.manager.update(Endpoint, { id: endpoint.id }, { ...settings, updatedAt: new Date() });
  }

  /** One statement for the page, one for the count. */
  async list(caller: Caller, websiteId: string, query: PageQuery): Promise<Page<EndpointView>> {
    const { orgId } = caller;
    const page = await this.cursors.paginate<EndpointRow>({
      orgId,
      list: `endpoints:${websiteId}`,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      rowsAtOnce: LARGE_ROWS,
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

  /** A read key sees no credential. */
  private toView(row: EndpointRow, { role }: Caller): EndpointView {
    const view = toEndpointView(row, this.settings.shownHeaders(row.id, row.headers, role));
    return role === 'read' ? withoutCredentials(view) : view;
  }
}
