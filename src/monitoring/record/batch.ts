import { isDegraded, LOCAL } from '../../engine/finished-check';
import { sharesOf } from '../../platform/capacity/by-owner';
import { grouped } from '../../platform/text/grouped';
import { floorTo, HOUR_MS } from '../../platform/time/time-units';
import type { PendingCheck } from '../../engine/queue/pending-checks';

/** All results of one endpoint in a batch, in order. */
export type EndpointResults = readonly PendingCheck[];

export const resultsOfEach = (batch: readonly PendingCheck[]): EndpointResults[] => [
  ...grouped(batch, ({ check }) => check.endpointId).values(),
];

/** If a batch has fewer results than this, the extra transactions cost more than the reduced waiting saves. */
const LEAST = 50;
const SLOW_MS = 1000;
const QUICK_MS = 500;
/**
 * A batch that is this many times slower than the quickest one is slow because of its content, not because of the
 * connection to the database.
 */
const TIMES_QUICKEST = 4;

/**
 * Returns how many results the next batch may have after one that took `durationMs`. One batch may cost a hundred times
 * as much as another, for example if alerts change, and all results wait for it. `quickestMs` is the duration of the
 * quickest recent batch. If every batch takes long, smaller batches would only mean more batches.
 */
export function nextBatchSize(size: number, durationMs: number, quickestMs: number, most: number): number {
  if (durationMs > SLOW_MS && durationMs > TIMES_QUICKEST * quickestMs) return Math.max(LEAST, Math.floor(size / 2));
  return durationMs < Math.max(QUICK_MS, 2 * quickestMs) ? Math.min(most, size * 2) : size;
}

/**
 * Returns the part of a batch that changes at most `most` alerts, shared fairly between organizations. `alertsOf`
 * returns how many alerts a result for the endpoint may change. At least one result is kept. Once a result is left out,
 * no later result for the same endpoint is kept.
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
    // An organization's first result always fits. Otherwise, an endpoint with very many alerts would wait forever.
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
 * Successful results from one location for an endpoint that has been up for a long time, in maintenance or not. They
 * only increase counters, so the row doesn't have to be read first. All are in one hour, in slot order. Times are
 * milliseconds since the epoch.
 */
export interface UnchangedUpRun {
  endpointId: string;
  /** The location that all results come from. */
  location: number;
  revision: number;
  results: EndpointResults;
  firstSlotMs: number;
  lastSlotMs: number;
  firstCheckedMs: number;
  lastCheckedMs: number;
  hourMs: number;
  /** The shortest interval between two slots, or Infinity for a single result. */
  nearestMs: number;
}

/**
 * `endpoint_state.recent` holds 30 outcomes, 2 bits each. A run must not push out all of them, because that would shift
 * the value by its full width.
 */
const LONGEST = 29;
/** Fewer runs aren't worth a separate statement if other results are written with locks anyway. */
const WORTH_A_STATEMENT = 25;

/** Returns `null` if a result may change something, has no slot, or isn't newer than the previous result. */
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

/**
 * The parts of a batch: runs that are written without reading their rows, and endpoints whose rows are locked and read.
 */
export interface BatchParts {
  unchangedUp: UnchangedUpRun[];
  /** Runs for endpoints with locations. */
  unchangedLocated: UnchangedUpRun[];
  others: EndpointResults[];
}

/**
 * Splits a batch into its parts. `isLocated` returns whether an endpoint is known to have locations. A probe's result
 * always counts as located.
 */
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
