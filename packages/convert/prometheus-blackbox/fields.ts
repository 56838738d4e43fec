import { isRecord } from '../../../src/platform/text/json';
import { type Members, numberIn, textIn } from '../foreign-list';

/** How a target differs from its endpoint, as messages without duplicates. */
export type Differences = Set<string>;

/** A mapping in the file that is read field by field. `noteRest` reports the fields that weren't read. */
export class Fields {
  private readonly asked = new Set<string>();

  constructor(
    private readonly members: Members,
    private readonly path: string,
    private readonly differences: Differences,
  ) {}

  has(name: string): boolean {
    return (this.members[name] ?? null) !== null;
  }

  raw(name: string): unknown {
    this.asked.add(name);
    return this.members[name];
  }

  text(name: string): string {
    this.asked.add(name);
    return textIn(this.members, name);
  }

  number(name: string): number | null {
    this.asked.add(name);
    return numberIn(this.members, name);
  }

  flag(name: string): boolean {
    return this.raw(name) === true;
  }

  list(name: string): readonly unknown[] {
    const value = this.raw(name);
    return Array.isArray(value) ? value : [];
  }

  inner(name: string): Fields {
    const value = this.raw(name);
    return new Fields(isRecord(value) ? value : {}, `${this.path}${name}.`, this.differences);
  }

  names(): string[] {
    return Object.keys(this.members);
  }

  note(name: string, words: string): void {
    this.asked.add(name);
    this.differences.add(`${this.path}${name} ${words}`);
  }

  noteRest(): void {
    for (const name of this.names()) if (!this.asked.has(name) && this.has(name)) this.note(name, 'is not converted');
  }
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
};

/** Converts a duration such as `1m30s` to seconds, or returns `null` if it is invalid. */
export function durationSeconds(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|[smhdwy]))+$/.test(text)) return null;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdwy])/gy)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (UNITS[unit ?? ''] ?? 0),
    0,
  );
}

/** Returns the string that a regular expression matches if it is just a literal. Otherwise returns `null`. */
export function literalOf(pattern: string): string | null {
  const inner = pattern.replace(/^\^?\.\*/, '').replace(/(?<!\\)\.\*\$?$/, '');
  const unescaped = inner.replace(/\\[^A-Za-z0-9]/g, '');
  if (inner === '' || /[.*+?()[\]{}|^$\\]/.test(unescaped)) return null;
  return inner.replace(/\\([^A-Za-z0-9])/g, '$1');
}
