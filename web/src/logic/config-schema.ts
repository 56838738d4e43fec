import { get } from '../api/client';

/** The parts of an OpenAPI schema a form is made of. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: string[];
  default?: unknown;
  example?: unknown;
  writeOnly?: boolean;
  minimum?: number;
  maximum?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  discriminator?: { mapping?: Record<string, string> };
}

/** The config of every registered channel, by alert type. */
export type ConfigSchemas = Record<string, Schema>;

interface Document {
  components: { schemas: Record<string, Schema> };
}

/** Follows references, and a reference wrapped in `allOf`, until there is a schema of its own. */
function resolve(schema: Schema, all: Record<string, Schema>): Schema {
  const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  const target = ref === undefined ? undefined : all[ref.split('/').at(-1) ?? ''];
  if (!target) return schema;
  const { $ref: _, allOf: __, ...own } = schema;
  return { ...resolve(target, all), ...own };
}

/** The same schema with every reference inside it replaced. */
function expanded(schema: Schema, all: Record<string, Schema>): Schema {
  const { properties, items, ...rest } = resolve(schema, all);
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, expanded(value, all)])),
    }),
    ...(items && { items: expanded(items, all) }),
  };
}

/** Reads the channel types and their config from the API's own description: a new channel needs no change here. */
export function configSchemas({ components: { schemas } }: Document): ConfigSchemas {
  const mapping = schemas['CreateAlertDto']?.discriminator?.mapping ?? {};
  const configs = Object.entries(mapping).map(([type, ref]): [string, Schema] => {
    const form = schemas[ref.split('/').at(-1) ?? ''];
    const parts = [form ?? {}, ...(form?.allOf ?? [])];
    const config = parts.map((part) => part.properties?.['config']).find((part) => part !== undefined);
    return [type, expanded(config ?? { type: 'object' }, schemas)];
  });
  return Object.fromEntries(configs);
}

/** The types of checks there are, from the same description. */
export const checkerTypes = ({ components: { schemas } }: Document): string[] =>
  schemas['CreateEndpointDto']?.properties?.['type']?.enum ?? [];

let loaded: Promise<Document> | null = null;

/** Loaded once per page. */
function loadDocument(): Promise<Document> {
  loaded ??= get<Document>('/api/v1/openapi.json');
  loaded.catch(() => {
    loaded = null;
  });
  return loaded;
}

export const loadConfigSchemas = (): Promise<ConfigSchemas> => loadDocument().then(configSchemas);
export const loadCheckerTypes = (): Promise<string[]> => loadDocument().then(checkerTypes);

/** How a field is edited. */
export type FieldKind = 'text' | 'secret' | 'number' | 'boolean' | 'choice' | 'lines' | 'pairs' | 'group' | 'json';

export function kindOf(schema: Schema): FieldKind {
  if (schema.enum) return 'choice';
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'string') return schema.writeOnly === true || schema.format === 'password' ? 'secret' : 'text';
  if (schema.type === 'array') {
    if (schema.items?.type === 'string') return 'lines';
    const keys = Object.keys(schema.items?.properties ?? {});
    return keys.length === 2 && keys.includes('key') && keys.includes('value') ? 'pairs' : 'json';
  }
  return schema.properties ? 'group' : 'json';
}

export type ConfigValue = Record<string, unknown>;

/** What is sent: without what was left empty, so that the server's defaults hold. */
export function filled(value: ConfigValue): ConfigValue {
  const entries = Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    if (each === '' || each === undefined || each === null) return [];
    if (Array.isArray(each)) return each.length === 0 ? [] : [[key, each]];
    if (typeof each === 'object') {
      const inner = filled(each as ConfigValue);
      return Object.keys(inner).length === 0 ? [] : [[key, inner]];
    }
    return [[key, each]];
  });
  return Object.fromEntries(entries);
}
