import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { ChannelOpenApi } from '../delivery/config/channel-openapi';
import type { Schemas } from '../delivery/config/masked-config-schema';
import { OpenApiParts } from '../platform/openapi/openapi-parts';
import { AlertView, CreateAlertDto, UpdateAlertDto } from './alert.dto';
import {
  AlertExpiryView,
  AlertReminderView,
  AlertResolvedView,
  AlertTestView,
  AlertTriggeredView,
  ContactFailingView,
} from '../channel/vendor/webhook-payload';

type Schema = Schemas[string];

/** Adds the registered channels and the `webhook` channel's requests to the API reference for alerts. */
@Injectable()
export class AlertOpenApi implements OnModuleInit {
  constructor(
    private readonly channels: ChannelOpenApi,
    private readonly parts: OpenApiParts,
  ) {}

  onModuleInit(): void {
    this.channels.add({ noun: 'Alert', create: CreateAlertDto, update: UpdateAlertDto, view: AlertView });
    this.parts.add([...WEBHOOK_MODELS], (document) => {
      offerContact(document.components?.schemas ?? {});
      document.webhooks = { ...document.webhooks, ...webhookNotifications() };
      completeFilter(document, this.channels.types());
    });
  }
}

/** Limits the list's type filter to the existing types. */
function completeFilter({ paths }: OpenAPIObject, types: readonly string[]): void {
  for (const parameter of paths['/api/v1/alerts']?.get?.parameters ?? []) {
    if ('name' in parameter && parameter.name === 'type') parameter.schema = { type: 'string', enum: [...types] };
  }
}

/** The schema for an alert with its own config, by channel type. */
const WITH_CONFIG = 'CreateAlertWithConfig';
const WITH_CONTACT = 'CreateContactAlert';
const FIELDS = 'CreateAlertFields';

/** Describes a new alert as one of two forms: with its own channel config, or with a contact. */
function offerContact(schemas: Schemas): void {
  const [forms, fields] = [schemas[CreateAlertDto.name], schemas[FIELDS]];
  if (!forms || !fields || !('properties' in fields)) return;
  const { contact_id, ...others } = fields.properties ?? {};
  schemas[FIELDS] = { ...fields, properties: others };
  schemas[WITH_CONFIG] = { ...forms, description: 'An alert rule with its own config. The form depends on `type`.' };
  schemas[WITH_CONTACT] = {
    // The form's name in the list of forms.
    title: 'contact',
    description:
      'An alert rule that notifies through a contact. Do not send `type` or `config`. Fields that you leave out default to the contact’s `alert_defaults`.',
    allOf: [
      { $ref: getSchemaPath(FIELDS) },
      {
        type: 'object',
        required: ['contact_id'],
        properties: {
          contact_id: {
            ...contact_id,
            nullable: false,
            description: 'The contact that the alert rule notifies through.',
          } as Schema,
        },
      },
    ],
  };
  schemas[CreateAlertDto.name] = { oneOf: [WITH_CONFIG, WITH_CONTACT].map((name) => ({ $ref: getSchemaPath(name) })) };
}

type Webhooks = NonNullable<OpenAPIObject['webhooks']>;
type Model = new () => object;

/** The request bodies of the `webhook` channel, which no route references. */
const WEBHOOK_MODELS: Model[] = [
  AlertTriggeredView,
  AlertResolvedView,
  AlertReminderView,
  AlertExpiryView,
  AlertTestView,
  ContactFailingView,
];

const SIGNED =
  'Sent to the `url` of alert rules of type `webhook`, with their method and headers. Any status from 200 to 299 within 15 ' +
  'seconds means received. After a 410, the delivery is not retried. After any other status, it is retried, for 429 and ' +
  '503 after their `Retry-After`. The request is signed as [Standard Webhooks](https://www.standardwebhooks.com): ' +
  'HMAC-SHA256 over `webhook-id.webhook-timestamp.body` with the bytes after `whsec_` in the secret. Each event is sent ' +
  'in its own request and at least once. A `webhook-id` that you have already seen is a repetition.';

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const },
  example,
});

const HEADERS = [
  header('webhook-id', 'The ID of the event. It is the same for all attempts.', 'ev_01jd3k6q7be5y9x4v2m8n0r1st'),
  header(
    'webhook-timestamp',
    'The time when this attempt was sent, in seconds since the Unix epoch. Reject requests with an old timestamp.',
    '1795176300',
  ),
  header(
    'webhook-signature',
    '`v1,` followed by the signature in base64. While the secret is being replaced, there are two signatures with a space between them.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
];

const notification = (operationId: string, summary: string, description: string, model: Model): Webhooks[string] => ({
  post: {
    operationId,
    summary,
    description: `${description} ${SIGNED}`,
    tags: ['Webhooks'],
    security: [],
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema: { $ref: getSchemaPath(model) } } } },
    responses: {
      '2XX': { description: 'Received.' },
      '410': { description: 'Gone. The delivery fails and is not retried.' },
      default: { description: 'Retried, with increasing delays.' },
    },
  },
});

/** The requests of the `webhook` channel, by event name. */
const webhookNotifications = (): Webhooks => ({
  'alert.triggered': notification(
    'alertTriggered',
    'An alert triggered',
    'The alert reached its failure threshold: enough consecutive checks were down or, with `condition` `degraded`, up with a warning.',
    AlertTriggeredView,
  ),
  'alert.resolved': notification(
    'alertResolved',
    'An alert resolved',
    'The endpoint has recovered (with `condition` `degraded`, it is up without a warning), or the alert ended because something was turned off or deleted. See `reason`.',
    AlertResolvedView,
  ),
  'alert.reminder': notification(
    'alertReminder',
    'An alert is still triggered',
    'Another `remind_every` interval has passed since the alert triggered. The reminder has its own ID and the `incident_key` of the trigger.',
    AlertReminderView,
  ),
  'alert.expiry': notification(
    'alertExpiry',
    'A certificate expires soon',
    'Sent once at `tls.warn_days` of the endpoint, and once each 7, 3, and 1 days before the certificate expires. It is not an alert event, and no alert triggers.',
    AlertExpiryView,
  ),
  'alert.test': notification(
    'alertTest',
    'A test message',
    'A user or API key sent a test message for an alert rule or contact.',
    AlertTestView,
  ),
  'contact.failing': notification(
    'contactFailing',
    'Messages to another contact are failing',
    'Sent to default contacts if another contact has accepted no message for a week. Sent once per failure.',
    ContactFailingView,
  ),
});
