import { keyFrom } from '../document/keys';
import { pathOf } from '../plan/matching';
import { grouped } from '../../platform/text/grouped';

export interface Keyed {
  id: string;
  externalKey: string | null;
}

/**
 * Returns the siblings' keys by UUID: the stored ones, and keys created from names for siblings without one. The same
 * siblings in the same order get the same keys.
 */
export function keysOf<Item extends Keyed>(
  siblings: readonly Item[],
  nameOf: (item: Item) => string,
): Map<string, string> {
  const taken = new Set(siblings.flatMap(({ externalKey }) => externalKey ?? []));
  return new Map(siblings.map((item) => [item.id, item.externalKey ?? keyFrom(nameOf(item), taken)]));
}

/** The key paths in a document, by UUID. Deleted resources have none. */
export interface KeyPaths {
  contacts: ReadonlyMap<string, string>;
  websites: ReadonlyMap<string, string>;
  /** Paths such as `website/endpoint`. */
  endpoints: ReadonlyMap<string, string>;
}

interface Named extends Keyed {
  name: string;
}

/** Returns the key paths of all resources that may be referenced. Endpoints in other websites have none. */
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

/** Returns the key paths of the resources that still exist. */
export const pathsOf = (paths: ReadonlyMap<string, string>, ids: readonly string[]): string[] =>
  ids.flatMap((id) => paths.get(id) ?? []);
