import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Max, Min } from 'class-validator';
import type { SendOutcome } from '../channel/channel';
import { CursorQuery, LIMIT_DESCRIPTION, QueryInteger } from '../platform/http/page';
import { formatId } from '../platform/ids/id';
import {
  DELIVERY_DETAILS,
  DELIVERY_KINDS,
  DELIVERY_STATES,
  type DeliveryDetail,
  type DeliveryKind,
  type DeliveryState,
} from './delivery';
import { contactColumns, type DeliveryContactRow, DeliveryContactView, toDeliveryContact } from './delivery-contact';

export class DeliveryQuery extends CursorQuery {
  @ApiPropertyOptional({ description: LIMIT_DESCRIPTION, minimum: 1, maximum: 1000, default: 50 })
  @IsOptional()
  @QueryInteger()
  @Min(1)
  @Max(1000)
  limit?: number;
}

/** The states that can be used to list all of an organization's deliveries. Each needs an index. */
const LISTED_STATES = ['failed'] as const;

export class DeliveryListQuery extends DeliveryQuery {
  @ApiProperty({
    enum: LISTED_STATES,
    description: 'Only deliveries in this state. `failed`: given up. More states may be added.',
    example: 'failed',
  })
  @IsIn(LISTED_STATES)
  state!: (typeof LISTED_STATES)[number];
}

/** The result of a test, which is not stored. */
export class DeliveryTestView {
  @ApiProperty({ enum: ['delivered', 'failed'] })
  state!: 'delivered' | 'failed';

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 200,
    description: 'The HTTP status of the response. `null` if there was no response.',
  })
  response_status!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The error, without URLs and secrets. For a delivered message, a problem that you should correct.',
  })
  error!: string | null;
}

export const toDeliveryTestView = (outcome: SendOutcome): DeliveryTestView => ({
  state: outcome.result === 'delivered' ? 'delivered' : 'failed',
  response_status: outcome.status,
  error: outcome.result === 'delivered' ? (outcome.warning ?? null) : outcome.error,
});

export class DeliveryView {
  @ApiProperty({ example: 'dl_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'al_01jd3k6q7be5y9x4v2m8n0r1st',
    description: 'The ID of the alert rule. `null` for `contact_failing`, which no alert rule sends.',
  })
  alert_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'For `contact_failing`, the ID of the contact that is failing. Otherwise `null`.',
  })
  contact_id!: string | null;

  @ApiProperty({
    type: DeliveryContactView,
    nullable: true,
    description:
      'The contact that the message is sent through. `null` if the alert rule has its own config or if the contact was deleted.',
  })
  contact!: DeliveryContactView | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'ev_01jd3k6q7be5y9x4v2m8n0r1st',
    description:
      'The ID of the event that this delivery is about. For reminders, the ID of the trigger event. `null` for test messages and `contact_failing`.',
  })
  event_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st',
    description: 'The ID of the endpoint that this delivery is about.',
  })
  endpoint_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Checkout API',
    description: 'The name of the endpoint when the delivery was created.',
  })
  endpoint_name!: string | null;

  @ApiProperty({
    enum: DELIVERY_KINDS,
    description:
      'The reason for the message: a trigger, a resolve, an acknowledgement (only to pagers), a reminder that the alert is still triggered (to all other channels), a test, or another contact whose messages have been failing for a week.',
  })
  kind!: DeliveryKind;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: null,
    description: 'For reminders, the number of the reminder since the trigger, starting at 1. Otherwise `null`.',
  })
  ordinal!: number | null;

  @ApiProperty({ example: 'slack', description: 'The type of the channel that the message is sent through.' })
  channel_type!: string;

  @ApiProperty({
    enum: DELIVERY_STATES,
    description:
      '`pending`: not sent and not given up yet. `delivered`: the provider accepted it. `failed`: given up. Only a redelivery or a new config of the alert rule sends it again. `superseded`: not sent, because the message was no longer correct.',
  })
  state!: DeliveryState;

  @ApiProperty({
    enum: DELIVERY_DETAILS,
    nullable: true,
    example: null,
    description:
      'How or why the delivery reached its state. `digest`, `combined`, `flapping`: sent together with others. If a pending delivery is `flapping`, the final message waits until the alert is stable. `rejected`: rejected by the provider. `expired`: too old after failed attempts. `behind_failed`: a resolve whose trigger was rejected. `resolved_before_sent`, `trigger_not_told`, `collapsed`: outdated by later events. `not_supported`: an acknowledgement for a channel that does not support it, or a reminder or a failing contact, which pagers do not receive.',
  })
  detail!: DeliveryDetail | null;

  @ApiProperty({ example: 1, description: 'The number of attempts so far.' })
  attempts!: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T10:00:00.120Z' })
  last_attempt_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'The earliest time of the next attempt. `null` if there will be no more attempts.',
  })
  next_attempt_at!: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 200,
    description: 'The HTTP status of the last response. `null` if there was no response.',
  })
  response_status!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The error of the last attempt, without URLs and secrets.',
  })
  error!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;
}

export interface DeliveryRow extends DeliveryContactRow {
  id: string;
  seq: string;
  alert_id: string | null;
  about_contact: string | null;
  event_id: string | null;
  endpoint_id: string | null;
  endpoint_name: string | null;
  kind: DeliveryKind;
  ordinal: number | null;
  channel_type: string;
  state: DeliveryState;
  detail: DeliveryDetail | null;
  attempts: number;
  last_attempt_at: Date | null;
  next_attempt_at: Date;
  response_status: number | null;
  error: string | null;
  created_at: Date;
}

export const DELIVERY_COLUMNS = `id, seq, alert_id, COALESCE(event_id, reminder_of) AS event_id,
  NULLIF(notice #>> '{endpoint,id}', '') AS endpoint_id, NULLIF(notice #>> '{endpoint,name}', '') AS endpoint_name,
  CASE kind WHEN 'contact_failing' THEN notice #>> '{contact,id}' END AS about_contact, kind, ordinal, channel_type, state, detail, attempts,
  last_attempt_at, next_attempt_at, response_status, error, created_at, ${contactColumns('notification')}`;

export const toDeliveryView = (row: DeliveryRow): DeliveryView => ({
  id: formatId('delivery', row.id),
  alert_id: row.alert_id === null ? null : formatId('alert', row.alert_id),
  contact_id: row.about_contact,
  contact: toDeliveryContact(row),
  event_id: row.event_id === null ? null : formatId('event', row.event_id),
  endpoint_id: row.endpoint_id,
  endpoint_name: row.endpoint_name,
  kind: row.kind,
  ordinal: row.ordinal,
  channel_type: row.channel_type,
  state: row.state,
  detail: row.detail,
  attempts: row.attempts,
  last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
  next_attempt_at: row.state === 'pending' ? row.next_attempt_at.toISOString() : null,
  response_status: row.response_status,
  error: row.error,
  created_at: row.created_at.toISOString(),
});
