/** A body as a template, or nothing if it could not be converted, with what is different. */
export interface ConvertedBody {
  body?: unknown;
  differences: string[];
}

/** Parses a body with placeholders. Only JSON can be a template. `change` replaces strings. */
export function bodyFrom(
  text: string,
  differences: readonly string[],
  change: (text: string) => unknown = (unchanged) => unchanged,
): ConvertedBody {
  try {
    return { body: changed(JSON.parse(text) as unknown, change), differences: [...differences] };
  } catch {
    return { differences: ['its own body is not JSON, so it is not used'] };
  }
}

function changed(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item: unknown) => changed(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, changed(each, change)]));
}
