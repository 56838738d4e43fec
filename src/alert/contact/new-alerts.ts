import type { HeldContact } from '../../contact/contact-store';
import type { Tx } from '../../platform/database/database';
import { newUuid } from '../../platform/ids/id';
import { Alert, DEFAULT_RULE } from '../alert.entity';
import { ruleOfNew } from '../new-rule';

const { failureThreshold, successThreshold } = DEFAULT_RULE;
const OF_CHECKS = { failureThreshold, successThreshold };

/** A new alert through a contact for each of several endpoints. */
export interface NewAlerts {
  orgId: string;
  /** The contact, locked so that its type and destination can't change before the transaction ends. */
  contact: HeldContact;
  /** The settings that the client sent for all of the alerts. */
  sent: Partial<Alert>;
  /** The contact's defaults for missing fields. Fields without such a default use the alert's own default. */
  defaults: Partial<Alert>;
  /** The endpoints, locked, in ID order. */
  endpointIds: readonly string[];
  now: Date;
}

/**
 * Creates the alerts. Room for them must have been claimed. Returns their IDs in the order of the endpoints. Cost: one
 * statement, with one primary key lookup, one row, and four index entries for each alert.
 */
export async function insertAlerts(
  tx: Tx,
  { orgId, contact, sent, defaults, endpointIds, now }: NewAlerts,
): Promise<string[]> {
  const ids = endpointIds.map(() => newUuid());
  const rule: Partial<Alert> = { ...OF_CHECKS, ...ruleOfNew(sent, defaults, false) };
  const once = ruleOfNew(sent, defaults, true);
  const fields = tx.manager.connection.getMetadata(Alert).columns.flatMap((column): [string, unknown][] => {
    const value = rule[column.propertyName as keyof Alert];
    return value === undefined ? [] : [[column.databaseName, value]];
  });
  const columns = fields.map(([column]) => `, ${column}`).join('');
  const isThreshold = (column: string) => column === 'failure_threshold' || column === 'success_threshold';
  const values = fields.map(([column], index) => {
    const own = index + 8;
    if (!isThreshold(column)) return `, $${own}`;
    const ofHeartbeat = fields.length + (column === 'failure_threshold' ? 8 : 9);
    return `, CASE WHEN e.heartbeat IS NULL THEN $${own}::smallint ELSE $${ofHeartbeat}::smallint END`;
  });
  await tx.query(
    `INSERT INTO alert (id, org_id, endpoint_id, contact_id, type, destination, created_at, updated_at${columns})
     SELECT n.id, $1, n.endpoint_id, $2, $3, $4, $5, $5${values.join('')}
       FROM unnest($6::uuid[], $7::uuid[]) WITH ORDINALITY AS n (id, endpoint_id, position)
       JOIN endpoint e ON e.id = n.endpoint_id ORDER BY n.position`,
    [
      orgId,
      contact.contactId,
      contact.type,
      contact.destination,
      now,
      ids,
      endpointIds,
      ...fields.map(([, value]) => value),
      once.failureThreshold,
      once.successThreshold,
    ],
  );
  return ids;
}
