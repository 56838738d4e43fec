import { Alert } from '../../../alert/alert.entity';
import { Contact } from '../../../contact/contact.entity';
import { Endpoint, type WithLocations } from '../../../endpoint/endpoint.entity';
import { LOCATIONS_COLUMN } from '../../../endpoint/locations/by-location';
import { PARENTS_COLUMN } from '../../../endpoint/suppression/dependencies';
import { selectWindows, type WindowRow } from '../../../maintenance/window-row';
import { selectColumns } from '../../../platform/database/select-columns';
import type { Sql } from '../../../platform/database/database';
import { ownProbes, type ProbeRow } from '../../../probe/probe-store';
import type { PublicPageRow } from '../../../status-page/settings/public-page.dto';
import { Website } from '../../../website/website.entity';

export type PresentEndpoint = Endpoint &
  WithLocations & {
    /** UUIDs, in order. */
    dependsOn: readonly string[];
  };

/** One of the organization's probes. Its key is also its external key. */
export type PresentProbe = ProbeRow & { externalKey: string };

export type PresentPage = Omit<PublicPageRow, 'external_key'> & { externalKey: string | null };

/** An organization's resources as rows, oldest first. */
export interface PresentState {
  contacts: readonly Contact[];
  probes: readonly PresentProbe[];
  websites: readonly Website[];
  endpoints: readonly PresentEndpoint[];
  alerts: readonly Alert[];
  windows: readonly WindowRow[];
  /** Status pages, including those that belong to websites. */
  pages: readonly PresentPage[];
}

/** The resources to read: all that may match these keys and names, and all that this owner declared. */
export interface Lookup {
  /** The owner, or `null` if the owner doesn't matter. */
  owner: string | null;
  websites: Named;
  endpoints: Named;
  windows: Named;
}

/**
 * Resources with one of the keys or one of the names. A resource with the name may be the declared one, or may have had
 * another key before.
 */
export interface Named {
  keys: readonly string[];
  names: readonly string[];
}

/** SQL condition. $2 is the keys, $3 the names, and $4 the owner. */
const isWanted = (row: string): string =>
  `(${row}.external_key = ANY ($2::text[]) OR ${row}.name = ANY ($3::text[]) OR ${row}.owner = $4)`;

const CONTACTS = `SELECT ${selectColumns(Contact, 'c')} FROM contact c WHERE c.org_id = $1 ORDER BY c.id`;
const ALL_WEBSITES = `SELECT ${selectColumns(Website, 'w')} FROM website w WHERE w.org_id = $1 AND w.deleted_at IS NULL`;
const WEBSITES = `${ALL_WEBSITES} AND ${isWanted('w')}`;
const ALL_ENDPOINTS = `SELECT ${selectColumns(Endpoint, 'e')}, ${PARENTS_COLUMN}, ${LOCATIONS_COLUMN}
  FROM endpoint e JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
  LEFT JOIN endpoint_schedule n ON n.endpoint_id = e.id WHERE e.org_id = $1`;
const ENDPOINTS = `${ALL_ENDPOINTS} AND (e.website_id = ANY ($5::uuid[]) OR e.owner = $4) AND ${isWanted('e')}`;
const ALL_ALERTS = `SELECT ${selectColumns(Alert, 'a')} FROM alert a
  JOIN endpoint e ON e.id = a.endpoint_id JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL WHERE a.org_id = $1`;
const ALERTS = `${ALL_ALERTS} AND (a.endpoint_id = ANY ($2::uuid[]) OR a.owner = $3)`;
const PAGES = `SELECT id, website_id, slug, enabled, title, description, accent, logo_hash, domain, down_after_minutes, indexed, support_url, groups,
    external_key AS "externalKey", owner, updated_at FROM status_page WHERE org_id = $1 ORDER BY id`;
// Whether a window is active doesn't matter here.
const ALL_WINDOWS = `${selectWindows("'-infinity'::timestamptz")} WHERE m.org_id = $1`;
const WINDOWS = `${ALL_WINDOWS} AND ${isWanted('m')}`;

const parametersOf = (orgId: string, { keys, names }: Named, owner: string | null): unknown[] => [
  orgId,
  keys,
  names,
  owner,
];

/**
 * Reads the requested resources of an organization. Cost: seven statements, one after the other. Contacts, probes, and
 * pages are few and read in full. For the others, an index range of the organization is scanned, and for endpoints, the
 * index ranges of the websites that were found.
 */
export async function readWanted(sql: Sql, orgId: string, wanted: Lookup): Promise<PresentState> {
  const { owner } = wanted;
  const contacts = await sql.query<Contact>(CONTACTS, [orgId]);
  const probes = await ownProbes(sql, orgId);
  const websites = await sql.query<Website>(`${WEBSITES} ORDER BY w.id`, parametersOf(orgId, wanted.websites, owner));
  const endpoints = await sql.query<PresentEndpoint>(`${ENDPOINTS} ORDER BY e.id`, [
    ...parametersOf(orgId, wanted.endpoints, owner),
    websites.map(({ id }) => id),
  ]);
  const alerts = await sql.query<Alert>(`${ALERTS} ORDER BY a.id`, [orgId, endpoints.map(({ id }) => id), owner]);
  const pages = await sql.query<PresentPage>(PAGES, [orgId]);
  const windows = await sql.query<WindowRow>(`${WINDOWS} ORDER BY m.id`, parametersOf(orgId, wanted.windows, owner));
  return { contacts, probes, websites, endpoints, alerts, windows, pages };
}

// Cost: reads the same rows as a plan, but only returns a number.
const ENDPOINT_BYTES = `
  WITH website_of AS (SELECT w.id FROM website w WHERE w.org_id = $1 AND w.deleted_at IS NULL AND ${isWanted('w')}),
       wanted AS (SELECT e.id, octet_length(e::text) AS bytes FROM endpoint e
                   WHERE e.org_id = $1 AND (e.website_id IN (SELECT id FROM website_of) OR e.owner = $4)
                     AND (e.external_key = ANY ($5::text[]) OR e.name = ANY ($6::text[]) OR e.owner = $4))
  SELECT (SELECT coalesce(sum(bytes), 0) FROM wanted)::float8
       + (SELECT coalesce(sum(octet_length(a::text)), 0) FROM alert a
           WHERE a.org_id = $1 AND (a.endpoint_id IN (SELECT id FROM wanted) OR a.owner = $4))::float8 AS bytes`;

/**
 * Returns the size of the endpoints and alerts that `readWanted` would read, in bytes. An organization has few other
 * resources. Cost: one statement.
 */
export async function bytesOfWanted(sql: Sql, orgId: string, wanted: Lookup): Promise<number> {
  const { keys, names } = wanted.endpoints;
  const parameters = [...parametersOf(orgId, wanted.websites, wanted.owner), keys, names];
  const [row] = await sql.query<{ bytes: number }>(ENDPOINT_BYTES, parameters);
  return row?.bytes ?? 0;
}

/** Reads all resources of an organization. Cost: seven statements. */
export async function readEverything(sql: Sql, orgId: string): Promise<PresentState> {
  return {
    contacts: await sql.query<Contact>(CONTACTS, [orgId]),
    probes: await ownProbes(sql, orgId),
    websites: await sql.query<Website>(`${ALL_WEBSITES} ORDER BY w.id`, [orgId]),
    endpoints: await sql.query<PresentEndpoint>(`${ALL_ENDPOINTS} ORDER BY e.id`, [orgId]),
    alerts: await sql.query<Alert>(`${ALL_ALERTS} ORDER BY a.id`, [orgId]),
    pages: await sql.query<PresentPage>(PAGES, [orgId]),
    windows: await sql.query<WindowRow>(`${ALL_WINDOWS} ORDER BY m.id`, [orgId]),
  };
}
