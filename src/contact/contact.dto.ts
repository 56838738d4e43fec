import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsBoolean, IsString } from 'class-validator';
import { SPEC_CHANNEL_TYPES } from '../channel/channel';
import { DeliverySummaryView } from '../delivery/delivery-summary';
import { toFields } from '../platform/database/field-names';
import { PageQuery, QueryBoolean } from '../platform/http/page';
import { IsName, IsPlainObject, Nested, Optional, PartialOf, ReadOnlyFieldsOf } from '../platform/http/validators';
import { formatId } from '../platform/ids/id';
import { IsPublicId } from '../platform/ids/public-id.rule';
import { KeyField, ShownKey, ShownOwner } from '../platform/http/body/resource-key';
import { AlertDefaults } from '../alert-rule/alert-rule';
import type { Contact, DEFAULT_CONTACT } from './contact.entity';

const MAX_NAME = 255;
const CONTACT_ID = 'ct_01jd3k6q7be5y9x4v2m8n0r1st';

const NAME = {
  description: 'The name of the recipient.',
  example: 'Operations',
  minLength: 1,
  maxLength: MAX_NAME,
};
const TYPE = {
  description: `The channel type: ${SPEC_CHANNEL_TYPES.join(', ')}, or a type that a module adds.`,
  example: 'slack',
};
const CONFIG = {
  type: 'object' as const,
  additionalProperties: true,
  description:
    'The settings of the channel. They depend on `type`, and they are the same as for an alert rule and masked in the same way.',
  example: { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
};
const DEFAULT = { description: 'Whether new endpoints get an alert rule for this contact.', default: false };
const ALERT_DEFAULTS = {
  type: AlertDefaults,
  description:
    'The default settings of alert rules for this contact. If you send this field, it replaces all previous defaults.',
  example: { failure_threshold: 2, remind_every: 3600 },
};

/** The state of the newest message sent through a contact. */
export class ContactDeliveryView extends OmitType(DeliverySummaryView, ['id']) {}

export class ContactView {
  @ApiProperty({ example: CONTACT_ID })
  id!: string;

  @ApiProperty(NAME)
  name!: string;

  @ApiProperty(TYPE)
  type!: string;

  @ApiProperty(CONFIG)
  config!: object;

  @ApiProperty({ ...DEFAULT, example: false })
  default!: boolean;

  @ApiProperty(ALERT_DEFAULTS)
  alert_defaults!: AlertDefaults;

  @ShownKey('the contacts of the organization', 'operations')
  key!: string | null;

  @ShownOwner()
  owner!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'A short description of the destination, such as a host, an address, or a chat. It contains no secrets and is masked in the same way as `config`. `null` if the config does not show a destination.',
    example: 'hooks.slack.com',
  })
  destination!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Why no message can be sent at all, such as an email without a mail server. `null` if nothing is missing. Messages can fail nevertheless: see `last_delivery`.',
    example: null,
  })
  cannot_send!: string | null;

  @ApiProperty({
    type: 'integer',
    description: 'The number of alert rules that notify through the contact.',
    example: 12,
  })
  alert_count!: number;

  @ApiProperty({
    type: ContactDeliveryView,
    nullable: true,
    description:
      'The newest message sent through the contact, not counting tests, and its delivery state. `null` before the first message.',
  })
  last_delivery!: ContactDeliveryView | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time of the first failed attempt since the last delivered message. `null` while messages are delivered.',
    example: null,
  })
  failing_since!: string | null;

  @ApiProperty({
    description:
      'Whether messages have been failing for more than seven days, with at least three failed attempts, the last one within a day. The other default contacts are notified once. The contact is not turned off.',
    example: false,
  })
  failing!: boolean;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  updated_at!: string;
}

/** The fields of a contact that a client sets. */
@ReadOnlyFieldsOf(ContactView)
export class CreateContactDto {
  @ApiProperty(NAME)
  @IsName(MAX_NAME)
  name!: string;

  @ApiProperty(TYPE)
  @IsString()
  type!: string;

  @ApiProperty(CONFIG)
  @IsPlainObject()
  config!: object;

  @ApiPropertyOptional(DEFAULT)
  @Optional()
  @IsBoolean()
  default?: boolean;

  @ApiPropertyOptional(ALERT_DEFAULTS)
  @Optional()
  @Nested(() => AlertDefaults)
  alert_defaults?: AlertDefaults;

  @KeyField('the contacts of the organization')
  key?: string | null;
}

/** All fields are optional, and only the sent ones change. */
export class UpdateContactDto extends PartialOf(CreateContactDto) {
  @ApiPropertyOptional({ description: `${TYPE.description} Can only be changed together with \`config\`.` })
  override type?: string;
}

export class ContactQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'Only contacts that are failing (`true`) or not failing (`false`).',
    example: true,
  })
  @Optional()
  @QueryBoolean()
  failing?: boolean;
}

export class DeleteContactQuery {
  @ApiPropertyOptional({
    description: 'The contact that the alert rules use from then on.',
    example: CONTACT_ID,
  })
  @Optional()
  @IsPublicId('contact')
  replace_with?: string;
}

/** The API names of a contact's plain fields, in display order. */
export const CONTACT_FIELDS = {
  name: 'name',
  isDefault: 'default',
  defaults: 'alert_defaults',
  externalKey: 'key',
} as const satisfies Record<keyof typeof DEFAULT_CONTACT, keyof UpdateContactDto & keyof ContactView>;

/** The fields that clients set, as shown in the audit log. */
export type ContactSettings = Omit<
  ContactView,
  'destination' | 'cannot_send' | 'alert_count' | 'last_delivery' | 'failing_since' | 'failing'
>;

/** `config` must already be masked for the reader. */
export const toContactSettings = (contact: Contact, config: object): ContactSettings => ({
  id: formatId('contact', contact.id),
  ...toFields(contact, CONTACT_FIELDS),
  type: contact.type,
  config,
  owner: contact.owner,
  created_at: contact.createdAt.toISOString(),
  updated_at: contact.updatedAt.toISOString(),
});
