import { isRecord } from '../../../src/platform/text/json';
import { problems } from '../../../src/platform/problem/problem';
import type { ReportEntry } from '../conversion';
import { type File, filesIn, NOTHING, pointerStep } from './files';
import { asWritten } from './variables';

export interface Placed {
  value: unknown;
  at: string;
}

/** The configuration from one or more files. Variables in its strings are marked. */
export interface GatusSource {
  /** The values of the top-level keys. */
  sections: Map<string, Placed>;
  /** Returns the items in a top-level list, from all files. */
  items: (name: string) => Placed[];
  /** Returns the entries in a top-level mapping, from all files. */
  members: (name: string) => Map<string, Placed>;
  report: ReportEntry[];
}

/**
 * Reads the files in a stream like Gatus reads a directory: it merges mappings and appends lists. A Kubernetes
 * ConfigMap is replaced with the files it contains. Throws: `validation_failed` if this isn't a Gatus configuration.
 */
export function readSource(text: string): GatusSource {
  const report: ReportEntry[] = [];
  const files = filesIn(text, report);
  const merged = new Merged(files, report);
  if (!['endpoints', 'services', 'suites', 'external-endpoints'].some((name) => merged.sections.has(name)))
    throw problems.validationFailed([NOTHING]);
  return { sections: merged.sections, items: merged.items, members: merged.members, report };
}

class Merged {
  readonly sections = new Map<string, Placed>();

  constructor(
    private readonly files: readonly File[],
    private readonly report: ReportEntry[],
  ) {
    for (const { value, place } of files)
      for (const [name, own] of Object.entries(value)) {
        const at = place(`/${pointerStep(name)}`);
        const before = this.sections.get(name);
        this.sections.set(
          name,
          before ? { at: before.at, value: this.merge(before.value, own, name, at) } : { at, value: own },
        );
      }
  }

  readonly items = (name: string): Placed[] =>
    this.files.flatMap(({ value, place }) => {
      const list = value[name];
      if (!Array.isArray(list)) return [];
      return list.map((item: unknown, i) => ({ value: item, at: place(`/${pointerStep(name)}/${i}`) }));
    });

  readonly members = (name: string): Map<string, Placed> => {
    const whole = this.sections.get(name)?.value;
    const places = new Map<string, string>();
    for (const { value, place } of this.files) {
      const own = value[name];
      for (const member of isRecord(own) ? Object.keys(own) : [])
        if (!places.has(member)) places.set(member, place(`/${pointerStep(name)}/${pointerStep(member)}`));
    }
    return new Map([...places].map(([member, at]) => [member, { at, value: isRecord(whole) ? whole[member] : null }]));
  };

  private merge(before: unknown, own: unknown, name: string, at: string): unknown {
    if (Array.isArray(before) && Array.isArray(own)) return [...(before as unknown[]), ...(own as unknown[])];
    if (isRecord(before) && isRecord(own)) {
      const merged = new Map(Object.entries(before));
      for (const [key, value] of Object.entries(own))
        merged.set(key, merged.has(key) ? this.merge(merged.get(key), value, `${name}.${key}`, at) : value);
      return Object.fromEntries(merged);
    }
    if (JSON.stringify(before) !== JSON.stringify(own))
      this.report.push({
        at,
        name: asWritten(name),
        result: 'approximated',
        why: 'several files set it, which Gatus refuses; the last value is used',
      });
    return own;
  }
}
