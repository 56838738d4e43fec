import type { EndpointScope } from '../search/scope';

/** The endpoints that a maintenance window covers. */
export type MaintenanceScope = EndpointScope;

/** A period during which a maintenance window is active: from `startsAt` (inclusive) to `endsAt` (exclusive). */
export interface Occurrence extends MaintenanceScope {
  orgId: string;
  windowId: string;
  name: string;
  startsAt: Date;
  endsAt: Date;
  /** Alerts are muted. */
  mute: boolean;
  /** Checks are marked as planned and count neither as up nor as down. */
  excludeFromUptime: boolean;
  public: boolean;
}

/** The endpoint properties that determine which windows cover it. `tags` includes the website's tags. */
export interface Coverable {
  id: string;
  orgId: string;
  websiteId: string;
  tags: readonly string[];
}

/** The maintenance that is active for one endpoint at a given time. */
export interface Maintenance {
  /** If several windows are active, the one that ends last. */
  windowId: string;
  name: string;
  /** The end of the last of several windows that follow each other without a gap. */
  until: Date;
  mute: boolean;
  excludeFromUptime: boolean;
}

export function covers(scope: MaintenanceScope & { orgId: string }, endpoint: Coverable): boolean {
  if (scope.orgId !== endpoint.orgId) return false;
  return (
    scope.coversAll ||
    scope.endpointIds.includes(endpoint.id) ||
    scope.websiteIds.includes(endpoint.websiteId) ||
    scope.tags.some((tag) => endpoint.tags.includes(tag))
  );
}

/**
 * SQL condition: `covers` for a scope with this alias and the columns `covers_all`, `website_ids`, `endpoint_ids`, and
 * `tags`. The other arguments are arrays with the parts of the endpoint.
 */
export const coversSql = (scope: string, websiteIds: string, endpointIds: string, tags: string): string =>
  `(${scope}.covers_all OR ${scope}.website_ids && ${websiteIds} OR ${scope}.endpoint_ids && ${endpointIds} OR ${scope}.tags && ${tags})`;

const isIn = ({ startsAt, endsAt }: Occurrence, at: number): boolean =>
  startsAt.getTime() <= at && at < endsAt.getTime();

/** Combines the occurrences that cover the endpoint at `at`. Returns `null` if none does. */
export const maintenanceAt = (occurrences: readonly Occurrence[], endpoint: Coverable, at: Date): Maintenance | null =>
  unionAt(
    occurrences.filter((occurrence) => covers(occurrence, endpoint)),
    at,
  );

/** Combines occurrences that all cover one endpoint. Returns `null` if none is active at `at`. */
export function unionAt(covering: readonly Occurrence[], at: Date): Maintenance | null {
  const running = covering.filter((occurrence) => isIn(occurrence, at.getTime()));
  const last = running.toSorted((a, b) => b.endsAt.getTime() - a.endsAt.getTime())[0];
  if (!last) return null;
  let until = last.endsAt;
  for (const { startsAt, endsAt } of covering.toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime())) {
    if (startsAt.getTime() <= until.getTime() && endsAt > until) until = endsAt;
  }
  return {
    windowId: last.windowId,
    name: last.name,
    until,
    mute: running.some(({ mute }) => mute),
    excludeFromUptime: running.some(({ excludeFromUptime }) => excludeFromUptime),
  };
}
