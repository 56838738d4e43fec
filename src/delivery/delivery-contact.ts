import { ApiProperty } from '@nestjs/swagger';
import { formatId } from '../platform/ids/id';

/** The contact that a delivery goes through. */
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

/** Columns of a row of `notification`, whatever the statement calls it. Cost: a probe of a primary key. */
export const contactColumns = (notification: string): string => `${notification}.contact_id,
  (SELECT c.name FROM contact c WHERE c.id = ${notification}.contact_id AND c.org_id = ${notification}.org_id) AS contact_name`;

/** The contact of the first attempt, by its uuid and as it was named then; `null` without one. Part of `notice`: all attempts say the same. */
export const throughColumn = (contactId: string, orgId: string): string => `jsonb_build_object('through',
  (SELECT jsonb_build_object('id', c.id, 'name', c.name) FROM contact c WHERE c.id = ${contactId} AND c.org_id = ${orgId}))`;

/** `null` for a config of the alert's own, and for a contact that was deleted since: nothing has its name any more. */
export const toDeliveryContact = ({ contact_id, contact_name }: DeliveryContactRow): DeliveryContactView | null =>
  contact_id === null || contact_name === null ? null : { id: formatId('contact', contact_id), name: contact_name };
