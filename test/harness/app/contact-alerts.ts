import type { Sql } from '../../../src/platform/database/database';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';

/**
 * Inserts an alert that notifies through the contact directly into the database, and returns its ID. The alert triggers
 * on the first failure.
 */
export async function alertThrough(sql: Sql, endpointId: string, contactId: string): Promise<string> {
  const id = newUuid();
  const rows = await sql.query(
    `INSERT INTO alert (id, org_id, endpoint_id, contact_id, type, destination, failure_threshold, success_threshold)
     SELECT $1, org_id, $2, id, type, destination, 1, 1 FROM contact WHERE id = $3 RETURNING 1`,
    [id, parseId('endpoint', endpointId), parseId('contact', contactId)],
  );
  if (rows.length === 0) throw new Error(`there is no contact ${contactId}`);
  return formatId('alert', id);
}
