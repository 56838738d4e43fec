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
  description: `The channel type: ${SPEC_CHANNEL_TYPES.join(', ')}, or a type that a module adds.`,
};
const CONFIG = {
  type: 'object' as const,
  additionalProperties: true,
  description:
    'The settings of the channel. They depend on `type`. Credentials are write-only and are returned masked. If you send a masked value back, the stored value is kept, unless the config now connects to another server or port or uses other encryption. For read keys, URLs and addresses are masked as well. The visible part of a masked value never contains part of a secret.',
  example: { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' },
};
const CONTACT = {
  type: String,
  nullable: true,
  description: 'The contact that the alert rule notifies through.',
  example: 'ct_01jd3k6q7be5y9x4v2m8n0r1st',
};
const DESCRIPTION = { description: 'Free text that is included in every message.', maxLength: 1000, default: '' };
const ENABLED = {
  description: 'Whether the alert can trigger. Setting it to `false` resolves a triggered alert.',
  default: true,
};

export class AlertView {
  @ApiProperty({ example: 'al_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ description: 'The endpoint that the alert rule watches.', example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  endpoint_id!: string;

  @ApiProperty({
    ...CONTACT,
    description: `${CONTACT.description} \`null\` if the alert rule has its own config. Otherwise, \`type\` and \`config\` come from the contact.`,
  })
  contact_id!: string | null;

  @ApiProperty({ ...TYPE, example: 'slack' })
  type!: string;

  @ApiProperty({ description: 'Whether the alert can trigger.', example: true })
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

  @ApiProperty({ description: 'Whether the alert is triggered and not yet resolved.', example: false })
  triggered!: boolean;

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
    type: DeliverySummaryView,
    nullable: true,
    description:
      'The newest message sent by the alert rule, including test messages, and its delivery state. `null` before the first message.',
  })
  last_delivery!: DeliverySummaryView | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  created_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The time of the last change by a client. Triggering and resolving do not count as changes.',
    example: '2026-11-20T09:00:00.000Z',
  })
  updated_at!: string;
}

/** The fields that creates and updates have in common. */
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

/** All fields are optional. Fields that aren't sent don't change. */
export class UpdateAlertDto extends AlertRuleFields {
  @ApiPropertyOptional({
    description: 'Cannot be changed. Only the current value is accepted.',
    example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @Optional()
  @IsPublicId('endpoint')
  endpoint_id?: string;

  @ApiPropertyOptional({
    ...CONTACT,
    description: `${CONTACT.description} Set a different contact to switch the alert rule to it. Set \`null\` to detach it: the alert rule keeps the current config as its own. Sending \`type\` and \`config\` also detaches it.`,
  })
  @Nullable()
  @IsPublicId('contact')
  contact_id?: string | null;

  @ApiPropertyOptional({ ...TYPE, description: `${TYPE.description} Can only be changed together with \`config\`.` })
  @Optional()
  @IsString()
  type?: string;

  @ApiPropertyOptional(CONFIG)
  @Optional()
  @IsPlainObject()
  config?: object;
}

/** The field is required unless there is a contact. */
const NeededWithoutContact = (): PropertyDecorator =>
  ValidateIf(({ contact_id }: CreateAlertDto, value) => value !== undefined || (contact_id ?? null) === null);

export class CreateAlertDto extends AlertRuleFields {
  @ApiProperty({
    description: 'The endpoint that the alert rule watches. Cannot be changed later.',
    example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @IsPublicId('endpoint')
  endpoint_id!: string;

  @ApiPropertyOptional({ ...CONTACT, description: `${CONTACT.description} Use it instead of \`type\` and \`config\`.` })
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

/** Filters for the list. An unknown ID matches nothing. */
export class AlertQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Only alert rules for this endpoint.', example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  @IsOptional()
  @IsPublicId('endpoint')
  endpoint_id?: string;

  @ApiPropertyOptional({
    description: 'Only alert rules for endpoints of this website.',
    example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @IsOptional()
  @IsPublicId('website')
  website_id?: string;

  @ApiPropertyOptional({
    description: 'Only alert rules that notify through this contact.',
    example: 'ct_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @IsOptional()
  @IsPublicId('contact')
  contact_id?: string;

  @ApiPropertyOptional({ description: 'Only alert rules of this channel type.', example: 'slack' })
  @IsOptional()
  @IsString()
  @MaxLength(32)
  type?: string;

  @ApiPropertyOptional({ description: 'Only enabled (`true`) or only disabled (`false`) alert rules.', example: true })
  @IsOptional()
  @QueryBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    description: 'Only alert rules whose alert is triggered (`true`) or not triggered (`false`).',
    example: true,
  })
  @IsOptional()
  @QueryBoolean()
  triggered?: boolean;
}

/** The API names of an alert's plain fields, in display order. */
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

/** An alert's settings and state, as shown in the audit log. */
export type AlertRule = Omit<AlertView, 'destination' | 'cannot_send' | 'last_delivery'>;

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
