import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Max, Min } from 'class-validator';
import { SPEC_CHANNEL_TYPES } from '../../channel/channel';
import { ERROR_CODES } from '../../checker/checker';
import { DeliveryContactView } from '../../delivery/delivery-contact';
import { DeliverySummaryView } from '../../delivery/delivery-summary';
import { CursorQuery, LIMIT_DESCRIPTION, QueryInteger } from '../../platform/http/page';
import { QueryTimestamp } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { IsPublicId } from '../../platform/ids/public-id.rule';
import type { AlertEvent } from './alert-event.entity';
import { ALERT_CONDITIONS, type AlertCondition } from '../../alert-rule/alert-rule';
import { EVENT_REASONS, type EventReason } from '../episode/episode';

export const EVENT_TYPES = ['triggered', 'resolved'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Filters for the feed. An unknown ID matches nothing. */
export class AlertEventQuery extends CursorQuery {
  @ApiPropertyOptional({ type: 'integer', description: LIMIT_DESCRIPTION, minimum: 1, maximum: 1000, default: 50 })
  @IsOptional()
  @QueryInteger()
  @Min(1)
  @Max(1000)
  limit?: number;

  @ApiPropertyOptional({ description: 'Only events for this alert rule.', example: 'al_01jd3k6q7be5y9x4v2m8n0r1st' })
  @IsOptional()
  @IsPublicId('alert')
  alert_id?: string;

  @ApiPropertyOptional({ description: 'Only events for this endpoint.', example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  @IsOptional()
  @IsPublicId('endpoint')
  endpoint_id?: string;

  @ApiPropertyOptional({ description: 'Only events for this website.', example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' })
  @IsOptional()
  @IsPublicId('website')
  website_id?: string;

  @ApiPropertyOptional({
    description: 'Only events that belong to this incident.',
    example: 'inc_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @IsOptional()
  @IsPublicId('incident')
  incident_id?: string;

  @ApiPropertyOptional({ enum: EVENT_TYPES, description: 'Only events of this kind.' })
  @IsOptional()
  @IsIn(EVENT_TYPES)
  type?: EventType;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Only events recorded at this time or later.',
    example: '2026-11-20T00:00:00.000Z',
  })
  @IsOptional()
  @QueryTimestamp()
  since?: Date;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Only events recorded before this time.',
    example: '2026-11-21T00:00:00.000Z',
  })
  @IsOptional()
  @QueryTimestamp()
  until?: Date;
}

export class AlertEventErrorView {
  @ApiProperty({ enum: ERROR_CODES, enumName: 'CheckErrorCode', example: 'connection_refused' })
  code!: string;

  @ApiProperty({ example: 'connection refused' })
  message!: string;
}

export class AlertEventLocationView {
  @ApiProperty({ description: '`local`, the key of a probe, or `shared/…` for a shared probe.', example: 'fra' })
  location!: string;

  @ApiProperty({
    enum: ['up', 'down', 'unknown'],
    description:
      'The last outcome from this location. `unknown`: the location was not responding, and the others decided without it.',
    example: 'down',
  })
  outcome!: 'up' | 'down' | 'unknown';

  @ApiProperty({
    type: AlertEventErrorView,
    nullable: true,
    description: '`null` if the endpoint was up and had no warning.',
  })
  error!: AlertEventErrorView | null;
}

export class AlertEventView {
  @ApiProperty({ example: 'ev_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ enum: EVENT_TYPES })
  type!: EventType;

  @ApiProperty({
    example: 'al_01jd3k6q7be5y9x4v2m8n0r1st',
    description: 'The ID of the alert rule. The alert rule may have been deleted since then.',
  })
  alert_id!: string;

  @ApiProperty({
    description: `The channel type of the alert rule when the event was recorded: ${SPEC_CHANNEL_TYPES.join(', ')}, or a type that a module adds.`,
    example: 'slack',
  })
  alert_type!: string;

  @ApiProperty({
    enum: ALERT_CONDITIONS,
    description: 'Which checks counted as failed when the event was recorded.',
    example: 'down',
  })
  condition!: AlertCondition;

  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  endpoint_id!: string;

  @ApiProperty({ description: 'The name when the event was recorded.', example: 'Checkout API' })
  endpoint_name!: string;

  @ApiProperty({ example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' })
  website_id!: string;

  @ApiProperty({ description: 'The name when the event was recorded.', example: 'Example shop' })
  website_name!: string;

  @ApiProperty({
    enum: EVENT_REASONS,
    description:
      '`threshold`: enough consecutive checks failed or succeeded. `disabled`: the alert rule, endpoint, or website was turned off, or the type or config of the alert rule changed. `deleted`: one of them was deleted.',
  })
  reason!: EventReason;

  @ApiProperty({ example: 'Checkout API is down: connection refused (3 checks in a row)' })
  message!: string;

  @ApiProperty({
    type: AlertEventErrorView,
    nullable: true,
    description: 'The error of the failed check, or its warning if the endpoint was up. `null` for resolved events.',
  })
  error!: AlertEventErrorView | null;

  @ApiProperty({
    type: 'integer',
    description: 'The number of consecutive failed checks when the event was recorded.',
    example: 3,
  })
  failure_count!: number;

  @ApiProperty({
    type: 'integer',
    description: 'The number of consecutive successful checks when the event was recorded.',
    example: 0,
  })
  success_count!: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the first failed check outside of maintenance.',
    example: '2026-11-20T09:58:00.000Z',
  })
  started_at!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Only for resolved events: the length of the outage in seconds, from the first failed check to the first successful check after it. If a change ended the alert while the endpoint was still failing, the time until that change.',
    example: null,
  })
  duration_seconds!: number | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The incident that the endpoint belonged to when the event was recorded. `null` for events that are older than the incidents feature.',
    example: 'inc_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  incident_id!: string | null;

  @ApiProperty({
    type: [AlertEventLocationView],
    nullable: true,
    description:
      'The result of each location that counted, in the order of the endpoint’s locations. `null` for endpoints with one location, and if the cause is that something was turned off or deleted.',
    example: null,
  })
  locations!: AlertEventLocationView[] | null;

  @ApiPropertyOptional({
    type: DeliverySummaryView,
    nullable: true,
    description:
      'The delivery of the message about this event. `null` if no message was due. Absent in the live stream, because the stream sends events before any message is sent.',
  })
  delivery?: DeliverySummaryView | null;

  @ApiPropertyOptional({
    type: DeliveryContactView,
    nullable: true,
    description:
      'The contact that the message was sent through. `null` if no message was due, if the alert rule has its own config, or if the contact was deleted. Absent in the live stream.',
  })
  contact?: DeliveryContactView | null;
}

/** Returns the event itself. Lists add the state of its delivery. */
export const toAlertEventView = (event: AlertEvent): AlertEventView => ({
  id: formatId('event', event.id),
  type: event.type,
  alert_id: formatId('alert', event.alertId),
  alert_type: event.alertType,
  condition: event.condition,
  endpoint_id: formatId('endpoint', event.endpointId),
  endpoint_name: event.endpointName,
  website_id: formatId('website', event.websiteId),
  website_name: event.websiteName,
  reason: event.reason,
  message: event.message,
  error: event.errorCode === null ? null : { code: event.errorCode, message: event.errorMessage ?? '' },
  failure_count: event.failureCount,
  success_count: event.successCount,
  started_at: event.startedAt?.toISOString() ?? null,
  duration_seconds: event.durationSeconds,
  created_at: event.createdAt.toISOString(),
  incident_id: event.incidentId && formatId('incident', event.incidentId),
  locations: event.locations,
});
