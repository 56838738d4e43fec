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

const NAME = { description: 'Who is reached.', example: 'Operations', minLength: 1, maxLength: MAX_NAME };
const TYPE = {
  description: `Channel type: ${SPEC_CHANNEL_TYPES.join(', ')}, and those that modules add.`,
  example: 'slack',
};
const CONFIG = {
  type: 'object' as const,
  additionalProperties: true,
  description: 'Settings of the channel, by `type`, as those of an alert; masked in the same way.',
  example: { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
};
const DEFAULT = { description: 'New endpoints get an alert through it.', default: false };
const ALERT_DEFAULTS = {
  type: AlertDefaults,
  description: 'What alerts through it begin with where nobody says otherwise. Sent, it replaces what was there.',
  example: { failure_threshold: 2, remind_every: 3600 },
};

/** The state of the newest message through a contact. */
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
      'Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.',
    example: 'hooks.slack.com',
  })
  destination!: string | null;

  @ApiProperty({ type: 'integer', description: 'Alerts that notify through it.', example: 12 })
  alert_count!: number;

  @ApiProperty({
    type: ContactDeliveryView,
    nullable: true,
    description: 'The newest message through it, without tests, and what became of it; null before the first.',
  })
  last_delivery!: ContactDeliveryView | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The first failed attempt since the last one that was delivered; null while messages arrive.',
    example: null,
  })
  failing_since!: string | null;

  @ApiProperty({
    description:
      'Its messages have not arrived for more than seven days: at least three attempts failed since, the last within a day. The other default contacts are told once. Nothing is switched off.',
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
  @ApiPropertyOptional({ description: `${TYPE.description} Changes only together with \`config\`.` })
  override type?: string;
}

export class ContactQuery extends PageQuery {
  @ApiPropertyOptional({ description: '`true`: only those that are failing; `false`: only the others.', example: true })
  @Optional()
  @QueryBoolean()
  failing?: boolean;
}

export class DeleteContactQuery {
  @ApiPropertyOptional({
    description: 'The contact that its alerts notify through from then on.',
    example: CONTACT_ID,
  })
  @Optional()
  @IsPublicId('contact')
  replace_with?: string;
}

/** The names of a contact's plain fields in the API, in the order of display. */
export const CONTACT_FIELDS = {
  name: 'name',
  isDefault: 'default',
  defaults: 'alert_defaults',
  externalKey: 'key',
} as const satisfies Record<keyof typeof DEFAULT_CONTACT, keyof UpdateContactDto & keyof ContactView>;

/** The fields that clients set, as shown in the audit log. */
export type ContactSettings = Omit<
  ContactView,
  'destination' | 'alert_count' | 'last_delivery' | 'failing_since' | 'failing'
>;

/** Expects a `config` that is already masked for the reader. */
export const toContactSettings = (contact: Contact, config: object): ContactSettings => ({
  id: formatId('contact', contact.id),
  ...toFields(contact, CONTACT_FIELDS),
  type: contact.type,
  config,
  owner: contact.owner,
  created_at: contact.createdAt.toISOString(),
  updated_at: contact.updatedAt.toISOString(),
});
