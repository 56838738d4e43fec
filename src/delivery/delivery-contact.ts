import { ApiProperty } from '@nestjs/swagger';
import { formatId } from '../platform/ids/id';

export class DeliveryContactView {
  @ApiProperty({ example: 'ct_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Operations', description: 'The current name of the contact.' })
  name!: string;
}

export interface DeliveryContactRow {
  contact_id: string | null;
  contact_name: string | null;
}

/** Returns the contact columns for a row of `notification`. Cost: one primary key lookup. */
export const contactColumns = (notification: string): string => `${notification}.contact_id,
  (SELECT c.name FROM contact c WHERE c.id = ${notification}.contact_id AND c.org_id = ${notification}.org_id) AS contact_name`;

/**
 * Returns the contact used for the first attempt, with its UUID and its name at that time, or null if there is none. It
 * is part of `notice`, so all attempts name the same contact.
 */
export const throughColumn = (contactId: string, orgId: string): string => `jsonb_build_object('through',
  (SELECT jsonb_build_object('id', c.id, 'name', c.name) FROM contact c WHERE c.id = ${contactId} AND c.org_id = ${orgId}))`;

/**
 * Returns `null` for an alert with its own config, and for a contact that has since been deleted along with its name.
 */
export const toDeliveryContact = ({ contact_id, contact_name }: DeliveryContactRow): DeliveryContactView | null =>
  contact_id === null || contact_name === null ? null : { id: formatId('contact', contact_id), name: contact_name };
