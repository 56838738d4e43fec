import { ApiProperty } from '@nestjs/swagger';
import { oneLine, someLines } from '../../platform/text/text-limits';
import type { Notification } from '../channel';
import { eventSentence, targetText } from '../notification-text';

const MAX_LINES = 500;

/** Of the notifications there are: webhooks get each event by itself, so never a digest or one for several. */
export const WEBHOOK_KINDS = ['triggered', 'resolved', 'test'] as const;

const WHEN = { type: String, format: 'date-time' };

export class NotifiedErrorView {
  @ApiProperty({
    type: 'string',
    allOf: [{ $ref: '#/components/schemas/CheckErrorCode' }],
    description: 'Stable; switch on it.',
    example: 'connection_refused',
  })
  code!: string;

  @ApiProperty({ description: 'One line for people.', example: 'connection refused' })
  message!: string;
}

export class NotifiedEventView {
  @ApiProperty({
    description:
      '`ev_…` of the event, as in the list of alert events; `dl_…` of the delivery for a test. Equal over all attempts.',
    example: 'ev_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  id!: string;

  @ApiProperty({ enum: WEBHOOK_KINDS, example: 'triggered' })
  type!: string;

  @ApiProperty({
    enum: ['down', 'degraded'],
    description:
      'Which checks are bad for the alert: those that are down, or also those that are up while an assertion of severity `warning` fails.',
    example: 'down',
  })
  condition!: string;

  @ApiProperty({
    description: 'What happened, in one sentence.',
    example: 'Checkout API is down: connection refused (3 checks in a row)',
  })
  message!: string;

  @ApiProperty({
    description: 'The same for a trigger and its resolve.',
    example: 'al_01jd3k6q7be5y9x4v2m8n0r1st-7',
  })
  incident_key!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of a resolve: the `ev_…` of its trigger.',
    example: null,
  })
  trigger_event_id!: string | null;

  @ApiProperty({
    type: String,
    enum: ['threshold', 'disabled', 'deleted'],
    nullable: true,
    description: 'Why: enough checks in a row, or something was switched off or deleted. null in a test.',
    example: 'threshold',
  })
  reason!: Notification['reason'];

  @ApiProperty({
    type: NotifiedErrorView,
    nullable: true,
    description: 'Of a trigger: what the newest check failed with, or its warning when it was up.',
  })
  error!: NotifiedErrorView | null;

  @ApiProperty({ type: 'integer', description: 'Consecutive bad checks at that moment.', example: 3 })
  failure_count!: number;

  @ApiProperty({ type: 'integer', description: 'Consecutive good checks at that moment.', example: 0 })
  success_count!: number;

  @ApiProperty({ ...WHEN, nullable: true, description: 'First bad check.', example: '2026-11-20T09:58:00.000Z' })
  started_at!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Of a resolve: seconds from the first failing check to the end.',
    example: null,
  })
  duration_seconds!: number | null;

  @ApiProperty({ ...WHEN, description: 'When it was recorded.', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;
}

export class NotifiedAlertView {
  @ApiProperty({ example: 'al_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ description: 'The alert’s own text.', example: 'Runbook: https://wiki.example.com/checkout' })
  description!: string;
}

export class NotifiedEndpointView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Checkout API' })
  name!: string;

  @ApiProperty({
    description: 'What is checked, without user name, password and query.',
    example: 'https://shop.example.com/checkout',
  })
  url!: string;

  @ApiProperty({ example: 'HTTPS' })
  type!: string;
}

export class NotifiedWebsiteView {
  @ApiProperty({ example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Example shop' })
  name!: string;

  @ApiProperty({ example: 'https://shop.example.com' })
  url!: string;
}

export class NotifiedCheckView {
  @ApiProperty({ ...WHEN, example: '2026-11-20T10:00:00.000Z' })
  checked_at!: string;

  @ApiProperty({ description: 'Milliseconds.', example: 12.5 })
  duration_ms!: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'HTTP status.', example: 503 })
  status_code!: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'The address connected to.', example: '192.0.2.1' })
  address!: string | null;
}

export class NotificationDataView {
  @ApiProperty()
  event!: NotifiedEventView;

  @ApiProperty()
  alert!: NotifiedAlertView;

  @ApiProperty()
  endpoint!: NotifiedEndpointView;

  @ApiProperty()
  website!: NotifiedWebsiteView;

  @ApiProperty({ type: NotifiedCheckView, nullable: true, description: 'The check that decided; null in a test.' })
  check!: NotifiedCheckView | null;
}

class WebhookNotification {
  @ApiProperty({
    ...WHEN,
    description: 'When it happened: `created_at` of the event.',
    example: '2026-11-20T10:00:00.000Z',
  })
  timestamp!: string;

  @ApiProperty()
  data!: NotificationDataView;
}

const typeOf = (kind: (typeof WEBHOOK_KINDS)[number]) => ({ enum: [`alert.${kind}`], example: `alert.${kind}` });

export class AlertTriggeredView extends WebhookNotification {
  @ApiProperty(typeOf('triggered'))
  type!: string;
}

export class AlertResolvedView extends WebhookNotification {
  @ApiProperty(typeOf('resolved'))
  type!: string;
}

export class AlertTestView extends WebhookNotification {
  @ApiProperty(typeOf('test'))
  type!: string;
}

/** The signed body. It depends on the event alone, so that every attempt sends the same bytes. */
export function webhookBody(notification: Notification): AlertTriggeredView {
  const { alert, endpoint, website, check, error, digest } = notification;
  return {
    type: `alert.${notification.kind}`,
    timestamp: notification.createdAt,
    data: {
      event: {
        id: notification.id,
        type: notification.kind,
        condition: notification.condition,
        message: eventSentence(notification),
        incident_key: notification.incidentKey,
        trigger_event_id: notification.triggerId,
        reason: notification.reason,
        error: error && { code: error.code, message: oneLine(error.message) },
        failure_count: notification.failureCount,
        success_count: notification.successCount,
        started_at: notification.startedAt,
        duration_seconds: notification.durationSeconds,
        created_at: notification.createdAt,
      },
      alert: { id: alert.id, description: someLines(alert.description, MAX_LINES) },
      endpoint: { id: endpoint.id, name: oneLine(endpoint.name), url: targetText(endpoint.url), type: endpoint.type },
      website: { id: website.id, name: oneLine(website.name), url: oneLine(website.url) },
      check: check && {
        checked_at: check.checkedAt,
        duration_ms: check.durationMs,
        status_code: check.statusCode,
        address: check.address,
      },
      ...(digest === null ? {} : { digest }),
    },
  };
}
