import type { OpenAPIObject } from '@nestjs/swagger';

type Json = Record<string, unknown>;

/** Their values are data, not schemas. */
const DATA = new Set(['example', 'examples', 'default', 'x-default']);

/**
 * The document as OpenAPI 3.1, which can describe webhooks and is what generators of today read best. Nest writes schemas
 * in the words of 3.0, where `nullable` stands beside a type; in 3.1 `null` is a type like any other.
 */
export const asOpenApi31 = (document: OpenAPIObject): OpenAPIObject => ({ ...converted(document), openapi: '3.1.0' });

function converted<Value>(value: Value): Value;
function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => converted(item));
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, DATA.has(key) ? item : converted(item)]),
  );
  // A property may be called "nullable": then it is a schema.
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
