/** A value as JSON represents it. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** An object with values for placeholders. A nested value has a path such as `data.endpoint.name`. */
export type TemplateValues = Readonly<Record<string, unknown>>;

/** Returns the value at a path such as `data.endpoint.name`, or `undefined`. Only own properties count. */
export function valueAt(values: unknown, path: string): unknown {
  let value = values;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

/** Returns the value as text: a string unchanged, nothing as an empty string, and anything else as JSON. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
