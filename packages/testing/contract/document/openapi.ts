/** The part of JSON Schema in OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.0) that the contract uses. */
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

/** What a request may bring in its path, query or headers. */
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

interface Header {
  schema?: Schema;
}

/** What the document says about one status of an operation. */
export interface DocumentedResponse {
  headers?: Record<string, Header>;
  content?: Record<string, { schema?: Schema }>;
}

interface Description {
  /** An address for programs of others, which answers in plain text and knows no problems. */
  'x-plain'?: boolean;
  operationId: string;
  parameters?: Parameter[];
  requestBody?: {
    content: Record<string, { schema: Schema; example?: object; examples?: Record<string, { value: object }> }>;
  };
  responses: Record<string, DocumentedResponse>;
  security?: readonly object[];
}

/** An OpenAPI document, as `GET /api/v1/openapi.json` serves it. */
export interface OpenApi {
  paths: Record<string, Record<string, Description>>;
  components: { schemas: Record<string, Schema> };
}

/** One operation with its method and path. */
export interface Operation extends Description {
  /** `GET /api/v1/websites/{id}` */
  name: string;
  method: string;
  path: string;
}

/** All operations of a document, in its order, but those that are `x-plain`: nothing that counts for the API counts there. */
export const operationsOf = (document: OpenApi): Operation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([lower, description]) => {
      if (description['x-plain']) return [];
      const method = lower.toUpperCase();
      return [{ ...description, name: `${method} ${path}`, method, path }];
    }),
  );

/** The operation that a request is one of: among several paths the one with the fewest parameters. */
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
 * The same schema for responses: an object has the documented fields and no other; references lead into the schema whose `$id`
 * is `document`.
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

/** The same schema as it is, its references leading into the schema whose `$id` is `document`. */
export const referring = (schema: Schema, document: string): object =>
  JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
    name === '$ref' && typeof value === 'string' ? `${document}${value}` : value,
  ) as object;
