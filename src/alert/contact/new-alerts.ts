import type { HeldContact } from '../../contact/contact-store';
import type { Tx } from '../../platform/database/database';
import { newUuid } from '../../platform/ids/id';
import { Alert, DEFAULT_RULE } from '../alert.entity';
import { ruleOfNew } from '../new-rule';

const { failureThreshold, successThreshold } = DEFAULT_RULE;
const OF_CHECKS = { failureThreshold, successThreshold };

/** One alert through a contact for each of some endpoints. */
export interface NewAlerts {
  orgId: string;
  /** Held, so that type and destination are those of the contact when the transaction ends. */
  contact: HeldContact;
  /** What the client asked for, of all of them. */
  sent: Partial<Alert>;
  /** What the contact has for fields that are missing; where it has none either, the alert's own default counts. */
  defaults: Partial<Alert>;
  /** Held; in the order of their ids. */
  endpointIds: readonly string[];
  now: Date;
}

/**
 * Makes the alerts, for which room was claimed; returns their ids in the order of the endpoints. One statement, which costs
 * a probe of a primary key, a row and four entries of indexes for each.
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
