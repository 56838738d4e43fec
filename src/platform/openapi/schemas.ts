import type { OpenAPIObject } from '@nestjs/swagger';
import { FIELD_PROBLEMS, PROBLEMS } from '../problem/problem';

type Json = Record<string, unknown>;

const PREFIX = '#/components/schemas/';
/** Suffixes in internal class names. Clients see `Website` and `CreateWebsite`. */
const OURS = /(?:Dto|View)$/;

/** Renames the schemas to their public names. Throws if two schemas would have the same name. */
export function withPublicNames(document: OpenAPIObject): OpenAPIObject {
  const schemas = Object.entries(document.components?.schemas ?? {});
  const names = schemas.map(([name]) => publicName(name));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two schemas would be called ${twice}: rename one of the classes`);
  const renamed = Object.fromEntries(schemas.map(([name, schema]) => [publicName(name), schema]));
  return withPublicReferences({ ...document, components: { ...document.components, schemas: renamed } });
}

const publicName = (name: string): string => name.replace(OURS, '');

/** Renames `$ref` and discriminator mappings, which are the only places that refer to a schema by name. */
function withPublicReferences<Value>(value: Value): Value;
function withPublicReferences(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(PREFIX) ? publicName(value) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => withPublicReferences(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withPublicReferences(item)]));
}

/** Keys whose values are data, not schemas. */
const DATA = new Set(['example', 'examples', 'default', 'x-default']);

/**
 * Converts the document to OpenAPI 3.1, which can describe webhooks and is best supported by current generators. Nest
 * generates schemas for 3.0, which has `nullable` next to a type. In 3.1, `null` is an ordinary type.
 */
export const asOpenApi31 = (document: OpenAPIObject): OpenAPIObject => ({ ...converted(document), openapi: '3.1.0' });

function converted<Value>(value: Value): Value;
function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => converted(item));
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, DATA.has(key) ? item : converted(item)]),
  );
  // A property may be named "nullable". In that case, its value is a schema.
  if (typeof nullable !== 'boolean') return nullable === undefined ? rest : { ...rest, nullable };
  return nullable ? withNull(rest) : rest;
}

function withNull({ type, allOf, oneOf, anyOf, $ref, ...rest }: Json): Json {
  const choices = $ref === undefined ? (anyOf ?? oneOf ?? allOf) : [{ $ref }];
  if (Array.isArray(choices)) {
    const isAll = choices === allOf && choices.length > 1;
    return { ...rest, anyOf: [...(isAll ? [{ allOf: choices }] : (choices as Json[])), { type: 'null' }] };
  }
  const values = Array.isArray(rest['enum']) ? { enum: [...(rest['enum'] as unknown[]), null] } : {};
  return { type: [type, 'null'], ...rest, ...values };
}

/**
 * Moves defaults into the description and `x-default`. Generators interpret `default` as "always present", so code that
 * omits the field in a body would not compile. An update keeps a field that is omitted, so it has no default.
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

/** Explains each problem code and its fix, in the reference and in `docs/reference/problems.md`. */
export function withProblemsExplained(document: OpenAPIObject): OpenAPIObject {
  const whole = Object.entries(PROBLEMS).map(([code, { status, title, help }]) => [
    code,
    `${status}: ${title}. ${help}`,
  ]);
  const schemas = document.components?.schemas as Record<string, { properties?: Record<string, Json> }> | undefined;
  for (const [name, texts] of [
    ['Problem', Object.fromEntries(whole) as Json],
    ['FieldProblem', FIELD_PROBLEMS],
  ] as const) {
    const code = schemas?.[name]?.properties?.['code'];
    if (code) code['x-enumDescriptions'] = texts;
  }
  return document;
}
