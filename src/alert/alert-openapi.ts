import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { ChannelConfigs } from '../channel/config/channel-configs';
import { markedKeys } from '../channel/config/config-metadata';
import { ChannelRegistry } from '../channel/channel.registry';
import { OpenApiParts } from '../platform/openapi/openapi-parts';
import { CreateAlertDto, UpdateAlertDto } from './alert.dto';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Schemas[string];

const FIELDS = 'CreateAlertFields';

/**
 * Puts the registered channels into the API reference: the body that creates an alert is one of as many forms as there
 * are channels, distinguished by `type`. Responses keep the loose form, because masked values satisfy no channel's rules.
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
    this.parts.add([...new Set(models)], ({ components }) => {
      if (components?.schemas) this.complete(components.schemas, types);
    });
  }

  private complete(schemas: Schemas, types: readonly string[]): void {
    const configOf = (type: string) => getSchemaPath(this.configs.schema(type));
    const fields = schemas[CreateAlertDto.name];
    const update = schemas[UpdateAlertDto.name];
    if (!fields || !update || !('properties' in update)) return;
    schemas[FIELDS] = fields;
    for (const type of types) markSecrets(schemas, this.configs.schema(type));
    for (const type of types) schemas[formName(type)] = formOf(type, configOf(type));
    schemas[CreateAlertDto.name] = {
      oneOf: types.map((type) => ({ $ref: getSchemaPath(formName(type)) })),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(types.map((type) => [type, getSchemaPath(formName(type))])),
      },
    };
    schemas[UpdateAlertDto.name] = {
      ...update,
      properties: { ...update.properties, config: { anyOf: types.map((type) => ({ $ref: configOf(type) })) } },
    };
  }
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

const formName = (type: string): string => `Create${type.charAt(0).toUpperCase()}${type.slice(1)}Alert`;

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
