import type { Sql } from '../../../platform/database/database';
import type { PresentState } from './present-state';
import type { ForeignRows } from '../prune';
import { watchedUrl, watchesProbe } from '../../../probe/probe-store';

const IN_WEBSITES = `
  SELECT website_id AS id, count(*)::int AS count FROM endpoint
   WHERE website_id = ANY ($1::uuid[]) AND owner IS DISTINCT FROM $2 GROUP BY website_id`;
const ON_ENDPOINTS = `
  SELECT endpoint_id AS id, count(*)::int AS count FROM alert
   WHERE endpoint_id = ANY ($1::uuid[]) AND owner IS DISTINCT FROM $2 GROUP BY endpoint_id`;
const OF_CONTACTS = `
  SELECT contact_id AS "contactId", id AS "alertId", endpoint_id AS "endpointId" FROM alert
   WHERE contact_id = ANY ($1::uuid[])`;

const DEPENDENTS = `
  SELECT d.parent_id AS "parentId", e.id, e.owner, coalesce(w.external_key, w.name) || '/' || coalesce(e.external_key, e.name) AS path
    FROM endpoint_dependency d JOIN endpoint e ON e.id = d.endpoint_id JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
   WHERE d.parent_id = ANY ($1::uuid[]) ORDER BY d.parent_id, e.id`;

// Endpoints that the probe checks, and endpoints that monitor the probe.
const NAMING_PROBES = `
  SELECT p.id AS "probeId", l.endpoint_id AS "endpointId" FROM probe p JOIN endpoint_location l ON l.number = p.number AND l.number > 0
   WHERE p.id = ANY ($1::uuid[])
   UNION
  SELECT p.id, e.id FROM probe p JOIN endpoint e ON e.type = 'PROBE' AND e.url = ${watchedUrl('p')} AND ${watchesProbe('e', 'p')}
   WHERE p.id = ANY ($1::uuid[])
   ORDER BY 1, 2`;

/**
 * Reads other resources that belong to the owner's resources or depend on them. Cost: five statements, each with one
 * index range for each resource.
 */
export async function readForeignRows(sql: Sql, owner: string, state: PresentState): Promise<ForeignRows> {
  const own = (rows: readonly { id: string; owner: string | null }[]): string[] =>
    rows.filter((row) => row.owner === owner).map(({ id }) => id);
  const counts = async (statement: string, ids: readonly string[]): Promise<Map<string, number>> => {
    const rows = await sql.query<{ id: string; count: number }>(statement, [ids, owner]);
    return new Map(rows.map(({ id, count }) => [id, count]));
  };
  return {
    inWebsites: await counts(IN_WEBSITES, own(state.websites)),
    onEndpoints: await counts(ON_ENDPOINTS, own(state.endpoints)),
    alertsOfContacts: await sql.query(OF_CONTACTS, [own(state.contacts)]),
    dependents: await sql.query(DEPENDENTS, [own(state.endpoints)]),
    namingProbes: await sql.query(NAMING_PROBES, [own(state.probes)]),
  };
}
