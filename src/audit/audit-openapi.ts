import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { OpenApiParts } from '../platform/openapi/openapi-parts';
import { AUDITED, auditedResources } from './audited-change';

/** Adds the resources of extensions to the API reference, wherever the built-in ones are listed. */
@Injectable()
export class AuditOpenApi implements OnModuleInit {
  constructor(private readonly parts: OpenApiParts) {}

  onModuleInit(): void {
    this.parts.add([], (document) => {
      for (const schema of schemasOfResource(document)) schema.enum = auditedResources();
    });
  }
}

type Words = { enum?: unknown[] };

function schemasOfResource({ paths, components }: OpenAPIObject): Words[] {
  const parameters = Object.values(paths).flatMap(({ get }) => get?.parameters ?? []);
  const fields = Object.values(components?.schemas ?? {}).flatMap((schema) =>
    'properties' in schema ? Object.values(schema.properties ?? {}) : [],
  );
  return [...parameters.flatMap((one) => ('schema' in one && one.schema ? [one.schema] : [])), ...fields].flatMap(
    (schema) => (isOfResource(schema) ? [schema] : []),
  );
}

const isOfResource = (schema: object): schema is Words =>
  'enum' in schema && Array.isArray(schema.enum) && schema.enum.join() === Object.keys(AUDITED).join();
