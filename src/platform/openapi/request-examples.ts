import type { OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  example?: unknown;
  minimum?: number;
  title?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  deprecated?: boolean;
  readOnly?: boolean;
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
}
interface Content {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
type Schemas = Readonly<Record<string, Schema>>;

const ID = /^[a-z]{2,5}_[0-9a-z]{26}$/;

/**
 * Adds a complete example to every request body, so that all viewers of the document show the same one. The examples
 * are valid: `test/e2e/http/examples.spec.ts` sends them. A body with several forms gets an example for each form.
 * Examples in the route's declaration are kept.
 */
export function withRequestExamples(document: OpenAPIObject): OpenAPIObject {
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path as Record<string, { requestBody?: { content: object } }>)) {
      for (const content of Object.values((operation.requestBody?.content ?? {}) as Record<string, Content>)) {
        if (content.schema === undefined || content.example !== undefined || content.examples !== undefined) continue;
        const forms = formsOf(content.schema, schemas);
        if (forms.length === 0) content.example = exampleOf(content.schema, schemas);
        else
          content.examples = Object.fromEntries(
            forms.map(([name, form]) => [name, { value: exampleOf(form, schemas) }]),
          );
      }
    }
  }
  return document;
}

/**
 * Returns a schema's forms, keyed by discriminator value. The forms of nested choices are flattened into one list. A
 * form without a discriminator is named after its title.
 */
function formsOf(given: Schema, schemas: Schemas): [name: string, schema: Schema][] {
  const { discriminator, oneOf = [], title } = resolved(given, schemas);
  const mapping = Object.entries(discriminator?.mapping ?? {});
  if (mapping.length > 0) return mapping.map(([name, $ref]) => [name, { $ref }]);
  const below = oneOf.flatMap((each) => formsOf(each, schemas));
  return below.length === 0 && title !== undefined ? [[title, given]] : below;
}

/**
 * Builds an example from required fields and fields that have their own example. Omits fields that are only accepted
 * (former names, immutable fields), and alternatives whose description starts with "Instead of".
 */
function exampleOf(given: Schema, schemas: Schemas): unknown {
  const schema = resolved(given, schemas);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  const choice = (schema.oneOf ?? schema.anyOf)?.find(({ type }) => type !== 'null');
  if (choice) return exampleOf(choice, schemas);
  if (schema.properties) {
    const shown = Object.entries(schema.properties).filter(([name, property]) => isShown(name, property, schema));
    return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, schemas)]));
  }
  return emptyOf(schema);
}

function isShown(name: string, { example = null, ...property }: Schema, { required }: Schema): boolean {
  if (required?.includes(name) === true) return true;
  if (property.deprecated === true || property.readOnly === true) return false;
  if (/^(?:Immutable|Instead of)\b/.test(property.description ?? '')) return false;
  // A made-up ID doesn't belong to any resource, so it is included only if an ID is required.
  return example !== null && !ID.test(typeof example === 'string' ? example : '');
}

function emptyOf({ type, minimum }: Schema): unknown {
  switch (Array.isArray(type) ? type[0] : type) {
    case 'array':
      return [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return minimum ?? 0;
    case 'string':
      return '';
    case 'object':
      return {};
    default:
      return null;
  }
}

/** Returns the schema with its references resolved and the parts of an `allOf` merged. */
function resolved({ $ref, allOf, ...own }: Schema, schemas: Schemas): Schema {
  const target = $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf('/') + 1)];
  const parts = [...(target ? [target] : []), ...(allOf ?? [])].map((part) => resolved(part, schemas));
  return [...parts, own].reduce<Schema>(
    (whole, part) => ({
      ...whole,
      ...part,
      ...((whole.properties || part.properties) && { properties: { ...whole.properties, ...part.properties } }),
      required: [...(whole.required ?? []), ...(part.required ?? [])],
    }),
    {},
  );
}
