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

/** The states for which all deliveries of an organization can be listed. Each needs an index. */
const LISTED_STATES = ['failed'] as const;

export class DeliveryListQuery extends DeliveryQuery {
  @ApiProperty({
    enum: LISTED_STATES,
    description: '`failed`: given up. Further states may follow.',
    example: 'failed',
  })
  @IsIn(LISTED_STATES)
  state!: (typeof LISTED_STATES)[number];
}

/** The result of a test that is not stored. */
export class DeliveryTestView {
  @ApiProperty({ enum: ['delivered', 'failed'] })
  state!: 'delivered' | 'failed';

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 200,
    description: 'Status of the answer; null when there was none.',
  })
  response_status!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'What went wrong, without URLs and secrets; of a delivered one what should be corrected.',
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
    description: 'null for `contact_failing`, which no alert sends.',
  })
  alert_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Of `contact_failing`: the contact that it is about; null for everything else.',
  })
  contact_id!: string | null;

  @ApiProperty({
    type: DeliveryContactView,
    nullable: true,
    description:
      'The contact that it goes through; null for a config of the alert’s own and a contact that is deleted.',
  })
  contact!: DeliveryContactView | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'ev_01jd3k6q7be5y9x4v2m8n0r1st',
    description:
      'The event it tells, of a reminder that of the trigger; null for a test message and `contact_failing`.',
  })
  event_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st',
    description: 'The endpoint it is about.',
  })
  endpoint_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Checkout API', description: 'Its name at that time.' })
  endpoint_name!: string | null;

  @ApiProperty({
    enum: DELIVERY_KINDS,
    description:
      'What it tells: a trigger, a resolve, to pagers that somebody has the incident in hand, to all others a reminder that it is still open, a test, or that messages to another contact have been failing for a week.',
  })
  kind!: DeliveryKind;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: null,
    description: 'Of a reminder: which one of its incident it is, from 1; null for everything else.',
  })
  ordinal!: number | null;

  @ApiProperty({ example: 'slack', description: 'Channel type it goes through.' })
  channel_type!: string;

  @ApiProperty({
    enum: DELIVERY_STATES,
    description:
      '`pending` until it is told or given up; `delivered`: the provider took it; `failed`: given up, and revived only by a redelivery or another config of the alert; `superseded`: not told, because telling it had become wrong.',
  })
  state!: DeliveryState;

  @ApiProperty({
    enum: DELIVERY_DETAILS,
    nullable: true,
    example: null,
    description:
      'How or why it reached its state. `digest`, `combined`, `flapping`: told together with others (`flapping` while pending: the last word waits until the alert is stable). `rejected`: refused by the provider. `expired`: too old after failed attempts. `behind_failed`: a resolve whose trigger was refused. `resolved_before_sent`, `trigger_not_told`, `collapsed`: overtaken by what happened since. `not_supported`: an acknowledgement for a channel that cannot be told, or a reminder or a failing contact for a pager.',
  })
  detail!: DeliveryDetail | null;

  @ApiProperty({ example: 1, description: 'Attempts so far.' })
  attempts!: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T10:00:00.120Z' })
  last_attempt_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'Earliest next attempt; null when there will be none.',
  })
  next_attempt_at!: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 200,
    description: 'Status of the last answer; null when there was none.',
  })
  response_status!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'What went wrong at the last attempt, without URLs and secrets.',
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
