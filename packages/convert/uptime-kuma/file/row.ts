import { isRecord } from '../../../../src/platform/text/json';

/** `retryInterval` of a backup and `retry_interval` of a table are one field. */
const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** One row of a table or one item of a backup: fields in both spellings, values as SQLite or as JSON has them. */
export class Row {
  private readonly values: ReadonlyMap<string, unknown>;

  /** `at`: where it stands in the file. Of fields that come twice the first that says something counts. */
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

  /** Numbers and booleans as text; empty for what is missing or no single value. */
  text(name: string): string {
    const value = this.raw(name);
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  }

  /** `null` for what is missing or no finite number. */
  number(name: string): number | null {
    const text = this.text(name).trim();
    const number = Number(text);
    return text === '' || !Number.isFinite(number) ? null : number;
  }

  /** 0, `"0"`, `"false"` and what is missing are false. */
  flag(name: string): boolean {
    const value = this.raw(name);
    return typeof value === 'string' ? !/^(?:0|false|)$/i.test(value.trim()) : Boolean(value);
  }

  /** A list, or the text of one; `null` for anything else. */
  list(name: string): unknown[] | null {
    const value = jsonOf(this.raw(name));
    return Array.isArray(value) ? value : null;
  }

  /** A mapping, or the text of one; `null` for anything else. */
  mapping(name: string): Readonly<Record<string, unknown>> | null {
    const value = jsonOf(this.raw(name));
    return isRecord(value) ? value : null;
  }

  /** What a list of the report calls it. */
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
