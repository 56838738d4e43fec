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

/** Adds the registered channels and the requests of the `webhook` channel to the API reference of alerts. */
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

/** Limits the type filter of the list to the existing types. */
function completeFilter({ paths }: OpenAPIObject, types: readonly string[]): void {
  for (const parameter of paths['/api/v1/alerts']?.get?.parameters ?? []) {
    if ('name' in parameter && parameter.name === 'type') parameter.schema = { type: 'string', enum: [...types] };
  }
}

/** The schema of an alert with its own config, by channel type. */
const WITH_CONFIG = 'CreateAlertWithConfig';
const WITH_CONTACT = 'CreateContactAlert';
const FIELDS = 'CreateAlertFields';

/** Describes a new alert as one of two forms: with its own config for a channel, or with a contact. */
function offerContact(schemas: Schemas): void {
  const [forms, fields] = [schemas[CreateAlertDto.name], schemas[FIELDS]];
  if (!forms || !fields || !('properties' in fields)) return;
  const { contact_id, ...others } = fields.properties ?? {};
  schemas[FIELDS] = { ...fields, properties: others };
  schemas[WITH_CONFIG] = { ...forms, description: 'With a config of its own. Distinguished by `type`.' };
  schemas[WITH_CONTACT] = {
    // The name of the form in the list of forms.
    title: 'contact',
    description:
      'Through a contact, without `type` and `config`. Fields that are left out begin with the `alert_defaults` of the contact.',
    allOf: [
      { $ref: getSchemaPath(FIELDS) },
      {
        type: 'object',
        required: ['contact_id'],
        properties: {
          contact_id: {
            ...contact_id,
            nullable: false,
            description: 'The contact that it notifies through.',
          } as Schema,
        },
      },
    ],
  };
  schemas[CreateAlertDto.name] = { oneOf: [WITH_CONFIG, WITH_CONTACT].map((name) => ({ $ref: getSchemaPath(name) })) };
}

type Webhooks = NonNullable<OpenAPIObject['webhooks']>;
type Model = new () => object;

/** The bodies of the `webhook` channel, which no route refers to. */
const WEBHOOK_MODELS: Model[] = [
  AlertTriggeredView,
  AlertResolvedView,
  AlertReminderView,
  AlertExpiryView,
  AlertTestView,
  ContactFailingView,
];

const SIGNED =
  'Sent to the `url` of alerts of type `webhook`, with their method and headers. Any status from 200 to 299 within 15 ' +
  'seconds means received; 410 ends it for good; others are tried again, 429 and 503 after their `Retry-After`. The ' +
  'request is signed as [Standard Webhooks](https://www.standardwebhooks.com): HMAC-SHA256 over ' +
  '`webhook-id.webhook-timestamp.body` with the bytes behind `whsec_` of the secret. Each event comes by itself and at ' +
  'least once: a `webhook-id` that you have seen is a repetition.';

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const },
  example,
});

const HEADERS = [
  header('webhook-id', 'Id of the event; equal over all attempts.', 'ev_01jd3k6q7be5y9x4v2m8n0r1st'),
  header('webhook-timestamp', 'When this attempt was sent, seconds since 1970. Refuse old ones.', '1795176300'),
  header(
    'webhook-signature',
    '`v1,` and the signature in base64; two with a space between them while the secret is being replaced.',
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
      '410': { description: 'Gone: the delivery fails, and is not tried again.' },
      default: { description: 'Tried again, with growing pauses.' },
    },
  },
});

/** The requests of the `webhook` channel, by event name. */
const webhookNotifications = (): Webhooks => ({
  'alert.triggered': notification(
    'alertTriggered',
    'An alert triggered',
    'Enough checks in a row were bad for the alert: down, or with `condition` `degraded` also up with a warning.',
    AlertTriggeredView,
  ),
  'alert.resolved': notification(
    'alertResolved',
    'An alert resolved',
    'The endpoint is up again (with `condition` `degraded`, without a warning), or the alert ended because something was switched off or deleted: see `reason`.',
    AlertResolvedView,
  ),
  'alert.reminder': notification(
    'alertReminder',
    'An alert is still triggered',
    'Another `remind_every` of the alert has passed since its trigger. The id is one of its own, `incident_key` that of the trigger.',
    AlertReminderView,
  ),
  'alert.expiry': notification(
    'alertExpiry',
    'A certificate ends soon',
    'At `tls.warn_days` of the endpoint, and 7, 3 and 1 days before the end; once each. No event of the alert, nothing triggers.',
    AlertExpiryView,
  ),
  'alert.test': notification(
    'alertTest',
    'A test message',
    'Somebody tried out the alert or the contact.',
    AlertTestView,
  ),
  'contact.failing': notification(
    'contactFailing',
    'Messages to another contact are failing',
    'For default contacts: another contact has taken no message for a week. Once per failure.',
    ContactFailingView,
  ),
});
