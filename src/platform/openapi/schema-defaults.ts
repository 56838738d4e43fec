import type { OpenAPIObject } from '@nestjs/swagger';

type Json = Record<string, unknown>;

/**
 * Says defaults in words and as `x-default` instead of `default`. Generators read that keyword as "always present", so that
 * bodies without the field would not compile; and an update that leaves a field out keeps it, it has no default at all.
 */
export function withDefaultsInWords(document: OpenAPIObject): OpenAPIObject {
  const schemas = Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => {
    const hasDefaults = !name.startsWith('Update');
    return [name, inWords(schema, hasDefaults)];
  });
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) as Json as never } };
}

function inWords(schema: unknown, hasDefaults: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((item: unknown) => inWords(item, hasDefaults));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { properties, required, ...rest } = schema as { properties?: Record<string, Json>; required?: string[] };
  const nested = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, COMBINING.has(key) ? inWords(value, hasDefaults) : value]),
  );
  if (properties === undefined) return required === undefined ? nested : { ...nested, required };
  const worded = Object.entries(properties).map(([name, property]) => [
    name,
    withoutDefault(inWords(property, hasDefaults) as Json, hasDefaults && required?.includes(name) !== true),
  ]);
  return { ...nested, properties: Object.fromEntries(worded) as Json, ...(required === undefined ? {} : { required }) };
}

const COMBINING = new Set(['allOf', 'anyOf', 'oneOf', 'items']);

function withoutDefault({ default: value, ...property }: Json, isTold: boolean): Json {
  if (value === undefined || !isTold) return property;
  const description = [property['description'], `Default: \`${JSON.stringify(value)}\`.`].filter(Boolean).join(' ');
  return { ...property, description, 'x-default': value };
}
