import { formatId, parseId } from '../../platform/ids/id';
import type { Matches } from './matches';
import type { PresentState } from './state/present-state';
import { pathOf } from './matching';

const KINDS = ['contact', 'website', 'endpoint'] as const;
type ReferredKind = (typeof KINDS)[number];

/** Maps key paths to IDs, for declared resources and for all others with a key. */
export class References {
  private readonly ids = new Map<string, string>();
  private readonly paths = new Map<string, string>();

  constructor(state: PresentState, matches: Pick<Matches, 'contacts' | 'websites' | 'endpoints'>) {
    const websiteKeys = new Map(state.websites.map(({ id, externalKey }) => [id, externalKey]));
    for (const { id, externalKey } of state.contacts) this.add('contact', externalKey, id);
    for (const { id, externalKey } of state.websites) this.add('website', externalKey, id);
    for (const { id, externalKey, websiteId } of state.endpoints) {
      const parent = websiteKeys.get(websiteId) ?? null;
      if (parent !== null && externalKey !== null) this.add('endpoint', pathOf(parent, externalKey), id);
    }
    for (const { path, id } of matches.contacts) this.add('contact', path, id);
    for (const { path, id } of matches.websites) this.add('website', path, id);
    for (const { path, id } of matches.endpoints) this.add('endpoint', path, id);
  }

  /** Returns the UUID, or `null` if it isn't found. */
  idOf(kind: ReferredKind, path: string): string | null {
    return this.ids.get(`${kind} ${path}`) ?? null;
  }

  /** Returns the key path for a UUID, or its public ID if it has no key path. */
  pathOf(kind: ReferredKind, id: string): string {
    return this.paths.get(id) ?? formatId(kind, id);
  }

  /** Returns the key paths for the public IDs in a view. An ID without a key path is kept. */
  pathsOf(kind: ReferredKind, ids: unknown): string[] {
    if (!Array.isArray(ids)) return [];
    return ids.map((id: unknown) => this.pathOfPublic(kind, id)).sort((a, b) => (a < b ? -1 : 1));
  }

  pathOfPublic(kind: ReferredKind, id: unknown): string {
    const uuid = parseId(kind, id);
    return uuid === null ? String(id) : this.pathOf(kind, uuid);
  }

  private add(kind: ReferredKind, path: string | null, id: string): void {
    if (path === null) return;
    this.ids.set(`${kind} ${path}`, id);
    this.paths.set(id, path);
  }
}
