import type { OpenAPIObject } from '@nestjs/swagger';

export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Json = Record<string, unknown>;

const PREFIX = '#/components/schemas/';
/**
 * Rules that only apply to values that are sent. A mask doesn't satisfy them, and a stored value may be older than the
 * rule.
 */
const RULES = [
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'default',
  'writeOnly',
];

export const maskedName = (name: string): string => `Masked${name}`;

/**
 * Adds the schemas for reading a channel config, including everything it references. They have the same keys and types,
 * but no rules for values.
 */
export function addMasked(schemas: Schemas, name: string): void {
  const schema = schemas[name];
  if (schema === undefined || schemas[maskedName(name)] !== undefined) return;
  schemas[maskedName(name)] = {};
  schemas[maskedName(name)] = masked(schema, schemas) as Schemas[string];
}

function masked(schema: unknown, schemas: Schemas): unknown {
  if (Array.isArray(schema)) return schema.map((item: unknown) => masked(item, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema as Json).filter(([key]) => !RULES.includes(key));
  return Object.fromEntries(entries.map(([key, value]) => [key, maskedPart(key, value, schemas)]));
}

function maskedPart(key: string, value: unknown, schemas: Schemas): unknown {
  if (key === '$ref' && typeof value === 'string') {
    const name = value.slice(PREFIX.length);
    addMasked(schemas, name);
    return PREFIX + maskedName(name);
  }
  if (key === 'properties')
    return Object.fromEntries(
      Object.entries(value as Json).map(([name, each]) => [name, maskedProperty(each, schemas)]),
    );
  return ['items', 'allOf', 'anyOf', 'oneOf'].includes(key) ? masked(value, schemas) : value;
}

function maskedProperty(property: unknown, schemas: Schemas): unknown {
  const isSecret = (property as Json)['writeOnly'] === true || (property as Json)['format'] === 'password';
  const { example, ...shown } = masked(property, schemas) as Json;
  if (isSecret) return { ...shown, example: '********' };
  return example === undefined ? shown : { ...shown, example };
}
