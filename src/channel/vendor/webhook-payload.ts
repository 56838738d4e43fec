import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { oneLine, someLines } from '../../platform/text/text-limits';
import type { FailingContact, Notification, NotifiedContact } from '../notification';
import { targetText } from '../kind/wording';
import { eventSentence } from '../notification-text';

const MAX_LINES = 500;

/**
 * The kinds of notifications for webhooks. Webhooks receive each event separately, so never a digest or a combined
 * notification.
 */
export const WEBHOOK_KINDS = ['triggered', 'resolved', 'reminder', 'expiry', 'test'] as const;

const WHEN = { type: String, format: 'date-time' };

export class NotifiedErrorView {
  @ApiProperty({
    type: 'string',
    allOf: [{ $ref: '#/components/schemas/CheckErrorCode' }],
    description: 'A stable error code that programs can switch on.',
    example: 'connection_refused',
  })
  code!: string;

  @ApiProperty({ description: 'A human-readable one-line message.', example: 'connection refused' })
  message!: string;
}

export class NotifiedLocationView {
  @ApiProperty({ description: '`local`, the key of a probe, or `shared/…` for a shared probe.', example: 'fra' })
  location!: string;

  @ApiProperty({
    enum: ['up', 'down', 'unknown'],
    description:
      'The last result from this location. `unknown`: the location is not responding, and the other locations decide without it.',
    example: 'down',
  })
  outcome!: string;

  @ApiProperty({
    type: NotifiedErrorView,
    nullable: true,
    description: 'The error, or the warning if the endpoint is up. null if it is up and has no warning.',
  })
  error!: NotifiedErrorView | null;
}

export class NotifiedEventView {
  @ApiProperty({
    description:
      'The ID of the event. `ev_…` is the ID of an alert event. `dl_…` is the ID of the delivery, for a reminder, a test, an expiring certificate or a failing contact. The ID is the same in all attempts.',
    example: 'ev_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  id!: string;

  @ApiProperty({ enum: WEBHOOK_KINDS, example: 'triggered' })
  type!: string;

  @ApiProperty({
    enum: ['down', 'degraded'],
    description:
      'Which checks count as failed for the alert: only checks with the result down, or also checks with the result up in which an assertion with severity `warning` fails.',
    example: 'down',
  })
  condition!: string;

  @ApiProperty({
    description: 'A one-sentence summary of the event.',
    example: 'Checkout API is down: connection refused (3 checks in a row)',
  })
  message!: string;

  @ApiProperty({
    description: 'The key of the alert episode. It is the same for a trigger, its reminders, and its resolve.',
    example: 'al_01jd3k6q7be5y9x4v2m8n0r1st-7',
  })
  incident_key!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The `inc_…` ID of the incident that the event belongs to, that is, the group of endpoints that went down together. null for a test, for an expiring certificate, and for an event recorded before the service had incidents.',
    example: 'inc_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  incident_id!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The number of that incident within the organization.',
    example: 12,
  })
  incident_number!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Which outage of the endpoint in that incident the event is about, starting at 1. More than 1 means that the endpoint went down again and the incident reopened.',
    example: 1,
  })
  outage!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'For a resolve or a reminder, the `ev_…` ID of its trigger.',
    example: null,
  })
  trigger_event_id!: string | null;

  @ApiProperty({
    type: String,
    enum: ['threshold', 'disabled', 'deleted'],
    nullable: true,
    description:
      'Why the event happened: enough checks in a row, or something was disabled or deleted. null for a reminder and a test.',
    example: 'threshold',
  })
  reason!: Notification['reason'];

  @ApiProperty({
    type: NotifiedErrorView,
    nullable: true,
    description: 'For a trigger, the error of the newest check, or its warning if it was up.',
  })
  error!: NotifiedErrorView | null;

  @ApiProperty({
    type: [NotifiedLocationView],
    nullable: true,
    description:
      'For a trigger or resolve of an endpoint with several locations, the results of the locations that count. null with one location.',
    example: null,
  })
  locations!: NotifiedLocationView[] | null;

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
    ...WHEN,
    nullable: true,
    description: 'The time of the first failed check.',
    example: '2026-11-20T09:58:00.000Z',
  })
  started_at!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'For a resolve, the seconds from the first failed check to the first successful one, or to the change that ended the alert earlier. For a reminder, the seconds until now.',
    example: null,
  })
  duration_seconds!: number | null;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Only for a reminder: its number within the alert episode, starting at 1.',
    example: 3,
  })
  ordinal?: number;

  @ApiProperty({ ...WHEN, description: 'The time when the event was recorded.', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;
}

export class NotifiedAlertView {
  @ApiProperty({ example: 'al_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ description: 'The description of the alert.', example: 'Runbook: https://wiki.example.com/checkout' })
  description!: string;
}

export class NotifiedEndpointView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Checkout API' })
  name!: string;

  @ApiProperty({
    description: 'The target of the check, without user name, password, and query.',
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

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The duration in milliseconds. null for a job run that did not report a start.',
    example: 12.5,
  })
  duration_ms!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The HTTP status code.', example: 503 })
  status_code!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The IP address that the check connected to.',
    example: '192.0.2.1',
  })
  address!: string | null;
}

export class NotifiedLinksView {
  @ApiProperty({
    description:
      'The URL of the endpoint in the dashboard. For a test message, the URL of the alert or the contact. For a failing contact, the URL of that contact.',
    example: 'https://uptime.example.com/#/endpoints/ep_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  page!: string;
}

export class NotifiedContactView {
  @ApiProperty({ example: 'ct_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Operations' })
  name!: string;
}

const LINKS = {
  type: NotifiedLinksView,
  description: 'Links to the dashboard. Absent if the service has no `PUBLIC_URL`.',
};

export class NotificationDataView {
  @ApiProperty()
  event!: NotifiedEventView;

  @ApiProperty()
  alert!: NotifiedAlertView;

  @ApiProperty()
  endpoint!: NotifiedEndpointView;

  @ApiProperty()
  website!: NotifiedWebsiteView;

  @ApiPropertyOptional({
    type: NotifiedContactView,
    description: 'The contact that the first attempt was sent through. Absent if the alert has its own config.',
  })
  contact?: NotifiedContactView;

  @ApiProperty({
    type: NotifiedCheckView,
    nullable: true,
    description: 'The check that decided the event. null for a test.',
  })
  check!: NotifiedCheckView | null;

  @ApiPropertyOptional(LINKS)
  links?: NotifiedLinksView;
}

/** The data of a contact test, which has no alert, endpoint, or website. */
export class TestDataView {
  @ApiProperty()
  event!: NotifiedEventView;

  @ApiProperty({ type: NotifiedAlertView, nullable: true, description: 'The alert. null for the test of a contact.' })
  alert!: NotifiedAlertView | null;

  @ApiProperty({
    type: NotifiedEndpointView,
    nullable: true,
    description: 'The endpoint. null for the test of a contact.',
  })
  endpoint!: NotifiedEndpointView | null;

  @ApiProperty({
    type: NotifiedWebsiteView,
    nullable: true,
    description: 'The website. null for the test of a contact.',
  })
  website!: NotifiedWebsiteView | null;

  @ApiPropertyOptional({
    type: NotifiedContactView,
    description: 'The contact that is tested, or that the alert uses.',
  })
  contact?: NotifiedContactView;

  @ApiProperty({
    type: NotifiedCheckView,
    nullable: true,
    description: 'The check that decided the event. null for a test.',
    example: null,
  })
  check!: NotifiedCheckView | null;

  @ApiPropertyOptional(LINKS)
  links?: NotifiedLinksView;
}

const TIMESTAMP = {
  ...WHEN,
  description: 'The time of the event: `created_at` of the event.',
  example: '2026-11-20T10:00:00.000Z',
};

class WebhookNotification {
  @ApiProperty(TIMESTAMP)
  timestamp!: string;

  @ApiProperty()
  data!: NotificationDataView;
}

export class FailingContactView extends NotifiedContactView {
  @ApiProperty({ description: 'The channel type of the contact.', example: 'slack' })
  type!: string;

  @ApiProperty({
    ...WHEN,
    nullable: true,
    description: 'The time of the first failed attempt.',
    example: '2026-11-13T09:12:00.000Z',
  })
  failing_since!: string | null;

  @ApiProperty({ type: 'integer', description: 'The number of failed attempts since then.', example: 41 })
  attempts!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The error of the last failed attempt, without URLs and secrets.',
    example: 'Slack answered 403: invalid_token',
  })
  error!: string | null;
}

export class FailingEventView extends PickType(NotifiedEventView, ['id', 'created_at']) {
  @ApiProperty({ enum: ['contact_failing'], example: 'contact_failing' })
  type!: string;

  @ApiProperty({
    description: 'A one-sentence summary of the event.',
    example: 'Messages to contact Operations have been failing for 7 d 3 h: Slack answered 403: invalid_token',
  })
  message!: string;
}

export class FailingDataView {
  @ApiProperty()
  event!: FailingEventView;

  @ApiProperty()
  contact!: FailingContactView;

  @ApiPropertyOptional(LINKS)
  links?: NotifiedLinksView;
}

/** The data about a failing contact, which has no endpoint. */
export class ContactFailingView {
  @ApiProperty(TIMESTAMP)
  timestamp!: string;

  @ApiProperty()
  data!: FailingDataView;

  @ApiProperty({ enum: ['contact.failing'], example: 'contact.failing' })
  type!: string;
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

export class AlertReminderView extends WebhookNotification {
  @ApiProperty(typeOf('reminder'))
  type!: string;
}

export class EndingCertificateView {
  @ApiProperty({ type: String, nullable: true, example: 'CN=shop.example.com' })
  subject!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'CN=R11, O=Let’s Encrypt, C=US' })
  issuer!: string | null;

  @ApiProperty({ ...WHEN, example: '2026-11-30T10:00:00.000Z' })
  expires_at!: string;

  @ApiProperty({ type: 'integer', description: 'The number of whole days until the certificate expires.', example: 9 })
  days_left!: number;
}

export class ExpiryDataView extends NotificationDataView {
  @ApiProperty()
  certificate!: EndingCertificateView;
}

export class AlertExpiryView {
  @ApiProperty(TIMESTAMP)
  timestamp!: string;

  @ApiProperty()
  data!: ExpiryDataView;

  @ApiProperty(typeOf('expiry'))
  type!: string;
}

export class AlertTestView {
  @ApiProperty(TIMESTAMP)
  timestamp!: string;

  @ApiProperty()
  data!: TestDataView;

  @ApiProperty(typeOf('test'))
  type!: string;
}

/** Returns the signed body. It depends only on the notification, so that every attempt sends the same bytes. */
export function webhookBody(notification: Notification): AlertTestView | ContactFailingView {
  if (notification.kind === 'contact_failing') return failingBody(notification, notification);
  const { certificate, check, contact, digest, links, through } = notification;
  return {
    type: `alert.${notification.kind}`,
    timestamp: notification.createdAt,
    data: {
      event: eventOf(notification),
      ...(contact ? aboutContact(contact) : aboutEndpoint(notification)),
      ...(through && !contact ? { contact: contactOf(through) } : {}),
      check: check && {
        checked_at: check.checkedAt,
        duration_ms: check.durationMs,
        status_code: check.statusCode,
        address: check.address,
      },
      ...(certificate === undefined
        ? {}
        : {
            certificate: {
              subject: certificate.subject && oneLine(certificate.subject),
              issuer: certificate.issuer && oneLine(certificate.issuer),
              expires_at: certificate.expiresAt,
              days_left: certificate.daysLeft,
            },
          }),
      ...(links === undefined ? {} : { links: { page: links.page } }),
      ...(digest === null ? {} : { digest }),
    },
  };
}

const failingBody = (
  notification: Notification,
  { contact, failing }: { contact: NotifiedContact; failing: FailingContact },
): ContactFailingView => ({
  type: 'contact.failing',
  timestamp: notification.createdAt,
  data: {
    event: {
      id: notification.id,
      type: notification.kind,
      message: eventSentence(notification),
      created_at: notification.createdAt,
    },
    contact: {
      id: contact.id,
      name: oneLine(contact.name),
      type: failing.type,
      failing_since: notification.startedAt,
      attempts: failing.attempts,
      error: failing.error && oneLine(failing.error),
    },
    ...(notification.links === undefined ? {} : { links: { page: notification.links.page } }),
  },
});

const eventOf = (notification: Notification): NotifiedEventView => ({
  id: notification.id,
  type: notification.kind,
  condition: notification.condition,
  message: eventSentence(notification),
  incident_key: notification.incidentKey,
  incident_id: notification.incidentId ?? null,
  incident_number: notification.incidentNumber ?? null,
  outage: notification.outage ?? null,
  trigger_event_id: notification.triggerId,
  reason: notification.reason,
  error: errorOf(notification.error),
  locations:
    notification.locations?.map(({ location, outcome, error }) => ({ location, outcome, error: errorOf(error) })) ??
    null,
  failure_count: notification.failureCount,
  success_count: notification.successCount,
  started_at: notification.startedAt,
  duration_seconds: notification.durationSeconds,
  ...(notification.ordinal === undefined ? {} : { ordinal: notification.ordinal }),
  created_at: notification.createdAt,
});

const errorOf = (error: Notification['error']): NotifiedErrorView | null =>
  error && { code: error.code, message: oneLine(error.message) };

type About = Pick<TestDataView, 'alert' | 'endpoint' | 'website' | 'contact'>;

const aboutEndpoint = ({ alert, endpoint, website }: Notification): About => ({
  alert: { id: alert.id, description: someLines(alert.description, MAX_LINES) },
  endpoint: { id: endpoint.id, name: oneLine(endpoint.name), url: targetText(endpoint.url), type: endpoint.type },
  website: { id: website.id, name: oneLine(website.name), url: oneLine(website.url) },
});

const aboutContact = (contact: NonNullable<Notification['contact']>): About => ({
  alert: null,
  endpoint: null,
  website: null,
  contact: contactOf(contact),
});

const contactOf = ({ id, name }: NotifiedContactView): NotifiedContactView => ({ id, name: oneLine(name) });
