import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { markedKeys, nestedType } from '../channel/config/config-metadata';
import { SPEC_CHECKER_TYPES } from '../checker/checker';
import { CheckerRegistry } from '../checker/checker.registry';
import { OpenApiParts } from '../platform/openapi/openapi-parts';
import { CreateEndpointDto, UpdateEndpointDto } from './endpoint.dto';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** Adds the registered checkers to the API reference: the list of types and the target syntax for each. */
@Injectable()
export class EndpointOpenApi implements OnModuleInit {
  constructor(
    private readonly registry: CheckerRegistry,
    private readonly parts: OpenApiParts,
  ) {}

  onModuleInit(): void {
    this.parts.add(this.settingsClasses(), ({ components }) => {
      for (const model of this.settingsClasses()) markSecrets(components?.schemas ?? {}, model);
      for (const { name } of [CreateEndpointDto, UpdateEndpointDto]) this.complete(components?.schemas?.[name]);
      for (const schema of Object.values(components?.schemas ?? {})) addTypes(schema, this.registry.types());
    });
  }

  private settingsClasses(): (new () => object)[] {
    return [...new Set(this.registry.types().flatMap((type) => this.registry.get(type).settingsClass ?? []))];
  }

  private complete(schema: Schemas[string] | undefined): void {
    if (!schema || !('properties' in schema)) return;
    const types = this.registry.types();
    const forms = types.map((type) => `\`${type}\` ${this.registry.get(type).targetForm}`);
    const { type, url, settings } = schema.properties ?? {};
    if (type && !('$ref' in type)) type.enum = types;
    // Forms and clients find the schema of a type's settings here. A union would not say which one applies.
    if (settings)
      Object.assign(settings, {
        'x-settings-of': Object.fromEntries(
          types.flatMap((each) => {
            const { settingsClass } = this.registry.get(each);
            return settingsClass ? [[each, { $ref: getSchemaPath(settingsClass) }]] : [];
          }),
        ),
      });
    if (url && !('$ref' in url)) url.description = `${url.description ?? ''} Accepted forms: ${forms.join(' · ')}.`;
  }
}

/** Secrets are accepted and never returned. */
function markSecrets(schemas: Schemas, model: new () => object): void {
  const schema = schemas[model.name];
  if (!schema || !('properties' in schema)) return;
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (!('$ref' in property) && markedKeys(model, 'secret').includes(key)) property.writeOnly = true;
    const nested = nestedType(model, key);
    if (nested) markSecrets(schemas, nested);
  }
}

/** Response schemas list the types of the published interface. Replace them with the types of this installation. */
function addTypes(schema: Schemas[string], types: string[]): void {
  const type = 'properties' in schema ? schema.properties?.['type'] : undefined;
  if (type && !('$ref' in type) && type.enum?.join() === SPEC_CHECKER_TYPES.join()) type.enum = types;
}
