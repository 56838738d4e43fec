import { Alert } from '../../alert/alert.entity';
import { Contact } from '../../contact/contact.entity';
import { DEFAULT_SETTINGS, Endpoint, type EndpointSettings } from '../../endpoint/endpoint.entity';
import { LOCATIONS_COLUMN } from '../../endpoint/locations/by-location';
import { PARENTS_COLUMN } from '../../endpoint/suppression/dependencies';
import { selectWindows, type WindowRow } from '../../maintenance/window-row';
import type { Sql } from '../../platform/database/database';
import { selectColumns } from '../../platform/database/select-columns';
import { NIL_UUID } from '../../platform/ids/id';
import { ownProbes, type ProbeRow } from '../../probe/probe-store';
import type { PublicPageRow } from '../../status-page/settings/public-page.dto';
import { Website } from '../../website/website.entity';
import { grouped } from '../../platform/text/grouped';
import type { ExportedEndpoint } from './declared-endpoint';

/** The fields from which an endpoint's key is created, and which identify the endpoint while it has no key. */
export interface ListedEndpoint {
  id: string;
  websiteId: string;
  name: string;
  externalKey: string | null;
  owner: string | null;
  /** A string that identifies the endpoint, or `null` if it has a key. */
  likeness: string | null;
}

export type PageRow = PublicPageRow & { externalKey: string | null };

/** All resources of an organization, oldest first, but without the endpoints' settings. */
export interface ExportedRows {
  contacts: readonly Contact[];
  probes: readonly (ProbeRow & { externalKey: string })[];
  websites: readonly Website[];
  endpoints: readonly ListedEndpoint[];
  windows: readonly WindowRow[];
  /** Status pages, including those that belong to websites. */
  pages: readonly PageRow[];
}

/** A row has a few hundred bytes. */
const LISTED_AT_ONCE = 5000;

const CONTACTS = `SELECT ${selectColumns(Contact, 'c')} FROM contact c WHERE c.org_id = $1 ORDER BY c.id`;
const WEBSITES = `SELECT ${selectColumns(Website, 'w')} FROM website w
  WHERE w.org_id = $1 AND w.deleted_at IS NULL ORDER BY w.id`;
/** Forces a range of the index on organization and ID, regardless of the planner's other choices. */
const LISTED = `SELECT e.id, e.website_id AS "websiteId", e.name, e.external_key AS "externalKey", e.owner,
    CASE WHEN e.external_key IS NULL THEN md5(e.type || ' ' || e.url) END AS likeness, e.type,
    CASE WHEN e.external_key IS NULL AND e.url ~ '[?#]' THEN e.url END AS url
  FROM endpoint e WHERE (e.org_id, e.id) > ($1::uuid, $2::uuid) AND e.org_id <= $1::uuid
  ORDER BY e.org_id, e.id LIMIT $3`;
const WINDOWS = `${selectWindows('$2::timestamptz')} WHERE m.org_id = $1 ORDER BY m.id`;
const PAGES = `SELECT id, website_id, slug, enabled, title, description, accent, logo_hash, domain, down_after_minutes, indexed, support_url, groups, external_key,
    external_key AS "externalKey", owner, updated_at FROM status_page WHERE org_id = $1 ORDER BY id`;

const NAMES = Object.keys(DEFAULT_SETTINGS) as (keyof EndpointSettings)[];
const isPlain = (name: keyof EndpointSettings): name is keyof EndpointSettings & keyof Endpoint =>
  name !== 'body' && name !== 'locations';
const COLUMNS = selectColumns(Endpoint, 'e', ['id', ...NAMES.filter(isPlain)]);
/** Cost: one primary key lookup for each endpoint. Bodies aren't read, because they are never exported. */
const ENDPOINTS = `SELECT ${COLUMNS}, left(e.body, 1) AS body, ${PARENTS_COLUMN}, ${LOCATIONS_COLUMN}
  FROM endpoint e LEFT JOIN endpoint_schedule n ON n.endpoint_id = e.id WHERE e.org_id = $1 AND e.id = ANY ($2::uuid[])`;
/** Cost: one index range for each endpoint. */
const ALERTS = `SELECT ${selectColumns(Alert, 'a')} FROM alert a
  WHERE a.org_id = $1 AND a.endpoint_id = ANY ($2::uuid[]) ORDER BY a.id`;

/**
 * Reads all rows. `isHidden` returns whether the export hides a URL. Cost: five statements, and one for every 5,000
 * endpoints.
 */
export async function readRows(
  sql: Sql,
  orgId: string,
  now: Date,
  isHidden: (url: string) => boolean,
): Promise<ExportedRows> {
  return {
    contacts: await sql.query<Contact>(CONTACTS, [orgId]),
    probes: await ownProbes(sql, orgId),
    websites: await sql.query<Website>(WEBSITES, [orgId]),
    endpoints: await readListed(sql, orgId, isHidden),
    windows: await sql.query<WindowRow>(WINDOWS, [orgId, now]),
    pages: await sql.query<PageRow>(PAGES, [orgId]),
  };
}

async function readListed(sql: Sql, orgId: string, isHidden: (url: string) => boolean): Promise<ListedEndpoint[]> {
  const listed: ListedEndpoint[] = [];
  for (;;) {
    const after = listed.at(-1)?.id ?? NIL_UUID;
    const rows = await sql.query<ListedEndpoint & { type: string; url: string | null }>(LISTED, [
      orgId,
      after,
      LISTED_AT_ONCE,
    ]);
    // Endpoints with a hidden URL are identified without it.
    for (const { type, url, ...row } of rows)
      listed.push(url !== null && isHidden(url) ? { ...row, likeness: type } : row);
    if (rows.length < LISTED_AT_ONCE) return listed;
  }
}

/** An endpoint's settings and its alerts, oldest first. */
export interface EndpointRows {
  endpoint: ExportedEndpoint;
  alerts: readonly Alert[];
}

/** A row has at most 64 KiB. */
const SETTINGS_AT_ONCE = 250;

/**
 * Reads these endpoints in order. Endpoints that have been deleted in the meantime are left out. Cost: two statements
 * for every 250 endpoints.
 */
export async function* readEndpoints(sql: Sql, orgId: string, ids: readonly string[]): AsyncGenerator<EndpointRows> {
  for (let from = 0; from < ids.length; from += SETTINGS_AT_ONCE) {
    const some = ids.slice(from, from + SETTINGS_AT_ONCE);
    const endpoints = await sql.query<ExportedEndpoint>(ENDPOINTS, [orgId, some]);
    const alerts = grouped(await sql.query<Alert>(ALERTS, [orgId, some]), ({ endpointId }) => endpointId);
    const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
    for (const id of some) {
      const endpoint = byId.get(id);
      if (endpoint) yield { endpoint, alerts: alerts.get(id) ?? [] };
    }
  }
}
