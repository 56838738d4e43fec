import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional, IsString, MaxLength, ValidateIf } from 'class-validator';
import { SPEC_CHANNEL_TYPES } from '../channel/channel';
import { type AlertCondition, AlertDefaults, RULE_TEXTS } from '../alert-rule/alert-rule';
import { DeliverySummaryView } from '../delivery/delivery-summary';
import { IsPlainObject, Nullable, Optional, ReadOnlyFieldsOf } from '../platform/http/validators';
import { toFields, toProperties } from '../platform/database/field-names';
import { PageQuery, QueryBoolean } from '../platform/http/page';
import { formatId } from '../platform/ids/id';
import { IsPublicId } from '../platform/ids/public-id.rule';
import { KeyField, ShownKey, ShownOwner } from '../platform/http/body/resource-key';
import type { Alert, RuleSettings } from './alert.entity';

const TYPE = {
  description: `Channel type: ${SPEC_CHANNEL_TYPES.join(', ')}, and those that modules add.`,
};
const CONFIG = {
  type: 'object' as const,
  additionalProperties: true,
  description:
    'Settings of the channel, by `type`. Credentials are write-only: they are returned masked, and a masked value sent back keeps the stored one, unless the config now connects to another server, port or encryption. URLs and addresses are masked for read keys; what is shown of a masked value is no part of a secret.',
  example: { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
};
const CONTACT = {
  type: String,
  nullable: true,
  description: 'The contact that it notifies through.',
  example: 'ct_01jd3k6q7be5y9x4v2m8n0r1st',
};
const DESCRIPTION = { description: 'Free text, part of every message.', maxLength: 1000, default: '' };
const ENABLED = { description: 'false: never triggers; an open incident is resolved.', default: true };

export class AlertView {
  @ApiProperty({ example: 'al_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ description: 'The endpoint it watches.', example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  endpoint_id!: string;

  @ApiProperty({
    ...CONTACT,
    description: `${CONTACT.description} null: it has a config of its own; else \`type\` and \`config\` are the contact’s.`,
  })
  contact_id!: string | null;

  @ApiProperty({ ...TYPE, example: 'slack' })
  type!: string;

  @ApiProperty({ description: 'false: never triggers.', example: true })
  enabled!: boolean;

  @ApiProperty(CONFIG)
  config!: object;

  @ApiProperty(RULE_TEXTS.condition)
  condition!: AlertCondition;

  @ApiProperty(RULE_TEXTS.failures)
  failure_threshold!: number;

  @ApiProperty(RULE_TEXTS.successes)
  success_threshold!: number;

  @ApiProperty({ ...RULE_TEXTS.resolved, example: true })
  send_on_resolved!: boolean;

  @ApiProperty(RULE_TEXTS.after)
  after!: number;

  @ApiProperty({ ...RULE_TEXTS.remindEvery, type: 'integer' })
  remind_every!: number | null;

  @ApiProperty({ ...DESCRIPTION, example: 'Runbook: https://wiki.example.com/checkout' })
  description!: string;

  @ShownKey('the alerts of the endpoint', 'chat')
  key!: string | null;

  @ShownOwner()
  owner!: string | null;

  @ApiProperty({ description: 'True while an incident is open.', example: false })
  triggered!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.',
    example: 'hooks.slack.com',
  })
  destination!: string | null;

  @ApiProperty({
    type: DeliverySummaryView,
    nullable: true,
    description: 'Its newest message, tests included, and what became of it; null before the first.',
  })
  last_delivery!: DeliverySummaryView | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  created_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'Last change by a client; transitions do not count.',
    example: '2026-11-20T09:00:00.000Z',
  })
  updated_at!: string;
}

/** Fields that creates and updates have in common. */
@ReadOnlyFieldsOf(AlertView)
class AlertRuleFields extends AlertDefaults {
  @ApiPropertyOptional(DESCRIPTION)
  @Optional()
  @IsString()
  @MaxLength(1000)
  description?: string;

  @ApiPropertyOptional(ENABLED)
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @KeyField('the alerts of the endpoint')
  key?: string | null;
}

/** All fields are optional. Only the fields that are sent change. */
export class UpdateAlertDto extends AlertRuleFields {
  @ApiPropertyOptional({
    description: 'Immutable: accepted only with its present value.',
    example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @Optional()
  @IsPublicId('endpoint')
  endpoint_id?: string;

  @ApiPropertyOptional({
    ...CONTACT,
    description: `${CONTACT.description} Another one moves the alert; null detaches it and keeps the present config as its own, \`type\` and \`config\` detach it as well.`,
  })
  @Nullable()
  @IsPublicId('contact')
  contact_id?: string | null;

  @ApiPropertyOptional({ ...TYPE, description: `${TYPE.description} Changes only together with \`config\`.` })
  @Optional()
  @IsString()
  type?: string;

  @ApiPropertyOptional(CONFIG)
  @Optional()
  @IsPlainObject()
  config?: object;
}

/** With a contact, the field may be absent. Without one, it is required. */
const NeededWithoutContact = (): PropertyDecorator =>
  ValidateIf(({ contact_id }: CreateAlertDto, value) => value !== undefined || (contact_id ?? null) === null);

export class CreateAlertDto extends AlertRuleFields {
  @ApiProperty({
    description: 'The endpoint it watches. Cannot be changed later.',
    example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @IsPublicId('endpoint')
  endpoint_id!: string;

  @ApiPropertyOptional({ ...CONTACT, description: `${CONTACT.description} Instead of \`type\` and \`config\`.` })
  @Nullable()
  @IsPublicId('contact')
  contact_id?: string | null;

  @ApiPropertyOptional({ ...TYPE, example: 'slack' })
  @NeededWithoutContact()
  @IsString()
  type?: string;

  @ApiPropertyOptional(CONFIG)
  @NeededWithoutContact()
  @IsPlainObject()
  config?: object;
}

/** Filters of the list. An unknown ID matches nothing. */
export class AlertQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Only alerts of this endpoint.', example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  @IsOptional()
  @IsPublicId('endpoint')
  endpoint_id?: string;

  @ApiPropertyOptional({
    description: 'Only alerts of this website’s endpoints.',
    example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @IsOptional()
  @IsPublicId('website')
  website_id?: string;

  @ApiPropertyOptional({ description: 'Only alerts of this contact.', example: 'ct_01jd3k6q7be5y9x4v2m8n0r1st' })
  @IsOptional()
  @IsPublicId('contact')
  contact_id?: string;

  @ApiPropertyOptional({ description: 'Only alerts of this channel type.', example: 'slack' })
  @IsOptional()
  @IsString()
  @MaxLength(32)
  type?: string;

  @ApiPropertyOptional({ description: 'Only enabled, or only disabled alerts.', example: true })
  @IsOptional()
  @QueryBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({ description: 'Only alerts with, or without an open incident.', example: true })
  @IsOptional()
  @QueryBoolean()
  triggered?: boolean;
}

/** The API names of the plain fields of an alert, in display order. */
export const RULE_FIELDS = {
  enabled: 'enabled',
  condition: 'condition',
  failureThreshold: 'failure_threshold',
  successThreshold: 'success_threshold',
  sendOnResolved: 'send_on_resolved',
  afterSeconds: 'after',
  remindEverySeconds: 'remind_every',
  description: 'description',
  externalKey: 'key',
} as const satisfies Record<keyof RuleSettings, keyof UpdateAlertDto & keyof AlertView>;

/** Returns the plain fields that were sent, by property name. The others are missing. */
export const ruleOf = (sent: UpdateAlertDto): Partial<RuleSettings> => toProperties(sent, RULE_FIELDS);

/** The settings and state of an alert, as the audit log shows them. */
export type AlertRule = Omit<AlertView, 'destination' | 'last_delivery'>;

/** Returns the alert for the audit log. `config` must already be masked for the reader. */
export const toAlertRule = (alert: Alert, config: object): AlertRule => ({
  id: formatId('alert', alert.id),
  endpoint_id: formatId('endpoint', alert.endpointId),
  contact_id: alert.contactId && formatId('contact', alert.contactId),
  type: alert.type,
  config,
  ...toFields(alert, RULE_FIELDS),
  owner: alert.owner,
  triggered: alert.triggered,
  created_at: alert.createdAt.toISOString(),
  updated_at: alert.updatedAt.toISOString(),
});
