import type { Coverable, Occurrence } from './cover';

/** What of an endpoint a scope may name; the organization stands for a scope over everything. */
const namesOf = ({ id, orgId, websiteId, tags }: Coverable): string[] => [
  orgId,
  id,
  websiteId,
  ...tags.map((tag) => `${orgId} ${tag}`),
];

/**
 * Occurrences by what their scopes name of some endpoints, so that each meets only those that cover it: an organization may
 * have a thousand, each over a thousand things.
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

  /** Those that cover one of the endpoints that it was made for. Some may be there twice: they cover it in two ways. */
  covering(endpoint: Coverable): Occurrence[] {
    return namesOf(endpoint).flatMap((name) => this.byName.get(name) ?? []);
  }
}
