import { isRecord } from '../../../../src/platform/text/json';

/** Makes `retryInterval` in a backup match `retry_interval` in a table. */
const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** A table row or a backup item. It finds fields in either spelling, with values from SQLite or JSON. */
export class Row {
  private readonly values: ReadonlyMap<string, unknown>;

  /** `at` is the location in the file. If a field occurs twice, the first one with a value is used. */
  constructor(
    readonly at: string,
    ...sources: Readonly<Record<string, unknown>>[]
  ) {
    const values = new Map<string, unknown>();
    for (const [name, value] of sources.flatMap((source) => Object.entries(source)))
      if (values.get(plain(name)) === undefined || values.get(plain(name)) === null) values.set(plain(name), value);
    this.values = values;
  }

  has(name: string): boolean {
    return this.values.has(plain(name));
  }

  raw(name: string): unknown {
    return this.values.get(plain(name));
  }

  /**
   * Returns the value as a string, converting numbers and booleans. Returns an empty string if it is missing, a list,
   * or an object.
   */
  text(name: string): string {
    const value = this.raw(name);
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  }

  /** Returns `null` if the value is missing or isn't a finite number. */
  number(name: string): number | null {
    const text = this.text(name).trim();
    const number = Number(text);
    return text === '' || !Number.isFinite(number) ? null : number;
  }

  /** Returns false for 0, `"0"`, `"false"`, and missing values. */
  flag(name: string): boolean {
    const value = this.raw(name);
    return typeof value === 'string' ? !/^(?:0|false|)$/i.test(value.trim()) : Boolean(value);
  }

  /** Returns a list, parsing it from JSON if needed. Returns `null` for anything else. */
  list(name: string): unknown[] | null {
    const value = jsonOf(this.raw(name));
    return Array.isArray(value) ? value : null;
  }

  /** Returns a mapping, parsing it from JSON if needed. Returns `null` for anything else. */
  mapping(name: string): Readonly<Record<string, unknown>> | null {
    const value = jsonOf(this.raw(name));
    return isRecord(value) ? value : null;
  }

  /** The name to use in the report. */
  get name(): string {
    const name = this.text('name').trim() || this.text('title').trim() || this.text('host').trim();
    return name || `#${this.id}`;
  }

  get id(): string {
    return this.text('id');
  }
}

function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}
