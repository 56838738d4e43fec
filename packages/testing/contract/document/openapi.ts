/** The part of the JSON Schema dialect in OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.0) that the contract uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  enum?: unknown[];
  oneOf?: Schema[];
  allOf?: Schema[];
  anyOf?: Schema[];
  example?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
}

/** A parameter in a request's path, query, or headers. */
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

interface Header {
  schema?: Schema;
}

/** The documented response for one of an operation's status codes. */
export interface DocumentedResponse {
  headers?: Record<string, Header>;
  content?: Record<string, { schema?: Schema }>;
}

interface Description {
  /** A route meant for other programs. It responds in plain text and has no problem bodies. */
  'x-plain'?: boolean;
  operationId: string;
  parameters?: Parameter[];
  requestBody?: {
    content: Record<string, { schema: Schema; example?: object; examples?: Record<string, { value: object }> }>;
  };
  responses: Record<string, DocumentedResponse>;
  security?: readonly object[];
}

/** An OpenAPI document, as served by `GET /api/v1/openapi.json`. */
export interface OpenApi {
  paths: Record<string, Record<string, Description>>;
  components: { schemas: Record<string, Schema> };
}

/** An operation with its method and path. */
export interface Operation extends Description {
  /** For example, `GET /api/v1/websites/{id}`. */
  name: string;
  method: string;
  path: string;
}

/**
 * Returns all operations in a document, in order. Operations with `x-plain` are left out, because the API's rules don't
 * apply to them.
 */
export const operationsOf = (document: OpenApi): Operation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([lower, description]) => {
      if (description['x-plain']) return [];
      const method = lower.toUpperCase();
      return [{ ...description, name: `${method} ${path}`, method, path }];
    }),
  );

/** Returns the operation for a request. If several paths match, the one with the fewest parameters is used. */
export function operationOf(operations: readonly Operation[], method: string, path: string): Operation | null {
  const fitting = operations.filter((each) => each.method === method && patternOf(each.path).test(path));
  return fitting.sort((one, other) => parametersIn(one.path) - parametersIn(other.path))[0] ?? null;
}

const PATTERNS = new Map<string, RegExp>();

function patternOf(template: string): RegExp {
  const escaped = template.replace(/[.]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
  const pattern = PATTERNS.get(template) ?? new RegExp(`^${escaped}$`);
  PATTERNS.set(template, pattern);
  return pattern;
}

const parametersIn = (template: string): number => template.split('{').length;

/**
 * Returns the schema for responses. Objects must have all documented fields and no others. References point to the
 * schema whose `$id` is `document`.
 */
export function exactSchema(schema: Schema, document: string): object {
  const exact = (each: Schema): object => exactSchema(each, document);
  const { $ref, properties, items, oneOf, allOf, anyOf, additionalProperties, ...rest } = schema;
  if ($ref !== undefined) return { $ref: `${document}${$ref}` };
  const list = (name: string, schemas: Schema[] | undefined) => schemas && { [name]: schemas.map(exact) };
  const fields = properties && Object.entries(properties).map(([name, each]) => [name, exact(each)]);
  return {
    ...rest,
    ...list('oneOf', oneOf),
    ...list('allOf', allOf),
    ...list('anyOf', anyOf),
    ...(items && { items: exact(items) }),
    ...(fields && { properties: Object.fromEntries(fields) as object, additionalProperties: false }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean' ? additionalProperties : exact(additionalProperties),
    }),
  };
}

/** Returns the schema with its references pointing to the schema whose `$id` is `document`. */
export const referring = (schema: Schema, document: string): object =>
  JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
    name === '$ref' && typeof value === 'string' ? `${document}${value}` : value,
  ) as object;
