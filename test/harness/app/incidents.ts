import { Database } from '../../../src/platform/database/database';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';
import { hoursFromNow } from './announced-work';
import type { TestApp } from './app';

/** An incident that alerts opened, as its rows are. */
export interface IncidentRows {
  /** Ids of endpoints, and of an address and an error what no page may show. */
  endpoints: readonly string[];
  severity?: 'down' | 'degraded';
  title?: string;
  /** When it began and ended, in hours from now; it is open without an end. */
  from?: number;
  until?: number;
}

/** Writes a detected incident and returns its id; what is said about it goes through the API. */
export async function writeIncident({ app }: Pick<TestApp, 'app'>, orgId: string, rows: IncidentRows): Promise<string> {
  const { endpoints, severity = 'down', title = null, from = -1, until } = rows;
  const [database, id, at] = [app.get(Database), newUuid(), hoursFromNow(from)];
  const end = until === undefined ? null : hoursFromNow(until);
  await database.query(
    `WITH numbered AS (
       INSERT INTO incident_sequence (org_id, last) VALUES ($2, 1)
       ON CONFLICT (org_id) DO UPDATE SET last = incident_sequence.last + 1 RETURNING last)
     INSERT INTO incident (id, org_id, number, kind, severity, cause, cause_value, opener_endpoint_id, opener_address, title,
                           started_at, opened_at, joined_at, ended_at, endpoint_count, open_count, created_at, updated_at)
     SELECT $1, $2, last, 'detected', $3, 'address', '203.0.113.77', $4, '203.0.113.77', $5, $6, $6, $6, $7, $8,
            CASE WHEN $7::timestamptz IS NULL THEN $8 ELSE 0 END, $6, $6 FROM numbered`,
    [id, orgId, severity, parseId('endpoint', endpoints[0]), title, at, end, endpoints.length],
  );
  await database.query(
    `INSERT INTO incident_member (incident_id, endpoint_id, org_id, website_id, endpoint_name, website_name, started_at, ended_at,
                                  error_code, error_message)
     SELECT $1, e.id, e.org_id, e.website_id, e.name, 'A website of then', $3, $4, 'connection_refused', 'refused by 203.0.113.77'
       FROM endpoint e WHERE e.id = ANY ($2::uuid[])`,
    [id, endpoints.map((endpoint) => parseId('endpoint', endpoint)), at, end],
  );
  return formatId('incident', id);
}
