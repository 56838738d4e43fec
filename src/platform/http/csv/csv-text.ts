/** Starts a formula, or makes a program skip to one. */
const FORMULA = /^[=+\-@\t\r\n]/;
const QUOTED = /[",\r\n]/;

/**
 * Returns one value as RFC 4180 describes. Spreadsheets run a text that starts like a formula, so it gets an apostrophe
 * in front, which they don't show. Numbers are never changed.
 */
export function csvValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text.trimStart()) || FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/** Returns a row with its line break. */
export const csvRow = (values: readonly unknown[]): string => `${values.map(csvValue).join(',')}\r\n`;

/** Returns the value at a path such as `error.code`, or `undefined` if a part of it is missing or null. */
export function valueAt(item: unknown, path: string): unknown {
  let value = item;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** The name of a column: `error.code` → `error_code`. */
export const columnName = (path: string): string => path.replace(/\./g, '_');
