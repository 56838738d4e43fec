import { cut, oneLine } from '../../../src/platform/text/text-limits';
import { SECOND_MS } from '../../../src/platform/time/time-units';
import { goDurationMs } from './go-duration';
import { asWritten, hasVariable } from './variables';

export type Mapping = Record<string, unknown>;

export const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How a resource in the file differs from its conversion, as messages without duplicates. */
export class Differences {
  private readonly found = new Set<string>();

  readonly add = (difference: string): void => {
    this.found.add(difference);
  };

  get words(): string | null {
    return this.found.size === 0 ? null : [...this.found].join('; ');
  }
}

const TRUE = /^(true|yes|on|y)$/i;
const FALSE = /^(false|no|off|n)$/i;

/** Returns a value as a short string for a report. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? asWritten(value) : (JSON.stringify(value) ?? '');
  return cut(oneLine(asWritten(text)), 120);
}

/**
 * A mapping in the file that is read field by field. Fields that have the wrong type or are never read are reported, so
 * that nothing is lost silently.
 */
export class Fields {
  private readonly asked = new Set<string>();

  constructor(
    private readonly mapping: Mapping,
    readonly differences: Differences,
    /** The prefix for field names in reports, such as `client.`. */
    private readonly prefix = '',
  ) {}

  has(name: string): boolean {
    return (this.mapping[name] ?? null) !== null;
  }

  raw(name: string): unknown {
    this.asked.add(name);
    return this.mapping[name] ?? null;
  }

  /** Returns the field as a string with marked variables. Numbers and booleans are formatted as in JSON. */
  text(name: string): string | null {
    const value = this.raw(name);
    if (value === null || typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
    return this.unusable(name, value, 'a text');
  }

  /** Returns a string that can't be a secret. If it contains a variable, the variable's name is kept and reported. */
  plainText(name: string): string | null {
    const text = this.text(name);
    if (text === null || !hasVariable(text)) return text;
    this.note(name, `contains a variable, ${quoted(text)}, which is kept as text`);
    return asWritten(text);
  }

  flag(name: string): boolean | null {
    const value = this.raw(name);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string' && (TRUE.test(value) || FALSE.test(value))) return TRUE.test(value);
    return this.unusable(name, value, 'true or false');
  }

  integer(name: string): number | null {
    const value = this.raw(name);
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
    if (number === null || (typeof number === 'number' && Number.isSafeInteger(number))) return number;
    return this.unusable(name, value, 'a whole number');
  }

  /** Returns whole seconds within the bounds. Rounding and clamping are reported. */
  seconds(name: string, { min, max }: { min: number; max: number }): number | null {
    const value = this.raw(name);
    if (value === null) return null;
    const ms = typeof value === 'string' ? goDurationMs(value.trim()) : null;
    if (ms === null && typeof value === 'number' && value > 0) {
      this.note(name, `is ${value} without a unit and is read as seconds`);
      return Math.min(max, Math.max(min, Math.ceil(value)));
    }
    if (ms === null) return this.unusable(name, value, 'a duration such as 30s');
    if (ms <= 0) return null;
    const seconds = Math.min(max, Math.max(min, Math.ceil(ms / SECOND_MS - 1e-9)));
    if (Math.abs(seconds * SECOND_MS - ms) > 1e-6) this.note(name, `is changed from ${quoted(value)} to ${seconds} s`);
    return seconds;
  }

  list(name: string): unknown[] {
    const value = this.raw(name);
    if (value === null) return [];
    return Array.isArray(value) ? value : (this.unusable(name, value, 'a list') ?? []);
  }

  inner(name: string): Fields | null {
    const value = this.raw(name);
    if (value === null) return null;
    if (isMapping(value)) return new Fields(value, this.differences, `${this.prefix}${name}.`);
    return this.unusable(name, value, 'a mapping');
  }

  /** Returns the keys and values of a mapping whose values are strings. */
  texts(name: string): [string, string][] {
    const mapping = this.inner(name);
    return mapping === null ? [] : mapping.names().flatMap((key) => pair(key, mapping.text(key)));
  }

  names(): string[] {
    return Object.keys(this.mapping);
  }

  /** Reports the fields that weren't read. */
  noteRest(): void {
    for (const name of this.names())
      if (!this.asked.has(name) && this.has(name)) this.note(name, `is not converted (${quoted(this.mapping[name])})`);
  }

  note(name: string, words: string): void {
    this.differences.add(`${this.prefix}${asWritten(name)} ${words}`);
  }

  private unusable(name: string, value: unknown, wanted: string): null {
    this.note(name, `is left out because ${quoted(value)} is not ${wanted}`);
    return null;
  }
}

const pair = (key: string, value: string | null): [string, string][] => (value === null ? [] : [[key, value]]);
