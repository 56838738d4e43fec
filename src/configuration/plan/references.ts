import { formatId, parseId } from '../../platform/ids/id';
import type { Matches } from './matches';
import type { PresentState } from './state/present-state';
import { pathOf } from './matching';

const KINDS = ['contact', 'website', 'endpoint'] as const;
type ReferredKind = (typeof KINDS)[number];

/** Key paths and what they stand for: what the document declares, and what else has a key. */
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

  /** uuid; `null` when there is no such thing. */
  idOf(kind: ReferredKind, path: string): string | null {
    return this.ids.get(`${kind} ${path}`) ?? null;
  }

  /** The key path of a uuid, else its public id. */
  pathOf(kind: ReferredKind, id: string): string {
    return this.paths.get(id) ?? formatId(kind, id);
  }

  /** The key paths of public ids in a view; an id itself where there is no path. */
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
