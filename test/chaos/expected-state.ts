import type { Command } from './commands';
import { childrenOf, type Fields, type Kind } from './model';

export type Write = Extract<Command, { do: 'create' | 'update' | 'delete' }>;

type Deletion = Extract<Write, { do: 'delete' }>;

/** A resource as the API lists it. */
export interface Listed {
  kind: Kind;
  name: string;
  fields: Fields;
}

/** A field with an unknown value. */
export const ANYTHING = '*';

interface Entry {
  kind: Kind;
  parent: string | null;
  /** Whether it may exist (`true`) and may be deleted (`false`). */
  presence: Set<boolean>;
  /** The possible values of each field. */
  fields: Record<string, Fields[string][]>;
}

/**
 * The state that a client may rely on. A successful write must be visible from then on. A write that ended with 503
 * or without a response may or may not have happened, until the service is read.
 */
export class ExpectedState {
  private readonly entries = new Map<string, Entry>();
  /** Maps each contact to the one that its alerts move to if it is deleted. */
  private readonly replacements = new Map<string, string>();

  acknowledge(write: Write): void {
    const entry = this.entryOf(write);
    if (write.do === 'delete') return this.markDeleted(write, new Set([false]));
    entry.presence = new Set([true]);
    for (const [field, value] of Object.entries(write.fields)) entry.fields[field] = [value];
  }

  markUncertain(write: Write): void {
    const entry = this.entryOf(write);
    if (write.do === 'delete') return this.markDeleted(write, new Set([...entry.presence, false]));
    if (write.do === 'create') entry.presence = new Set([true, false]);
    for (const [field, value] of Object.entries(write.fields)) (entry.fields[field] ??= []).push(value);
  }

  has(name: string): boolean {
    const presence = this.entries.get(name)?.presence;
    return presence?.has(true) === true && !presence.has(false);
  }

  /** Returns whether these fields certainly have these values. */
  isSure(name: string, fields: Fields): boolean {
    const known = this.entries.get(name)?.fields;
    return Object.entries(fields).every(([field, value]) => known?.[field]?.every((one) => one === value) === true);
  }

  /** Returns the differences from the service's lists, and uses these lists as the expected state from now on. */
  reconcile(listed: readonly Listed[]): string[] {
    const broken: string[] = [];
    const shown = new Map(listed.map((resource) => [resource.name, resource]));
    if (shown.size < listed.length) broken.push('a resource was created twice');
    for (const { name, kind } of listed)
      if (!this.entries.has(name)) broken.push(`${kind} ${name} was never requested`);
    for (const [name, entry] of this.entries) {
      const resource = shown.get(name);
      if (!resource && !entry.presence.has(false)) broken.push(`lost write: ${entry.kind} ${name} is gone`);
      if (resource && !entry.presence.has(true)) broken.push(`${entry.kind} ${name} was deleted and exists again`);
      entry.presence = new Set([resource !== undefined]);
      for (const [field, value] of Object.entries(resource?.fields ?? {})) {
        const allowed = (entry.fields[field] ?? []).map((one) => (field === 'via' ? this.heirOf(one, shown) : one));
        if (!allowed.includes(value) && !allowed.includes(ANYTHING))
          broken.push(
            `lost write: ${entry.kind} ${name} has ${field}=${value} and should have ${allowed.join(' or ')}`,
          );
        entry.fields[field] = [value];
      }
    }
    return broken;
  }

  /** Returns the contact of an alert that was given this one: the contact while it exists, or its replacement. */
  private heirOf(contact: Fields[string], shown: ReadonlyMap<string, unknown>): Fields[string] {
    const heir = this.replacements.get(String(contact));
    return heir === undefined || shown.has(String(contact)) ? contact : this.heirOf(heir, shown);
  }

  private entryOf(write: Write): Entry {
    const known = this.entries.get(write.name);
    if (known) return known;
    const parent = write.do === 'create' ? write.parent : null;
    const entry: Entry = { kind: write.kind, parent, presence: new Set([false]), fields: {} };
    this.entries.set(write.name, entry);
    return entry;
  }

  private markDeleted({ name, replacement }: Deletion, presence: ReadonlySet<boolean>): void {
    if (replacement !== undefined) this.replacements.set(name, replacement);
    this.markGone(name, presence);
  }

  /** A deletion includes all children. */
  private markGone(name: string, presence: ReadonlySet<boolean>): void {
    const entry = this.entries.get(name);
    if (!entry) return;
    const wasThere = entry.presence.has(true);
    entry.presence = new Set(wasThere ? presence : [false]);
    for (const child of childrenOf(this.entries, name)) {
      const below = this.entries.get(child);
      this.markGone(child, presence.has(true) && below ? new Set([...below.presence, false]) : new Set([false]));
    }
  }
}
