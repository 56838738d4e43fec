import type { Command } from './commands';
import { childrenOf, type Fields, type Kind } from './model';

export type Write = Extract<Command, { do: 'create' | 'update' | 'delete' }>;

/** A resource as the API lists it. */
export interface Listed {
  kind: Kind;
  name: string;
  fields: Fields;
}

interface Entry {
  kind: Kind;
  parent: string | null;
  /** Whether it may be there, and whether it may be gone. */
  presence: Set<boolean>;
  /** What each field may be. */
  fields: Record<string, Fields[string][]>;
}

/**
 * What a client may rely on. A write that was answered with success must be there from then on; one that was answered
 * with 503 or not at all may have happened or not, until a look at the service decides.
 */
export class ExpectedState {
  private readonly entries = new Map<string, Entry>();

  /** The service said yes. */
  acknowledge(write: Write): void {
    const entry = this.entryOf(write);
    if (write.do === 'delete') return this.end(write.name, new Set([false]));
    entry.presence = new Set([true]);
    for (const [field, value] of Object.entries(write.fields)) entry.fields[field] = [value];
  }

  /** Nobody knows. */
  doubt(write: Write): void {
    const entry = this.entryOf(write);
    if (write.do === 'delete') return this.end(write.name, new Set([...entry.presence, false]));
    if (write.do === 'create') entry.presence = new Set([true, false]);
    for (const [field, value] of Object.entries(write.fields)) (entry.fields[field] ??= []).push(value);
  }

  /** True when it must be there. */
  has(name: string): boolean {
    const presence = this.entries.get(name)?.presence;
    return presence?.has(true) === true && !presence.has(false);
  }

  /** Compares with what the service shows, and believes it from now on. */
  reconcile(listed: readonly Listed[]): string[] {
    const broken: string[] = [];
    const shown = new Map(listed.map((resource) => [resource.name, resource]));
    if (shown.size < listed.length) broken.push('a resource was made twice');
    for (const { name, kind } of listed)
      if (!this.entries.has(name)) broken.push(`${kind} ${name} was never asked for`);
    for (const [name, entry] of this.entries) {
      const resource = shown.get(name);
      if (!resource && !entry.presence.has(false)) broken.push(`lost write: ${entry.kind} ${name} is not there`);
      if (resource && !entry.presence.has(true)) broken.push(`${entry.kind} ${name} was deleted and is there again`);
      entry.presence = new Set([resource !== undefined]);
      for (const [field, value] of Object.entries(resource?.fields ?? {})) {
        const allowed = entry.fields[field] ?? [];
        if (!allowed.includes(value))
          broken.push(
            `lost write: ${entry.kind} ${name} has ${field}=${value} and should have ${allowed.join(' or ')}`,
          );
        entry.fields[field] = [value];
      }
    }
    return broken;
  }

  private entryOf(write: Write): Entry {
    const known = this.entries.get(write.name);
    if (known) return known;
    const parent = write.do === 'create' ? write.parent : null;
    const entry: Entry = { kind: write.kind, parent, presence: new Set([false]), fields: {} };
    this.entries.set(write.name, entry);
    return entry;
  }

  /** What is deleted takes everything below along. */
  private end(name: string, presence: ReadonlySet<boolean>): void {
    const entry = this.entries.get(name);
    if (!entry) return;
    const wasThere = entry.presence.has(true);
    entry.presence = new Set(wasThere ? presence : [false]);
    for (const child of childrenOf(this.entries, name)) {
      const below = this.entries.get(child);
      this.end(child, presence.has(true) && below ? new Set([...below.presence, false]) : new Set([false]));
    }
  }
}
