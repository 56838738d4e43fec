import { sharesOf } from '../../platform/capacity/by-owner';
import type { PendingCheck } from './pending-check';

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
