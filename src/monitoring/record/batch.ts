import { isDegraded, LOCAL } from '../../engine/finished-check';
import { sharesOf } from '../../platform/capacity/by-owner';
import { grouped } from '../../platform/text/grouped';
import { floorTo, HOUR_MS } from '../../platform/time/time-units';
import type { PendingCheck } from '../../engine/queue/pending-checks';

/** All results of one endpoint in a batch, in their order. */
export type EndpointResults = readonly PendingCheck[];

/** The results by endpoint, as they come. */
export const resultsOfEach = (batch: readonly PendingCheck[]): EndpointResults[] => [
  ...grouped(batch, ({ check }) => check.endpointId).values(),
];

/** Fewer results than this in one batch cost more in transactions than they save in waiting. */
const LEAST = 50;
const SLOW_MS = 1000;
const QUICK_MS = 500;
/** A batch this many times as slow as the quickest is so because of what is in it, not because the database is far away. */
const TIMES_QUICKEST = 4;

/**
 * How many results the next batch may have after one that took `durationMs`: what one batch does, such as alerts that
 * change, may cost a hundred times what another does, and everybody's results wait for it. `quickestMs`: of the last
 * batches; where each takes long, smaller ones would only be more.
 */
export function nextBatchSize(size: number, durationMs: number, quickestMs: number, most: number): number {
  if (durationMs > SLOW_MS && durationMs > TIMES_QUICKEST * quickestMs) return Math.max(LEAST, Math.floor(size / 2));
  return durationMs < Math.max(QUICK_MS, 2 * quickestMs) ? Math.min(most, size * 2) : size;
}

/**
 * The part of a batch that changes at most `most` alerts, shared between organizations like the results themselves.
 * `alertsOf`: how many alerts a result of the endpoint may change. At least one result is kept; of an endpoint whose result
 * is left out, no later one is kept.
 */
export function withinWork(
  batch: readonly PendingCheck[],
  alertsOf: ReadonlyMap<string, number>,
  most: number,
): PendingCheck[] {
  const costOf = ({ check }: PendingCheck): number => alertsOf.get(check.endpointId) ?? 0;
  const wanted = new Map<string, number>();
  for (const entry of batch) wanted.set(entry.check.orgId, (wanted.get(entry.check.orgId) ?? 0) + costOf(entry));
  const shares = sharesOf(wanted, most);
  const leftOut = new Set<string>();
  const begun = new Set<string>();
  return batch.filter((entry) => {
    const { orgId, endpointId } = entry.check;
    const left = (shares.get(orgId) ?? 0) - costOf(entry);
    // The first of an organization always fits, or one endpoint with very many alerts would wait for ever.
    if (leftOut.has(endpointId) || (left < 0 && begun.has(orgId))) {
      leftOut.add(endpointId);
      return false;
    }
    if (costOf(entry) > 0) begun.add(orgId);
    shares.set(orgId, left);
    return true;
  });
}

/**
 * Good results of one endpoint at one location that has been up for long: they only count on, so its row need not be read first, in
 * maintenance or not. All are of one hour, in the order of their slots. Times are milliseconds since the epoch.
 */
export interface UnchangedUpRun {
  endpointId: string;
  /** Who checked: all of them at one location. */
  location: number;
  revision: number;
  results: EndpointResults;
  firstSlotMs: number;
  lastSlotMs: number;
  firstCheckedMs: number;
  lastCheckedMs: number;
  hourMs: number;
  /** Between the two slots that are nearest; Infinity of a single one. */
  nearestMs: number;
}

/** `endpoint_state.recent` has 30 outcomes of 2 bits; a run must not push out all of them, or the shift is a whole word. */
const LONGEST = 29;
/** Fewer of them are not worth a statement of their own when others are written through the locked path anyway. */
const WORTH_A_STATEMENT = 25;

/** `null` when one of the results may change something, is no slot's, or is not newer than the one before it. */
export function unchangedUpRunOf(results: EndpointResults): UnchangedUpRun | null {
  const [first] = results;
  if (!first || results.length > LONGEST) return null;
  const { endpointId, location, revision } = first.check;
  const firstCheckedMs = first.check.checkedAt.getTime();
  const hourMs = floorTo(firstCheckedMs, HOUR_MS);
  let [lastSlotMs, lastCheckedMs, nearestMs] = [-Infinity, -Infinity, Infinity];
  for (const { check, affectsState } of results) {
    const checkedMs = check.checkedAt.getTime();
    const { slotMs } = check;
    if (
      affectsState ||
      check.result.outcome !== 'up' ||
      isDegraded(check) ||
      slotMs === null ||
      check.location !== location ||
      check.revision !== revision
    )
      return null;
    if (slotMs <= lastSlotMs || checkedMs <= lastCheckedMs || floorTo(checkedMs, HOUR_MS) !== hourMs) return null;
    nearestMs = Math.min(nearestMs, slotMs - lastSlotMs);
    [lastSlotMs, lastCheckedMs] = [slotMs, checkedMs];
  }
  const firstSlotMs = first.check.slotMs ?? lastSlotMs;
  return {
    endpointId,
    location,
    revision,
    results,
    firstSlotMs,
    lastSlotMs,
    firstCheckedMs,
    lastCheckedMs,
    hourMs,
    nearestMs,
  };
}

/** How the results of a batch are written: runs without reading their rows before, and the endpoints whose rows are locked and read. */
export interface BatchParts {
  unchangedUp: UnchangedUpRun[];
  /** Of endpoints with locations. */
  unchangedLocated: UnchangedUpRun[];
  others: EndpointResults[];
}

/** `isLocated`: known to have locations of its own, as whatever a probe has checked. */
export function partsOf(endpoints: readonly EndpointResults[], isLocated: (endpointId: string) => boolean): BatchParts {
  const unchangedUp: UnchangedUpRun[] = [];
  const unchangedLocated: UnchangedUpRun[] = [];
  const others: EndpointResults[] = [];
  for (const results of endpoints) {
    const run = unchangedUpRunOf(results);
    if (!run) others.push(results);
    else if (run.location !== LOCAL || isLocated(run.endpointId)) unchangedLocated.push(run);
    else unchangedUp.push(run);
  }
  const rest =
    others.length > 0 ? [unchangedUp, unchangedLocated].filter((runs) => runs.length < WORTH_A_STATEMENT) : [];
  for (const runs of rest) others.push(...runs.splice(0).map(({ results }) => results));
  return { unchangedUp, unchangedLocated, others };
}
