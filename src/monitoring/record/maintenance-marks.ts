import { Injectable } from '@nestjs/common';
import type { FinishedCheck } from '../../endpoint/finished-check';
import { type Coverable, maintenanceAt, type Occurrence } from '../../endpoint/maintenance/cover';
import { MaintenanceCoverage } from '../../endpoint/maintenance/maintenance-coverage';
import type { Tx } from '../../platform/database/database';

/** Marks checks as planned or muted by the maintenance windows that are in force when they began. */
@Injectable()
export class MaintenanceMarks {
  constructor(private readonly coverage: MaintenanceCoverage) {}

  /**
   * Decided again each time, so that a transaction that is repeated goes by what is true then. Cost: one statement, a probe
   * of an index for each organization; one more, by the keys of the endpoints, where a window covers only some of them.
   */
  async set(tx: Tx, checks: readonly FinishedCheck[]): Promise<void> {
    const orgIds = new Set<string>();
    let [from, to] = [Infinity, -Infinity];
    for (const check of checks) {
      check.planned = false;
      check.muted = false;
      const at = check.checkedAt.getTime();
      orgIds.add(check.orgId);
      if (at < from) from = at;
      if (at > to) to = at;
    }
    if (orgIds.size === 0) return;
    const occurrences = await this.coverage.overlapping(tx, [...orgIds], new Date(from), new Date(to));
    if (occurrences.length === 0) return;
    const known = await this.coverable(tx, checks, occurrences);
    const endpoints = checks.map((check) => known.get(check.endpointId) ?? unknownOf(check));
    const named = new OccurrencesByName(occurrences, endpoints);
    checks.forEach((check, index) => {
      const endpoint = endpoints[index] ?? unknownOf(check);
      const maintenance = maintenanceAt(named.thatMayCover(endpoint), endpoint, check.checkedAt);
      check.planned = maintenance?.excludeFromUptime ?? false;
      check.muted = maintenance?.mute ?? false;
    });
  }

  /** Of the endpoints of organizations that have a window over some of theirs. */
  private async coverable(
    tx: Tx,
    checks: readonly FinishedCheck[],
    occurrences: readonly Occurrence[],
  ): Promise<ReadonlyMap<string, Coverable>> {
    const orgIds = new Set(occurrences.flatMap(({ orgId, coversAll }) => (coversAll ? [] : [orgId])));
    const ids = new Set(checks.flatMap(({ orgId, endpointId }) => (orgIds.has(orgId) ? [endpointId] : [])));
    return ids.size === 0 ? new Map<string, Coverable>() : this.coverage.coverable(tx, [...ids]);
  }
}

/** What of an endpoint a scope may name; the organization stands for a scope over everything. */
const namesOf = ({ id, orgId, websiteId, tags }: Coverable): string[] => [
  orgId,
  id,
  websiteId,
  ...tags.map((tag) => `${orgId} ${tag}`),
];

/**
 * Occurrences by what their scopes name of some endpoints, so that each meets only those that may cover it: an organization
 * may have a thousand, each over a thousand things.
 */
class OccurrencesByName {
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

  /** Some may be there twice: they cover the endpoint in two ways. */
  thatMayCover(endpoint: Coverable): Occurrence[] {
    return namesOf(endpoint).flatMap((name) => this.byName.get(name) ?? []);
  }
}

/** Enough for a window over all endpoints; one that was deleted meanwhile is covered by no other. */
const unknownOf = ({ endpointId, orgId }: FinishedCheck): Coverable => ({
  id: endpointId,
  orgId,
  websiteId: '',
  tags: [],
});
