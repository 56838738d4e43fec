import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SPEC_CHECKER_TYPES } from '../checker/checker';
import { CheckerRegistry } from '../checker/checker.registry';
import { OpenApiParts } from '../platform/openapi/openapi-parts';
import { CreateEndpointDto, UpdateEndpointDto } from './endpoint.dto';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** Puts the registered checkers into the API reference: which types there are, and how a target of each is written. */
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

/** Whatever is read lists the types of the interface; here are those of this installation. */
function addTypes(schema: Schemas[string], types: string[]): void {
  const type = 'properties' in schema ? schema.properties?.['type'] : undefined;
  if (type && !('$ref' in type) && type.enum?.join() === SPEC_CHECKER_TYPES.join()) type.enum = types;
}
