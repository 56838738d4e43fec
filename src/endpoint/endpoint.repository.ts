import { Injectable } from '@nestjs/common';
import { Quotas } from '../identity/quota/quotas.service';
import type { Caller } from '../platform/access/caller';
import { Database, type Sql, type Tx } from '../platform/database/database';
import { Cursors, LARGE_ROWS } from '../platform/http/cursors';
import type { Page, PageQuery } from '../platform/http/page';
import { problems } from '../platform/problem/problem';
import type { Website } from '../website/website.entity';
import { NIL_UUID } from '../platform/ids/id';
import { selectColumns } from '../platform/database/select-columns';
import { type EndpointRow, type EndpointView, toEndpointView } from './endpoint.dto';
import { Endpoint, type EndpointSettings } from './endpoint.entity';
import { EndpointSettingsResolver } from './endpoint-settings';
import { withoutCredentials } from './settings/shown-settings';

const DEFAULT_LIMIT = 1000;

const select = (endpoints: string): string => `SELECT ${selectColumns(Endpoint, 'e')},
    w.name AS "group", w.enabled AS "websiteEnabled", s.status AS state, s.last_checked_at AS "lastCheckedAt"
  FROM ${endpoints} e JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL JOIN endpoint_state s ON s.endpoint_id = e.id
 WHERE e.org_id = $1`;

const ONE = `${select('endpoint')} AND e.id = $2`;
const SOME = `${select('endpoint')} AND e.id = ANY ($2::uuid[]) ORDER BY e.id`;

/**
 * The page is cut off before anything is joined, and by the whole order of one index: with `website_id = $2 ORDER BY id` the
 * planner may walk over all endpoints in the order of ids until it has met enough of this website.
 */
const PAGE = `${select(`(
    SELECT * FROM endpoint WHERE (website_id, id) > ($2::uuid, $3::uuid) AND website_id <= $2::uuid
     ORDER BY website_id, id LIMIT $4)`)} ORDER BY e.id`;

/** An endpoint that is about to be stored. */
export interface NewEndpoint {
  id: string;
  settings: EndpointSettings;
}

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
   * New endpoints with their states, on a locked website. `endpoint_state` has no entity: the recorder writes it in sets.
   * Throws `quota_exceeded`.
   */
  async insert(tx: Tx, website: Pick<Website, 'id' | 'orgId'>, endpoints: readonly NewEndpoint[]): Promise<void> {
    const checksPerSecond = endpoints.reduce((sum, { settings }) => sum + 1 / settings.intervalSeconds, 0);
    await this.quotas.claim(tx, website.orgId, { endpoints: endpoints.length, checks_per_second: checksPerSecond });
    const owner = { orgId: website.orgId, websiteId: website.id };
    await tx.manager.insert(
      Endpoint,
      endpoints.map(({ id, settings }) => ({ id, ...owner, ...settings })),
    );
    await tx.query(
      'INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM endpoint WHERE id = ANY ($1::uuid[])',
      [endpoints.map(({ id }) => id)],
    );
  }

  /** New settings of a locked endpoint. Throws `quota_exceeded` when it asks for more checks per second than there are left. */
  async save(
    tx: Tx,
    endpoint: Endpoint,
    settings: EndpointSettings & Pick<Endpoint, 'revision' | 'websiteId'>,
  ): Promise<void> {
    const moreChecks = 1 / settings.intervalSeconds - 1 / endpoint.intervalSeconds;
    if (moreChecks > 0) await this.quotas.claim(tx, endpoint.orgId, { checks_per_second: moreChecks });
    await tx.manager.update(Endpoint, { id: endpoint.id }, { ...settings, updatedAt: new Date() });
  }

  /** One statement for the page, or a few where rows are large. `total`: how many the website has. */
  async list(caller: Caller, websiteId: string, query: PageQuery, total: number): Promise<Page<EndpointView>> {
    const { orgId } = caller;
    const page = await this.cursors.paginate<EndpointRow>({
      orgId,
      list: `endpoints:${websiteId}`,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      rowsAtOnce: LARGE_ROWS,
      idOf: (row) => row.id,
      read: (after, count) => this.database.query<EndpointRow>(PAGE, [orgId, websiteId, after ?? NIL_UUID, count]),
      total: () => total,
    });
    return page.map((row) => this.toView(row, caller));
  }

  async view(sql: Sql, caller: Caller, id: string): Promise<EndpointView> {
    const [row] = await sql.query<EndpointRow>(ONE, [caller.orgId, id]);
    if (!row) throw problems.notFound();
    return this.toView(row, caller);
  }

  /** In the order in which they were made. */
  async viewAll(caller: Caller, ids: readonly string[]): Promise<EndpointView[]> {
    const rows = await this.database.query<EndpointRow>(SOME, [caller.orgId, ids]);
    return rows.map((row) => this.toView(row, caller));
  }

  /** A read key sees no credential. */
  private toView(row: EndpointRow, { role }: Caller): EndpointView {
    const view = toEndpointView(row, this.settings.shownHeaders(row.id, row.headers, role));
    return role === 'read' ? withoutCredentials(view) : view;
  }
}
