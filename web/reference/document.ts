/** The part of an OpenAPI 3.1 schema that the reference displays. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  'x-enumDescriptions'?: Record<string, string>;
  example?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  deprecated?: boolean;
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
}

export interface Content {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Described {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description: string; content?: Record<string, Content> }>;
}

export interface ApiDocument {
  info: { title: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Described>>;
  webhooks?: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
}

/** An operation or a webhook. The "Try it" form isn't available for webhooks. */
export interface Operation extends Described {
  method: string;
  path: string;
  isWebhook: boolean;
}

export interface Section {
  name: string;
  description: string;
  operations: Operation[];
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** Returns the operations by section, in document order. */
export function sectionsOf(document: ApiDocument): Section[] {
  const listed = (paths: Record<string, Record<string, Described>>, isWebhook: boolean): Operation[] =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => METHODS.has(method))
        .map(([method, described]) => ({ ...described, method: method.toUpperCase(), path, isWebhook })),
    );
  const all = [...listed(document.paths, false), ...listed(document.webhooks ?? {}, true)];
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: all.filter(({ tags }) => tags[0] === name),
  }));
}

/**
 * Returns the operations whose name, path, description, or parameters contain every search word. An empty search
 * matches all.
 */
export function matching(sections: readonly Section[], text: string): Section[] {
  const words = wordsOf(text);
  return sections
    .map((section) => ({
      ...section,
      operations: section.operations.filter((operation) => {
        const { summary, path, method, operationId, description, parameters = [] } = operation;
        const names = parameters.map(({ name }) => name).join(' ');
        const found =
          `${section.name} ${summary} ${method} ${path} ${operationId} ${names} ${description}`.toLowerCase();
        return words.every((word) => found.includes(word));
      }),
    }))
    .filter(({ operations }) => operations.length > 0);
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/**
 * Returns the operation that Enter opens: the first result whose title contains all search words, or else the first
 * result.
 */
export function bestOf(found: readonly Section[], text: string): Operation | undefined {
  const words = wordsOf(text);
  const operations = found.flatMap((section) => section.operations);
  return operations.find(({ summary }) => words.every((word) => summary.toLowerCase().includes(word))) ?? operations[0];
}

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** Returns the schema with references resolved and the parts of an `allOf` merged. */
export function resolved(schema: Schema, document: ApiDocument): Schema {
  const { $ref, allOf, ...own } = schema;
  const target = $ref === undefined ? undefined : document.components.schemas[nameOf($ref)];
  const parts = [...(target ? [target] : []), ...(allOf ?? [])].map((part) => resolved(part, document));
  if (parts.length === 0) return own;
  return parts.reduceRight<Schema>(
    (whole, part) => ({
      ...part,
      ...whole,
      ...(part.properties || whole.properties ? { properties: { ...part.properties, ...whole.properties } } : {}),
      ...(part.required || whole.required ? { required: [...(part.required ?? []), ...(whole.required ?? [])] } : {}),
    }),
    own,
  );
}

/** Returns a schema's alternatives except `null`, each named after the value that distinguishes it. */
export function choicesOf(schema: Schema, document: ApiDocument): [name: string, schema: Schema][] {
  const choices = (schema.oneOf ?? schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  const { mapping, propertyName = '' } = schema.discriminator ?? {};
  return choices.map((choice) => {
    const values = Object.entries(mapping ?? {}).filter(([, ref]) => ref === choice.$ref);
    const value = values.map(([name]) => name).join(', ');
    const title = choice.$ref === undefined ? typeOf(choice, document) : nameOf(choice.$ref);
    return [value === '' ? title : `${propertyName}: ${value}`, choice];
  });
}

/** Describes a type, such as `string or null` or `list of Assertion`. */
export function typeOf(schema: Schema, document: ApiDocument): string {
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) {
    const names = choices.map((choice) => typeOf(choice, document));
    return names.length > 3 ? `one of ${names.length}` : names.join(' or ');
  }
  if (schema.$ref !== undefined) {
    const target = document.components.schemas[nameOf(schema.$ref)];
    return target?.properties || !target ? 'object' : typeOf(target, document);
  }
  if (schema.allOf?.[0]) return typeOf(schema.allOf[0], document);
  if (schema.items) return `list of ${typeOf(schema.items, document)}`;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  return schema.format === 'date-time' ? 'time' : (schema.type ?? 'any');
}

/** Returns the inner schema of a value: the items of a list, or X for `X or null`. */
export function inside(schema: Schema, document: ApiDocument): Schema {
  const whole = resolved(schema, document);
  if (whole.items) return inside(whole.items, document);
  const choices = choicesOf(whole, document);
  const [only] = choices;
  return choices.length === 1 && only ? inside(only[1], document) : whole;
}

/** Describes the constraints on a value. */
export function rulesOf({ enum: values, minimum, maximum, minLength, maxLength, maxItems }: Schema): string {
  const rules = [
    values && `One of ${values.map((value) => `\`${JSON.stringify(value)}\``).join(', ')}.`,
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}.`,
    minimum !== undefined && maximum === undefined && `At least ${minimum}.`,
    minimum === undefined && maximum !== undefined && `At most ${maximum}.`,
    minLength !== undefined && minLength > 1 && `At least ${minLength} characters.`,
    maxLength !== undefined && `At most ${maxLength} characters.`,
    maxItems !== undefined && `At most ${maxItems} items.`,
  ];
  return rules.filter(Boolean).join(' ');
}

/** Returns a valid sample value, built from the examples of its parts. */
function sampleOf(given: Schema, document: ApiDocument, depth = 0): unknown {
  const schema = resolved(given, document);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  const [choice] = choicesOf(schema, document);
  if (choice) return sampleOf(choice[1], document, depth);
  if (schema.properties && depth < 6) {
    const parts = Object.entries(schema.properties);
    return Object.fromEntries(parts.map(([name, each]) => [name, sampleOf(each, document, depth + 1)]));
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'array') return schema.items ? [sampleOf(schema.items, document, depth + 1)] : [];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0;
  if (type === 'string') return schema.format === 'date-time' ? '2026-11-20T10:00:00.000Z' : '';
  return type === 'object' ? {} : null;
}

/** Returns the document's example, or one built from the schema. The document has an example for each request body. */
export function exampleOf(content: Content, document: ApiDocument): unknown {
  const [first] = Object.values(content.examples ?? {});
  return content.example ?? first?.value ?? sampleOf(content.schema ?? {}, document);
}

/** Returns the path with its parameters filled in, and a query string with the parameters that have a value. */
export function urlOf(operation: Operation, values: Readonly<Record<string, string>>): string {
  const parameters = operation.parameters ?? [];
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && (values[parameter.name] ?? '') !== '')
    .map(({ name }) => `${encodeURIComponent(name)}=${encodeURIComponent(values[name] ?? '')}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the request as a curl command. The reader inserts the key. */
export function curlOf(method: string, url: string, body: string | null): string {
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    `-H "Authorization: Bearer $UPTIME_API_KEY"`,
    ...(body === null ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

/** Returns the codes in a schema such as `Problem`, each with its message and what to do. */
export const codesOf = ({ components }: ApiDocument, name: string): [code: string, text: string][] =>
  Object.entries(components.schemas[name]?.properties?.['code']?.['x-enumDescriptions'] ?? {});
