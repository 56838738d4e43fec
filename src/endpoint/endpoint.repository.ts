import { Injectable } from '@nestjs/common';
import { Quotas } from '../identity/quota/quotas.service';
import type { Caller } from '../platform/access/caller';
import { may } from '../platform/access/permissions';
import { Database, type Sql, type Tx } from '../platform/database/database';
import { Cursors, LARGE_ROWS } from '../platform/http/cursors';
import type { Page } from '../platform/http/page';
import { tagged } from '../platform/http/precondition/entity-tags';
import { problems } from '../platform/problem/problem';
import { ProbeDirectory } from '../probe/probe-directory';
import type { Website } from '../website/website.entity';
import { NIL_UUID } from '../platform/ids/id';
import { selectColumns } from '../platform/database/select-columns';
import { updateRows } from '../platform/database/update-rows';
import { type EndpointQuery, type EndpointRow, type EndpointView, toEndpointView } from './endpoint.dto';
import { Endpoint, type EndpointSettings, tagSource } from './endpoint.entity';
import { EndpointSettingsResolver } from './settings/endpoint-settings';
import { LOCATIONS_COLUMN, readByLocation } from './locations/by-location';
import type { EndpointLocation } from './locations/location.dto';
import { holdWatchedProbes, saveNamedLocations } from './locations/location-rows';
import { checksPerSecond } from './locations/locations';
import { CHILDREN_COLUMN, PARENTS_COLUMN } from './suppression/dependencies';
import { type MaintenanceNow, MaintenanceNowLookup } from './suppression/maintenance-now';
import { ACKNOWLEDGEMENT_COLUMNS, JOIN_ACKNOWLEDGEMENT } from './suppression/suppression.dto';
import { insertHeartbeats } from './heartbeat/heartbeat-addresses';
import { HEARTBEAT_COLUMNS, JOIN_HEARTBEAT, type SentAddress, withoutAddress } from './heartbeat/heartbeat.dto';
import { withoutCredentials } from './settings/shown-settings';

const DEFAULT_LIMIT = 1000;
/** The number of rows per statement. A statement may have 65,535 parameters. */
const INSERTED = 1000;

/**
 * Returns a SELECT with all columns of an endpoint view. `endpoints` is the source of the rows of organization $1: a
 * table, or a page that is already limited.
 */
export const selectEndpoints = (endpoints: string): string => `SELECT ${selectColumns(Endpoint, 'e')},
    w.name AS "group", w.enabled AS "websiteEnabled", w.tags AS "websiteTags", s.status AS state,
    s.degraded_since AS "degradedSince", s.last_checked_at AS "lastCheckedAt",
    coalesce(n.located, false) AS located, ${LOCATIONS_COLUMN},
    CASE WHEN n.active AND isfinite(n.next_check_at) THEN n.next_check_at END AS "nextCheckAt", ${PARENTS_COLUMN}, ${CHILDREN_COLUMN}, ${ACKNOWLEDGEMENT_COLUMNS},
    (SELECT m.incident_id FROM incident_member m WHERE m.endpoint_id = e.id AND m.ended_at IS NULL) AS "incidentId",
    ${HEARTBEAT_COLUMNS}
  FROM ${endpoints} e JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL JOIN endpoint_state s ON s.endpoint_id = e.id
  LEFT JOIN endpoint_schedule n ON n.endpoint_id = e.id
  ${JOIN_ACKNOWLEDGEMENT}
  ${JOIN_HEARTBEAT}
 WHERE e.org_id = $1`;

const ONE = `${selectEndpoints('endpoint')} AND e.id = $2`;
const SOME = `${selectEndpoints('endpoint')} AND e.id = ANY ($2::uuid[]) ORDER BY e.id`;

/**
 * The page is limited before any join, by the complete sort order of one index. With `website_id = $2 ORDER BY id`, the
 * planner may scan all endpoints by ID until it has found enough that belong to this website.
 */
const page = (filter = ''): string =>
  `${selectEndpoints(`(
    SELECT * FROM endpoint WHERE (website_id, id) > ($2::uuid, $3::uuid) AND website_id <= $2::uuid ${filter}
     ORDER BY website_id, id LIMIT $4)`)} ORDER BY e.id`;
const PAGE = page();
/**
 * Reads the website's endpoints until the page is full, which takes about 30 ms for 20,000 endpoints. If the website
 * has the tag, all its endpoints have it.
 */
const TAGGED = `$5::text = ANY (tags)`;
const WEBSITE_TAGGED = `EXISTS (SELECT FROM website t WHERE t.id = $2 AND $5::text = ANY (t.tags))`;
const PAGE_OF_TAG = page(`AND (${TAGGED} OR ${WEBSITE_TAGGED})`);

/** The limit for counting a website's endpoints that have a tag. */
const MOST_COUNTED = 1000;
const COUNT_OF_TAG = `
  SELECT count(*)::int AS found FROM (
    SELECT FROM endpoint WHERE website_id = $1 AND ($2::text = ANY (tags)
        OR EXISTS (SELECT FROM website t WHERE t.id = $1 AND $2::text = ANY (t.tags)))
     LIMIT ${MOST_COUNTED + 1}) e`;

export interface NewEndpoint {
  id: string;
  settings: EndpointSettings;
  /** The UUIDs of parents that the transaction has locked. */
  dependsOn: readonly string[];
  /** For a heartbeat: the parts of its ping URL that the client chose. */
  address?: SentAddress;
  /** For a heartbeat: true if it can be late before its first ping. */
  armed?: boolean;
}

/** Data that is read in addition to the rows of a page, by endpoint UUID. */
interface Beside {
  maintenance: MaintenanceNow;
  byLocation: ReadonlyMap<string, EndpointLocation[]>;
}

/** The settings of a locked endpoint before and after a change. */
export interface SavedEndpoint {
  id: string;
  revision: number;
  websiteId: string;
  settings: EndpointSettings;
  before: EndpointSettings;
}

/** Reads endpoints for the API, and writes them within the organization's quotas. */
@Injectable()
export class EndpointRepository {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly settings: EndpointSettingsResolver,
    private readonly quotas: Quotas,
    private readonly maintenance: MaintenanceNowLookup,
    private readonly probes: ProbeDirectory,
  ) {}

  /**
   * Inserts new endpoints of a locked website with their states, but without their dependencies. `endpoint_state` has
   * no entity because the recorder writes it in bulk. Throws: `quota_exceeded`.
   */
  async insert(tx: Tx, website: Pick<Website, 'id' | 'orgId'>, endpoints: readonly NewEndpoint[]): Promise<void> {
    const rate = endpoints.reduce((sum, { settings }) => sum + checksPerSecond(settings), 0);
    await this.quotas.claim(tx, website.orgId, { endpoints: endpoints.length, checks_per_second: rate });
    const owner = { orgId: website.orgId, websiteId: website.id };
    for (let from = 0; from < endpoints.length; from += INSERTED)
      await tx.manager.insert(
        Endpoint,
        endpoints
          .slice(from, from + INSERTED)
          .map(({ id, settings }) => ({ id, ...owner, ...settings, locationCount: settings.locations.length })),
      );
    await tx.query(
      'INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id) SELECT id, key, org_id FROM endpoint WHERE id = ANY ($1::uuid[])',
      [endpoints.map(({ id }) => id)],
    );
    const heartbeats = endpoints.filter(({ settings }) => settings.heartbeat !== null);
    await insertHeartbeats(
      tx,
      heartbeats.map(({ id, address, armed = false }) => ({ endpointId: id, armed, ...address })),
    );
    const watching = endpoints.map(({ settings }) => ({ after: settings, before: null }));
    await holdWatchedProbes(tx, this.probes, website.orgId, watching);
    await saveNamedLocations(
      tx,
      this.probes,
      website.orgId,
      endpoints.map(({ id, settings }) => ({ ...settings, id, before: null })),
    );
  }

  /**
   * Saves new settings of locked endpoints of one organization. `moreChecks` is the total of additional checks per
   * second. Throws: `quota_exceeded` if they need more checks per second than the quota allows.
   */
  async save(tx: Tx, orgId: string, rows: readonly SavedEndpoint[], moreChecks: number): Promise<void> {
    if (moreChecks > 0) await this.quotas.claim(tx, orgId, { checks_per_second: moreChecks });
    const updatedAt = new Date();
    await updateRows(
      tx,
      Endpoint,
      rows.map(({ settings, id, revision, websiteId }) => ({
        ...settings,
        id,
        revision,
        websiteId,
        locationCount: settings.locations.length,
        updatedAt,
      })),
    );
    const watching = rows.map(({ settings, before }) => ({ after: settings, before }));
    await holdWatchedProbes(tx, this.probes, orgId, watching);
    await saveNamedLocations(
      tx,
      this.probes,
      orgId,
      rows.map(({ id, settings, before }) => ({ ...settings, id, before })),
    );
  }

  /**
   * Returns a page of the website's endpoints. `total` is the number of endpoints in the website. Cost: one statement
   * for the page (a few if rows are large), one for maintenance, and one to count the endpoints that have a tag.
   */
  async list(caller: Caller, websiteId: string, query: EndpointQuery, total: number): Promise<Page<EndpointView>> {
    const { orgId } = caller;
    const { tag } = query;
    const [sql, more] = tag === undefined ? [PAGE, []] : [PAGE_OF_TAG, [tag]];
    const page = await this.cursors.paginate<EndpointRow>({
      orgId,
      list: `endpoints:${websiteId}${tag === undefined ? '' : `:${tag}`}`,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      rowsAtOnce: LARGE_ROWS,
      idOf: (row) => row.id,
      read: (after, count) =>
        this.database.query<EndpointRow>(sql, [orgId, websiteId, after ?? NIL_UUID, count, ...more]),
      total: () => (tag === undefined ? total : this.found(websiteId, tag)),
    });
    return this.viewsOf(caller, page);
  }

  /**
   * Returns the rows of a page as the caller may see them. Cost: one statement for the active maintenance, one for the
   * results of the locations.
   */
  async viewsOf(caller: Caller, page: Page<EndpointRow>): Promise<Page<EndpointView>> {
    const beside = await this.readBeside(this.database, caller.orgId, page.items);
    return page.map((row) => this.toView(row, caller, beside));
  }

  async view(sql: Sql, caller: Caller, id: string): Promise<EndpointView> {
    const [row] = await sql.query<EndpointRow>(ONE, [caller.orgId, id]);
    if (!row) throw problems.notFound();
    const view = this.toView(row, caller, await this.readBeside(sql, caller.orgId, [row]));
    return tagged(view, tagSource(row, row.dependsOn));
  }

  /** Returns the endpoints in the order in which they were created. */
  async viewAll(caller: Caller, ids: readonly string[]): Promise<EndpointView[]> {
    const rows = await this.database.query<EndpointRow>(SOME, [caller.orgId, ids]);
    const beside = await this.readBeside(this.database, caller.orgId, rows);
    return rows.map((row) => this.toView(row, caller, beside));
  }

  /** Returns the number of endpoints with the tag, or `null` if there are more than a thousand. */
  private async found(websiteId: string, tag: string): Promise<number | null> {
    const [row] = await this.database.query<{ found: number }>(COUNT_OF_TAG, [websiteId, tag]);
    return row && row.found <= MOST_COUNTED ? row.found : null;
  }

  private async readBeside(sql: Sql, orgId: string, rows: readonly EndpointRow[]): Promise<Beside> {
    const endpoints = rows.map(({ id, websiteId, tags, websiteTags }) => ({
      id,
      orgId,
      websiteId,
      tags: [...tags, ...websiteTags],
    }));
    const maintenance = await this.maintenance.read(sql, orgId, endpoints);
    return { maintenance, byLocation: await readByLocation(sql, rows) };
  }

  /** Read keys see no credentials. */
  private toView(row: EndpointRow, { role }: Caller, { maintenance, byLocation }: Beside): EndpointView {
    const { id, headers } = row;
    const view = toEndpointView(row, {
      headers: this.settings.shownHeaders(id, headers, role),
      maintenance: maintenance.get(id) ?? null,
      byLocation: byLocation.get(id) ?? null,
      base: this.settings.publicUrl,
    });
    if (may({ role }, 'secrets.read')) return view;
    return { ...withoutCredentials(view), heartbeat: view.heartbeat && withoutAddress(view.heartbeat) };
  }
}
