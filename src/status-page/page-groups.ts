/** A named section of a page, with single endpoints and whole websites. The UUIDs are in display order. */
export interface PageGroup {
  name: string;
  endpoints: string[];
  websites: string[];
}

/** The properties of an endpoint that determine its place on a page. */
export interface PageEndpoint {
  id: string;
  websiteId: string;
}

/**
 * Returns the endpoints in group order. Within a group, single endpoints come before the endpoints of whole websites.
 * Each endpoint is shown once, in the first group that contains it. Deleted ones are omitted.
 */
export function arranged<Endpoint extends PageEndpoint>(
  groups: readonly PageGroup[],
  endpoints: readonly Endpoint[],
): { group: string; endpoint: Endpoint }[] {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const named = new Set(groups.flatMap((group) => group.endpoints));
  const byWebsite = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    if (!named.has(endpoint.id))
      byWebsite.set(endpoint.websiteId, [...(byWebsite.get(endpoint.websiteId) ?? []), endpoint]);
  }
  return groups.flatMap(({ name, ...group }) => {
    const own = group.endpoints.flatMap((id) => taken(byId, id) ?? []);
    const ofWebsites = group.websites.flatMap((id) => taken(byWebsite, id) ?? []);
    return [...own, ...ofWebsites].map((endpoint) => ({ group: name, endpoint }));
  });
}

function taken<Value>(from: Map<string, Value>, key: string): Value | undefined {
  const value = from.get(key);
  from.delete(key);
  return value;
}
