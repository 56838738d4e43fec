/** The part of OpenAPI 3.1 that the tests use. */
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
  format?: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: {
    content: Record<string, { schema: Schema; example?: object; examples?: Record<string, { value: object }> }>;
  };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** One operation with its method and path. */
export interface Endpoint {
  method: string;
  path: string;
  operation: Operation;
}

export const operationsOf = (document: OpenApi): Endpoint[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** The schema itself instead of a reference to it. */
export function resolve(document: OpenApi, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`${schema.$ref} is not in the document`);
  return found;
}

/**
 * The same schema for responses: an object has the documented fields and no other. References still point to
 * `#/components/schemas`.
 */
export function toJsonSchema(schema: Schema): object {
  const { properties, items, oneOf, allOf, anyOf, additionalProperties, ...rest } = schema;
  const list = (schemas: Schema[] | undefined, name: string) =>
    schemas === undefined ? {} : { [name]: schemas.map(toJsonSchema) };
  return {
    ...rest,
    ...list(oneOf, 'oneOf'),
    ...list(allOf, 'allOf'),
    ...list(anyOf, 'anyOf'),
    ...(items === undefined ? {} : { items: toJsonSchema(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, toJsonSchema(each)])),
          additionalProperties: false,
        }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'boolean' ? additionalProperties : toJsonSchema(additionalProperties),
        }),
  };
}
