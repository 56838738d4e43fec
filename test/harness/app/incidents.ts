import type { Database } from '../../../src/platform/database/database';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';
import type { Api } from '../../../packages/testing/service/api';

/** An endpoint's part in an incident. Times are in minutes ago. */
interface Bad {
  endpoint: string;
  since?: number;
  /** When the endpoint recovered. If missing, it is still failing. */
  until?: number;
}

interface Detected {
  address?: string;
  severity?: 'down' | 'degraded';
}

/**
 * Creates an incident like alerts do, for a service that checks nothing: its row and its member rows. Returns its ID.
 */
export async function newDetectedIncident(
  database: Database,
  bad: readonly Bad[],
  { address, severity = 'down' }: Detected = {},
): Promise<string> {
  const id = newUuid();
  // Uses the same time for all rows, because an incident's times are based on its members.
  const now = Math.floor(Date.now() / 1000) * 1000;
  const at = (minutesAgo: number): Date => new Date(now - minutesAgo * 60_000);
  const members = bad.map(({ endpoint, since = 10, until }) => ({
    endpoint_id: parseId('endpoint', endpoint),
    started_at: at(since),
    ended_at: until === undefined ? null : at(until),
  }));
  const opened = Math.max(...bad.map(({ since = 10 }) => since));
  const ended = bad.every(({ until }) => until !== undefined) ? Math.min(...bad.map(({ until = 0 }) => until)) : null;
  const cause = bad.length === 1 ? 'single' : address === undefined ? 'website' : 'address';
  await database.transaction(async (tx) => {
    const [
      { number, orgId, websiteId, name, website } = { number: 0, orgId: '', websiteId: '', name: '', website: '' },
    ] = await tx.query<{ number: number; orgId: string; websiteId: string; name: string; website: string }>(
      `WITH e AS (SELECT e.*, w.name AS website FROM endpoint e JOIN website w ON w.id = e.website_id WHERE e.id = $1),
              s AS (INSERT INTO incident_sequence AS q (org_id, last) SELECT org_id, 1 FROM e
                    ON CONFLICT (org_id) DO UPDATE SET last = q.last + 1 RETURNING last)
         SELECT last AS number, org_id AS "orgId", website_id AS "websiteId", name, website FROM e, s`,
      [members[0]?.endpoint_id],
    );
    const value = { single: null, website: websiteId, address: address ?? null }[cause];
    const [started, end] = [at(opened), ended === null ? null : at(ended)];
    await tx.query(
      `INSERT INTO incident (id, org_id, number, kind, severity, cause, cause_value, cause_name, opener_endpoint_id, opener_website_id,
                             opener_name, opener_address, opener_error_code, started_at, opened_at, joined_at, ended_at,
                             endpoint_count, open_count, created_at, updated_at)
       VALUES ($1, $2, $3, 'detected', $4, $5, $6, $7, $8, $9, $10, $11, 'connection_refused', $12, $12, $12, $13, $14, $15, $12, $12)`,
      [
        id,
        orgId,
        number,
        severity,
        cause,
        value,
        cause === 'website' ? website : null,
        members[0]?.endpoint_id,
        websiteId,
        name,
        address ?? null,
        started,
        end,
        members.length,
        members.filter((one) => one.ended_at === null).length,
      ],
    );
    await tx.query(
      `INSERT INTO incident_member (incident_id, endpoint_id, org_id, website_id, endpoint_name, website_name, started_at, ended_at,
                                    error_code, error_message)
       SELECT $1, e.id, e.org_id, w.id, e.name, w.name, r.started_at, r.ended_at, 'connection_refused', 'The connection was refused.'
         FROM json_populate_recordset(NULL::incident_member, $2::json) r
         JOIN endpoint e ON e.id = r.endpoint_id JOIN website w ON w.id = e.website_id`,
      [id, JSON.stringify(members)],
    );
    await tx.query(
      `INSERT INTO incident_outage (incident_id, endpoint_id, started_at, ended_at, error_code, error_message)
       SELECT incident_id, endpoint_id, started_at, ended_at, error_code, error_message FROM incident_member WHERE incident_id = $1`,
      [id],
    );
  });
  return formatId('incident', id);
}

/** Creates a manual incident that covers everything. Returns its ID. */
export async function newIncident(by: Api, fields: object = {}): Promise<string> {
  const response = await by.post<{ id: string }>('/incidents', {
    title: 'Payments are slow',
    scope: { all: true },
    ...fields,
  });
  if (response.status !== 201) throw new Error(`not created: ${response.status} ${response.text}`);
  return response.body.id;
}
