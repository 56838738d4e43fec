import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { SPEC_CHANNEL_TYPES } from '../channel/channel';
import { DeliverySummaryView } from '../delivery/delivery-summary';
import { IsPlainObject, Optional, ReadOnlyField } from '../platform/http/validators';
import { PageQuery, QueryBoolean } from '../platform/http/page';
import { formatId } from '../platform/ids/id';
import { IsPublicId } from '../platform/ids/public-id.rule';
import type { Alert } from './alert.entity';
import { ALERT_CONDITIONS, type AlertCondition } from './incident/alert-transition';

const MAX_THRESHOLD = 100;

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
const CONDITION = {
  enum: ALERT_CONDITIONS,
  description:
    'Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one.',
  default: 'down',
  example: 'down',
};
const FAILURES = {
  type: 'integer' as const,
  description: 'Consecutive bad checks that trigger the alert. An edit counts from the next result.',
  minimum: 1,
  maximum: MAX_THRESHOLD,
  default: 3,
  example: 3,
};
const SUCCESSES = {
  type: 'integer' as const,
  description: 'Consecutive good checks that resolve it. An edit counts from the next result.',
  minimum: 1,
  maximum: MAX_THRESHOLD,
  default: 2,
  example: 2,
};
const RESOLVED = { description: 'false: a resolve is recorded, but not sent.', default: true };
const DESCRIPTION = { description: 'Free text, part of every message.', maxLength: 1000, default: '' };
const ENABLED = { description: 'false: never triggers; an open incident is resolved.', default: true };

/** Read-only fields may be sent back; they are ignored. */
class AlertReadOnly {
  @ReadOnlyField() id?: unknown;
  @ReadOnlyField() triggered?: unknown;
  @ReadOnlyField() destination?: unknown;
  @ReadOnlyField() last_delivery?: unknown;
  @ReadOnlyField() created_at?: unknown;
  @ReadOnlyField() updated_at?: unknown;
}

/** What creates and updates have in common. */
class AlertRuleFields extends AlertReadOnly {
  @ApiPropertyOptional(CONDITION)
  @Optional()
  @IsIn(ALERT_CONDITIONS)
  condition?: AlertCondition;

  @ApiPropertyOptional(FAILURES)
  @Optional()
  @IsInt()
  @Min(1)
  @Max(MAX_THRESHOLD)
  failure_threshold?: number;

  @ApiPropertyOptional(SUCCESSES)
  @Optional()
  @IsInt()
  @Min(1)
  @Max(MAX_THRESHOLD)
  success_threshold?: number;

  @ApiPropertyOptional(RESOLVED)
  @Optional()
  @IsBoolean()
  send_on_resolved?: boolean;

  @ApiPropertyOptional(DESCRIPTION)
  @Optional()
  @IsString()
  @MaxLength(1000)
  description?: string;

  @ApiPropertyOptional(ENABLED)
  @Optional()
  @IsBoolean()
  enabled?: boolean;
}

/** All optional: only the fields sent change. */
export class UpdateAlertDto extends AlertRuleFields {
  @ApiPropertyOptional({
    description: 'Immutable: accepted only with its present value.',
    example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @Optional()
  @IsPublicId('endpoint')
  endpoint_id?: string;

  @ApiPropertyOptional({ ...TYPE, description: `${TYPE.description} Changes only together with \`config\`.` })
  @Optional()
  @IsString()
  type?: string;

  @ApiPropertyOptional(CONFIG)
  @Optional()
  @IsPlainObject()
  config?: object;
}

export class CreateAlertDto extends AlertRuleFields {
  @ApiProperty({
    description: 'The endpoint it watches. Cannot be changed later.',
    example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @IsPublicId('endpoint')
  endpoint_id!: string;

  @ApiProperty({ ...TYPE, example: 'slack' })
  @IsString()
  type!: string;

  @ApiProperty(CONFIG)
  @IsPlainObject()
  config!: object;
}

/** Filters of the list; an unknown id matches nothing. */
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

  @ApiPropertyOptional({ description: 'Only alerts of this channel type.', example: 'slack' })
  @IsOptional()
  @IsString()
  @MaxLength(32)
  type?: string;

  @ApiPropertyOptional({ description: 'Only enabled, or only disabled alerts.', example: true })
  @IsOptional()
  @QueryBoolean()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({ description: 'Only alerts with, or without an open incident.', example: true })
  @IsOptional()
  @QueryBoolean()
  @IsBoolean()
  triggered?: boolean;
}

export class AlertView {
  @ApiProperty({ example: 'al_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ description: 'The endpoint it watches.', example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  endpoint_id!: string;

  @ApiProperty({ ...TYPE, example: 'slack' })
  type!: string;

  @ApiProperty({ description: 'false: never triggers.', example: true })
  enabled!: boolean;

  @ApiProperty(CONFIG)
  config!: object;

  @ApiProperty(CONDITION)
  condition!: AlertCondition;

  @ApiProperty(FAILURES)
  failure_threshold!: number;

  @ApiProperty(SUCCESSES)
  success_threshold!: number;

  @ApiProperty({ ...RESOLVED, example: true })
  send_on_resolved!: boolean;

  @ApiProperty({ ...DESCRIPTION, example: 'Runbook: https://wiki.example.com/checkout' })
  description!: string;

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

/** What clients set and what became of it, as the audit log shows it. */
export type AlertRule = Omit<AlertView, 'destination' | 'last_delivery'>;

/** `config` is already masked for the reader. */
export const toAlertRule = (alert: Alert, config: object): AlertRule => ({
  id: formatId('alert', alert.id),
  endpoint_id: formatId('endpoint', alert.endpointId),
  type: alert.type,
  enabled: alert.enabled,
  config,
  condition: alert.condition,
  failure_threshold: alert.failureThreshold,
  success_threshold: alert.successThreshold,
  send_on_resolved: alert.sendOnResolved,
  description: alert.description,
  triggered: alert.triggered,
  created_at: alert.createdAt.toISOString(),
  updated_at: alert.updatedAt.toISOString(),
});
