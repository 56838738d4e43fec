import { keyFrom } from '../document/keys';
import { pathOf } from '../plan/matching';
import { grouped } from '../../platform/text/grouped';

/** Something as far as its key goes. */
export interface Keyed {
  id: string;
  externalKey: string | null;
}

/**
 * The keys of siblings, by uuid: the stored ones, and made of names for those that have none. The same siblings in the same
 * order have the same keys.
 */
export function keysOf<Item extends Keyed>(
  siblings: readonly Item[],
  nameOf: (item: Item) => string,
): Map<string, string> {
  const taken = new Set(siblings.flatMap(({ externalKey }) => externalKey ?? []));
  return new Map(siblings.map((item) => [item.id, item.externalKey ?? keyFrom(nameOf(item), taken)]));
}

/** By what a document names things: key paths by uuid. What is gone has none. */
export interface KeyPaths {
  contacts: ReadonlyMap<string, string>;
  websites: ReadonlyMap<string, string>;
  /** `website/endpoint`. */
  endpoints: ReadonlyMap<string, string>;
}

interface Named extends Keyed {
  name: string;
}

/** The key paths of everything that may be referred to. Endpoints of other websites have none. */
export function keyPathsOf(things: {
  contacts: readonly Named[];
  websites: readonly Named[];
  endpoints: readonly (Named & { websiteId: string })[];
}): KeyPaths {
  const nameOf = ({ name }: Named): string => name;
  const websites = keysOf(things.websites, nameOf);
  const endpoints = new Map<string, string>();
  for (const [websiteId, siblings] of grouped(things.endpoints, (endpoint) => endpoint.websiteId)) {
    const parent = websites.get(websiteId);
    if (parent === undefined) continue;
    for (const [id, key] of keysOf(siblings, nameOf)) endpoints.set(id, pathOf(parent, key));
  }
  return { contacts: keysOf(things.contacts, nameOf), websites, endpoints };
}

/** The key paths of those that are still there. */
export const pathsOf = (paths: ReadonlyMap<string, string>, ids: readonly string[]): string[] =>
  ids.flatMap((id) => paths.get(id) ?? []);
