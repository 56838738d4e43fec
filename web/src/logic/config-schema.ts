/** The parts of an OpenAPI schema that forms use. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  /** A form of value that JSON Schema does not know. */
  'x-format'?: string;
  title?: string;
  description?: string;
  enum?: string[];
  default?: unknown;
  /**
   * A field's default. The document uses this extension because code generators interpret `default` as "always
   * present".
   */
  'x-default'?: unknown;
  example?: unknown;
  writeOnly?: boolean;
  minimum?: number;
  maximum?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  /** Set on a field's old name. The value is its current name. */
  'x-alias-of'?: string;
  /** Set on the settings of an endpoint: the schema of each type's settings. */
  'x-settings-of'?: Record<string, Schema>;
  discriminator?: { mapping?: Record<string, string> };
}

/** The config schema of every registered channel, by alert type. */
export type ConfigSchemas = Record<string, Schema>;

/** The parts of the OpenAPI document that are read at run time. */
export interface ApiDocument {
  components: { schemas: Record<string, Schema> };
}

/** Follows references, including those wrapped in `allOf`, to the actual schema. */
function resolve(schema: Schema, all: Record<string, Schema>): Schema {
  const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  const target = ref === undefined ? undefined : all[ref.split('/').at(-1) ?? ''];
  if (!target) return schema;
  const { $ref: _, allOf: __, ...own } = schema;
  return { ...resolve(target, all), ...own };
}

/** Returns the schema with every nested reference replaced. */
function expanded(schema: Schema, all: Record<string, Schema>): Schema {
  const { properties, items, 'x-default': given, ...rest } = resolve(schema, all);
  return {
    ...rest,
    ...(given !== undefined && { default: given }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, expanded(value, all)])),
    }),
    ...(items && { items: expanded(items, all) }),
  };
}

/**
 * Returns the config schema for every channel type from the service's OpenAPI document. New channels need no changes
 * here.
 */
export function configSchemas({ components: { schemas } }: ApiDocument): ConfigSchemas {
  const mapping = schemas['CreateAlertWithConfig']?.discriminator?.mapping ?? {};
  const configs = Object.entries(mapping).map(([type, ref]): [string, Schema] => {
    const form = schemas[ref.split('/').at(-1) ?? ''];
    const parts = [form ?? {}, ...(form?.allOf ?? [])];
    const config = parts.map((part) => part.properties?.['config']).find((part) => part !== undefined);
    return [type, expanded(config ?? { type: 'object' }, schemas)];
  });
  return Object.fromEntries(configs);
}

export interface EndpointChoices extends Record<'types' | 'methods' | 'sources' | 'comparisons', string[]> {
  /** The schema of each type's settings. */
  settings: ConfigSchemas;
}

/** Returns the options for the endpoint form from the same document. New checkers need no changes here. */
export function endpointChoices({ components: { schemas } }: ApiDocument): EndpointChoices {
  // Fields that heartbeats don't use may be `null`.
  const values = (schema: string, field: string) =>
    (schemas[schema]?.properties?.[field]?.enum ?? []).filter((value: string | null) => value !== null);
  return {
    types: values('CreateEndpoint', 'type'),
    methods: values('CreateEndpoint', 'method'),
    sources: values('Assertion', 'source'),
    comparisons: values('Assertion', 'comparison'),
    settings: Object.fromEntries(
      Object.entries(schemas['CreateEndpoint']?.properties?.['settings']?.['x-settings-of'] ?? {}).map(
        ([type, schema]) => [type, expanded(schema, schemas)] as const,
      ),
    ),
  };
}

export type FieldKind =
  'text' | 'texts' | 'secret' | 'number' | 'boolean' | 'choice' | 'lines' | 'pairs' | 'group' | 'json' | 'template';

/** Returns the control for a schema. `texts` is one string, or several separated by commas. `json` is the fallback. */
export function kindOf(schema: Schema): FieldKind {
  if (schema['x-format'] === 'template') return 'template';
  if (schema.enum) return 'choice';
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'string') return schema.writeOnly === true || schema.format === 'password' ? 'secret' : 'text';
  if (schema.type === 'array') {
    if (schema.items?.type === 'string') return 'lines';
    const keys = Object.keys(schema.items?.properties ?? {});
    return keys.length === 2 && keys.includes('key') && keys.includes('value') ? 'pairs' : 'json';
  }
  if (schema.oneOf?.some(({ type }) => type === 'array')) return 'texts';
  if (schema.oneOf?.some(({ type }) => type === 'string')) return 'text';
  return schema.properties ? 'group' : 'json';
}

/** Returns the value of a `texts` field. A single value isn't a list. */
export function textsOf(typed: string): string | string[] {
  const all = typed
    .split(/[,;]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return all.length > 1 ? all : (all[0] ?? '');
}

export interface FormField {
  key: string;
  schema: Schema;
  isRequired: boolean;
}

/**
 * Returns the fields in a schema, required ones first. A required field may be set under its old or new name. The old
 * name is shown instead of the new one only if the value still uses it.
 */
export function fieldsOf(schema: Schema, value: ConfigValue): FormField[] {
  const entries = Object.entries(schema.properties ?? {});
  const aliases = new Map(
    entries.flatMap(([key, { 'x-alias-of': name }]) => (name === undefined ? [] : [[name, key]])),
  );
  const isGiven = (key: string | undefined) => key !== undefined && value[key] !== undefined && value[key] !== '';
  return entries
    .filter(([key, { 'x-alias-of': name }]) => (name === undefined ? !isGiven(aliases.get(key)) : isGiven(key)))
    .map(([key, each]) => ({
      key,
      schema: each,
      isRequired: schema.required?.includes(key) === true || aliases.has(key) || each['x-alias-of'] !== undefined,
    }))
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

export type ConfigValue = Record<string, unknown>;

/** Removes empty fields, so that the server's defaults apply. */
export function filled(value: ConfigValue): ConfigValue {
  const entries = Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    if (each === '' || each === undefined || each === null) return [];
    if (Array.isArray(each)) return each.length === 0 ? [] : [[key, each]];
    // A template may contain empty texts.
    if (key === 'body') return [[key, each]];
    if (typeof each === 'object') {
      const inner = filled(each as ConfigValue);
      return Object.keys(inner).length === 0 ? [] : [[key, inner]];
    }
    return [[key, each]];
  });
  return Object.fromEntries(entries);
}

/** Returns the members to send for a change: `null` for those that were emptied. */
export const changed = (value: ConfigValue): ConfigValue =>
  Object.fromEntries(Object.keys(value).map((key) => [key, filled(value)[key] ?? null]));

/** Returns a copy without masked values, which the user must enter again. */
export const withoutMasked = (value: ConfigValue): ConfigValue =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
      if (typeof each === 'string') return /^\*{8}$/.test(each) ? [] : [[key, each]];
      if (Array.isArray(each))
        return [
          [key, each.map((item: unknown) => (typeof item === 'object' ? withoutMasked(item as ConfigValue) : item))],
        ];
      return [[key, typeof each === 'object' && each !== null ? withoutMasked(each as ConfigValue) : each]];
    }),
  );

/** Returns JSON pointers to the secrets that a form hides. Masked values aren't secrets. */
export const secretsIn = (schema: Schema, value: ConfigValue, at: string): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([key, each]): string[] => {
    const [own, pointer] = [value[key], `${at}/${key}`];
    const kind = kindOf(each);
    if (kind === 'group') return secretsIn(each, (own ?? {}) as ConfigValue, pointer);
    return kind === 'secret' && typeof own === 'string' && !/^(\*\*\*.*|)$/.test(own) ? [pointer] : [];
  });

/** Returns the secrets in a response that weren't in the request, because the service generated them. */
export const generatedIn = (config: ConfigValue, sent: ConfigValue): string[] =>
  Object.entries(config).flatMap(([key, text]) =>
    typeof text === 'string' && !(key in sent) && /secret|token|password/.test(key) && !text.startsWith('***')
      ? [text]
      : [],
  );
