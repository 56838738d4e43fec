import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
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
    this.parts.add([], ({ components }) => {
      for (const { name } of [CreateEndpointDto, UpdateEndpointDto]) this.complete(components?.schemas?.[name]);
      for (const schema of Object.values(components?.schemas ?? {})) addTypes(schema, this.registry.types());
    });
  }

  private complete(schema: Schemas[string] | undefined): void {
    if (!schema || !('properties' in schema)) return;
    const types = this.registry.types();
    const forms = types.map((type) => `\`${type}\` ${this.registry.get(type).targetForm}`);
    const { type, url } = schema.properties ?? {};
    if (type && !('$ref' in type)) type.enum = types;
    if (url && !('$ref' in url)) url.description = `${url.description ?? ''} Accepted forms: ${forms.join(' · ')}.`;
  }
}

/** Response schemas list the types of the published interface. Replace them with the types of this installation. */
function addTypes(schema: Schemas[string], types: string[]): void {
  const type = 'properties' in schema ? schema.properties?.['type'] : undefined;
  if (type && !('$ref' in type) && type.enum?.join() === SPEC_CHECKER_TYPES.join()) type.enum = types;
}
