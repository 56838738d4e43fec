import type { HeldContact } from '../../contact/contact-store';
import type { Tx } from '../../platform/database/database';
import { newUuid } from '../../platform/ids/id';
import type { Alert } from '../alert.entity';
import { RULE_COLUMNS } from '../../alert-rule/alert-rule';

/** One alert through a contact for each of some endpoints. */
export interface NewAlerts {
  orgId: string;
  /** Held, so that type and destination are those of the contact when the transaction ends. */
  contact: HeldContact;
  /** Of all of them; a field that is missing has the alert's own default. */
  rule: Partial<Alert>;
  /** Held; in the order of their ids. */
  endpointIds: readonly string[];
  now: Date;
}

/**
 * Makes the alerts, for which room was claimed; returns their ids in the order of the endpoints. One statement, which costs
 * a row and four entries of indexes for each.
 */
export async function insertAlerts(tx: Tx, { orgId, contact, rule, endpointIds, now }: NewAlerts): Promise<string[]> {
  const ids = endpointIds.map(() => newUuid());
  const fields = Object.entries(RULE_COLUMNS).flatMap(([field, column]): [string, unknown][] => {
    const value = rule[field as keyof Alert];
    return value === undefined ? [] : [[column, value]];
  });
  const columns = fields.map(([column]) => `, ${column}`).join('');
  const values = fields.map((_, index) => `, $${index + 8}`).join('');
  await tx.query(
    `INSERT INTO alert (id, org_id, endpoint_id, contact_id, type, destination, created_at, updated_at${columns})
     SELECT n.id, $1, n.endpoint_id, $2, $3, $4, $5, $5${values}
       FROM unnest($6::uuid[], $7::uuid[]) WITH ORDINALITY AS n (id, endpoint_id, position) ORDER BY n.position`,
    [
      orgId,
      contact.contactId,
      contact.type,
      contact.destination,
      now,
      ids,
      endpointIds,
      ...fields.map(([, value]) => value),
    ],
  );
  return ids;
}
