import { Injectable } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import { ChannelRegistry } from '../../channel/channel.registry';
import { ChannelConfigs } from '../../channel/config/channel-configs';
import { aliasesOf, markedKeys, nestedType } from '../../channel/config/config-metadata';
import { OpenApiParts } from '../../platform/openapi/openapi-parts';
import { addMasked, maskedName, type Schemas } from './masked-config-schema';

type Schema = Schemas[string];
type Properties = Record<string, Schema>;
type Model = new () => object;

/** A resource with `type` and `config`: the request bodies that create and update it, and its view. */
export interface ConfiguredResource {
  /**
   * The part of its schema names that identifies the resource. `Alert` results in `CreateSlackAlert` and `SlackAlert`.
   */
  noun: string;
  create: Model;
  update: Model;
  view: Model;
}

/**
 * Adds the registered channels to the API reference. The body that creates a resource with a config, and its view, have
 * one form per channel, distinguished by `type`. A view may contain masks, which don't satisfy the rules for sent
 * values, so each config has two schemas.
 */
@Injectable()
export class ChannelOpenApi {
  constructor(
    private readonly registry: ChannelRegistry,
    private readonly configs: ChannelConfigs,
    private readonly parts: OpenApiParts,
  ) {}

  types(): string[] {
    return this.registry.types();
  }

  /** Describes the resource by channel type. Call this once per resource, from `onModuleInit`. */
  add(resource: ConfiguredResource): void {
    const types = this.registry.types();
    const models = new Set(types.map((type) => this.configs.schema(type)));
    this.parts.add([...models], ({ components }) => {
      if (!components?.schemas) return;
      this.describeConfigs(components.schemas, types);
      this.describe(components.schemas, types, resource);
    });
  }

  /** May be called repeatedly with the same types, because resources share the configs. */
  private describeConfigs(schemas: Schemas, types: readonly string[]): void {
    for (const model of new Set(types.map((type) => this.configs.schema(type)))) {
      markSecrets(schemas, model);
      markAliases(schemas, model);
    }
    for (const type of types) addMasked(schemas, this.nameOf(type));
  }

  private describe(schemas: Schemas, types: readonly string[], { noun, ...models }: ConfiguredResource): void {
    const { name: create } = models.create;
    const { name: update } = models.update;
    const { name: view } = models.view;
    const [creates, updates, views] = [schemas[create], schemas[update], schemas[view]];
    if (!creates || !updates || !views) return;
    const [fields, formName] = [`Create${noun}Fields`, (type: string) => `Create${capital(type)}${noun}`];
    const viewName = (type: string) => `${capital(type)}${noun}`;
    schemas[fields] = without(creates, ['type', 'config']);
    for (const type of types) {
      schemas[formName(type)] = formOf(type, fields, getSchemaPath(this.nameOf(type)));
      schemas[viewName(type)] = viewOf(type, views, getSchemaPath(maskedName(this.nameOf(type))));
    }
    schemas[create] = oneOfTypes(types, formName);
    schemas[view] = { ...oneOfTypes(types, viewName), description: 'The form depends on `type`.' };
    const properties = propertiesOf(updates);
    schemas[update] = {
      ...updates,
      properties: {
        ...properties,
        type: { ...properties['type'], enum: [...types] },
        config: { anyOf: types.map((type) => ({ $ref: getSchemaPath(this.nameOf(type)) })) },
      },
    };
  }

  private nameOf(type: string): string {
    return this.configs.schema(type).name;
  }
}

const propertiesOf = (schema: Schema): Properties => ('properties' in schema ? schema.properties : undefined) ?? {};

function without(schema: Schema, names: readonly string[]): Schema {
  const kept = Object.entries(propertiesOf(schema)).filter(([name]) => !names.includes(name));
  const required = 'required' in schema ? (schema.required ?? []).filter((name) => !names.includes(name)) : [];
  return { ...schema, properties: Object.fromEntries(kept), required };
}

/** Credentials are accepted and never returned. */
function markSecrets(schemas: Schemas, config: Model): void {
  const schema = schemas[config.name];
  if (!schema) return;
  for (const key of markedKeys(config, 'secret')) {
    const property = propertiesOf(schema)[key];
    if (property && !('$ref' in property)) property.writeOnly = true;
  }
  for (const key of Object.keys(propertiesOf(schema))) {
    const nested = nestedType(config, key);
    if (nested) markSecrets(schemas, nested);
  }
}

/** A required key may also be sent under its former name. `x-alias-of` shows forms that one of the two is required. */
function markAliases(schemas: Schemas, config: Model): void {
  const schema = schemas[config.name];
  if (!schema) return;
  for (const [key, name] of Object.entries(aliasesOf(config))) {
    const property = propertiesOf(schema)[key];
    if (property) Object.assign(property, { deprecated: true, 'x-alias-of': name });
  }
}

const capital = (type: string): string => `${type.charAt(0).toUpperCase()}${type.slice(1)}`;

const oneOfTypes = (types: readonly string[], nameOf: (type: string) => string): Schema => ({
  oneOf: types.map((type) => ({ $ref: getSchemaPath(nameOf(type)) })),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(types.map((type) => [type, getSchemaPath(nameOf(type))])),
  },
});

const formOf = (type: string, fields: string, config: string): Schema => ({
  allOf: [
    { $ref: getSchemaPath(fields) },
    {
      type: 'object',
      required: ['type', 'config'],
      properties: { type: { type: 'string', enum: [type] }, config: { $ref: config } },
    },
  ],
});

/** A config's description is the same for all types, but its example belongs to one type. */
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
