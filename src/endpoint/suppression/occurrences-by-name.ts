import type { Coverable, Occurrence } from './cover';

/**
 * Returns the keys by which a scope may cover an endpoint. The organization's ID represents a scope over everything.
 */
const namesOf = ({ id, orgId, websiteId, tags }: Coverable): string[] => [
  orgId,
  id,
  websiteId,
  ...tags.map((tag) => `${orgId} ${tag}`),
];

/**
 * An index of occurrences by the keys in their scopes, so that each endpoint is compared only with those that cover it.
 * An organization may have a thousand occurrences, each with a thousand resources.
 */
export class OccurrencesByName {
  private readonly byName = new Map<string, Occurrence[]>();

  constructor(occurrences: readonly Occurrence[], endpoints: readonly Coverable[]) {
    for (const endpoint of endpoints) for (const name of namesOf(endpoint)) this.byName.set(name, []);
    for (const occurrence of occurrences) {
      const { orgId, coversAll, endpointIds, websiteIds, tags } = occurrence;
      if (coversAll) this.byName.get(orgId)?.push(occurrence);
      for (const id of endpointIds) this.byName.get(id)?.push(occurrence);
      for (const id of websiteIds) this.byName.get(id)?.push(occurrence);
      for (const tag of tags) this.byName.get(`${orgId} ${tag}`)?.push(occurrence);
    }
  }

  /**
   * Returns the occurrences that cover one of the endpoints passed to the constructor. An occurrence that covers it in
   * two ways is listed twice.
   */
  covering(endpoint: Coverable): Occurrence[] {
    return namesOf(endpoint).flatMap((name) => this.byName.get(name) ?? []);
  }
}
