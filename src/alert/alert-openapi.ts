import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { webhookNotifications, WEBHOOK_MODELS } from '../channel/vendor/webhook-openapi';
import { ChannelOpenApi } from '../delivery/config/channel-openapi';
import type { Schemas } from '../delivery/config/masked-config-schema';
import { OpenApiParts } from '../platform/openapi/openapi-parts';
import { AlertView, CreateAlertDto, UpdateAlertDto } from './alert.dto';

type Schema = Schemas[string];

/** Puts the registered channels into the reference of alerts, and with them what the `webhook` channel sends. */
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

/** The list can be filtered by the types that there are. */
function completeFilter({ paths }: OpenAPIObject, types: readonly string[]): void {
  for (const parameter of paths['/api/v1/alerts']?.get?.parameters ?? []) {
    if ('name' in parameter && parameter.name === 'type') parameter.schema = { type: 'string', enum: [...types] };
  }
}

/** The forms of an alert with a config of its own, by channel type. */
const WITH_CONFIG = 'CreateAlertWithConfig';
const WITH_CONTACT = 'CreateContactAlert';
const FIELDS = 'CreateAlertFields';

/** A new alert has a config of its own, in the form of its channel, or a contact. */
function offerContact(schemas: Schemas): void {
  const [forms, fields] = [schemas[CreateAlertDto.name], schemas[FIELDS]];
  if (!forms || !fields || !('properties' in fields)) return;
  const { contact_id, ...others } = fields.properties ?? {};
  schemas[FIELDS] = { ...fields, properties: others };
  schemas[WITH_CONFIG] = { ...forms, description: 'With a config of its own. Distinguished by `type`.' };
  schemas[WITH_CONTACT] = {
    // The name of the form where forms are offered.
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
