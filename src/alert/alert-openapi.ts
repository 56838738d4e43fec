import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { ChannelConfigs } from '../channel/config/channel-configs';
import { aliasesOf, markedKeys } from '../channel/config/config-metadata';
import { ChannelRegistry } from '../channel/channel.registry';
import { webhookNotifications, WEBHOOK_MODELS } from '../channel/vendor/webhook-openapi';
import { OpenApiParts } from '../platform/openapi/openapi-parts';
import { AlertView, CreateAlertDto, UpdateAlertDto } from './alert.dto';
import { addMasked, maskedName, type Schemas } from './masked-config-schema';

type Schema = Schemas[string];
type Properties = Record<string, Schema>;

const FIELDS = 'CreateAlertFields';

/**
 * Puts the registered channels into the API reference: the body that creates an alert, and the alert that is read, is one
 * of as many forms as there are channels, distinguished by `type`. What is read may be masked, and no mask satisfies the
 * rules for what is sent: so each config has two schemas. With them, what the `webhook` channel sends.
 */
@Injectable()
export class AlertOpenApi implements OnModuleInit {
  constructor(
    private readonly registry: ChannelRegistry,
    private readonly configs: ChannelConfigs,
    private readonly parts: OpenApiParts,
  ) {}

  onModuleInit(): void {
    const types = this.registry.types();
    const models = types.map((type) => this.configs.schema(type));
    this.parts.add([...new Set(models), ...WEBHOOK_MODELS], (document) => {
      if (document.components?.schemas) this.complete(document.components.schemas, types);
      document.webhooks = { ...document.webhooks, ...webhookNotifications() };
      completeFilter(document, types);
    });
  }

  private complete(schemas: Schemas, types: readonly string[]): void {
    const nameOf = (type: string) => this.configs.schema(type).name;
    const [fields, update, view] = [CreateAlertDto, UpdateAlertDto, AlertView].map(({ name }) => schemas[name]);
    const properties = propertiesOf(update);
    if (!fields || !update || !view) return;
    for (const model of new Set(types.map((type) => this.configs.schema(type)))) {
      markSecrets(schemas, model);
      markAliases(schemas, model);
    }
    for (const type of types) addMasked(schemas, nameOf(type));
    schemas[FIELDS] = without(fields, ['type', 'config']);
    for (const type of types) schemas[formName(type)] = formOf(type, getSchemaPath(nameOf(type)));
    for (const type of types) schemas[viewName(type)] = viewOf(type, view, getSchemaPath(maskedName(nameOf(type))));
    schemas[CreateAlertDto.name] = oneOfTypes(types, formName);
    schemas[AlertView.name] = { ...oneOfTypes(types, viewName), description: 'Distinguished by `type`.' };
    schemas[UpdateAlertDto.name] = {
      ...update,
      properties: {
        ...properties,
        type: { ...properties['type'], enum: [...types] },
        config: { anyOf: types.map((type) => ({ $ref: getSchemaPath(nameOf(type)) })) },
      },
    };
  }
}

/** The list can be filtered by the types that there are. */
function completeFilter({ paths }: OpenAPIObject, types: readonly string[]): void {
  for (const parameter of paths['/api/v1/alerts']?.get?.parameters ?? []) {
    if ('name' in parameter && parameter.name === 'type') parameter.schema = { type: 'string', enum: [...types] };
  }
}

const propertiesOf = (schema: Schema | undefined): Properties =>
  (schema && 'properties' in schema ? schema.properties : undefined) ?? {};

function without(schema: Schema, names: readonly string[]): Schema {
  const kept = Object.entries(propertiesOf(schema)).filter(([name]) => !names.includes(name));
  const required = 'required' in schema ? (schema.required ?? []).filter((name) => !names.includes(name)) : [];
  return { ...schema, properties: Object.fromEntries(kept), required };
}

/** Credentials are accepted and never returned. */
function markSecrets(schemas: Schemas, config: new () => object): void {
  const schema = schemas[config.name];
  if (!schema || !('properties' in schema)) return;
  for (const key of markedKeys(config, 'secret')) {
    const property = schema.properties?.[key];
    if (property && !('$ref' in property)) property.writeOnly = true;
  }
}

/** A required key may also be sent by its former name: `x-alias-of` tells forms that one of the two is needed. */
function markAliases(schemas: Schemas, config: new () => object): void {
  const schema = schemas[config.name];
  if (!schema || !('properties' in schema)) return;
  for (const [key, name] of Object.entries(aliasesOf(config))) {
    const property = schema.properties?.[key];
    if (property) Object.assign(property, { deprecated: true, 'x-alias-of': name });
  }
}

const capital = (type: string): string => `${type.charAt(0).toUpperCase()}${type.slice(1)}`;
const formName = (type: string): string => `Create${capital(type)}Alert`;
const viewName = (type: string): string => `${capital(type)}Alert`;

const oneOfTypes = (types: readonly string[], nameOf: (type: string) => string): Schema => ({
  oneOf: types.map((type) => ({ $ref: getSchemaPath(nameOf(type)) })),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(types.map((type) => [type, getSchemaPath(nameOf(type))])),
  },
});

const formOf = (type: string, config: string): Schema => ({
  allOf: [
    { $ref: getSchemaPath(FIELDS) },
    {
      type: 'object',
      required: ['type', 'config'],
      properties: { type: { type: 'string', enum: [type] }, config: { $ref: config } },
    },
  ],
});

/** The description of a config is the same for all types; its example is that of one. */
function viewOf(type: string, view: Schema, config: string): Schema {
  const { description } = (propertiesOf(view)['config'] ?? {}) as { description?: string };
  return {
    ...view,
    properties: {
      ...propertiesOf(view),
      type: { type: 'string', enum: [type] },
      config: { $ref: config, ...(description === undefined ? {} : { description }) } as Schema,
    },
  };
}
