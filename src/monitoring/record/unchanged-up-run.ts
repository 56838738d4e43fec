import { floorTo, HOUR_MS } from '../../platform/time/time-units';
import { isDegraded } from '../../endpoint/finished-check';
import type { EndpointResults } from './batch-split';

/**
 * Good results of one endpoint that has been up for long: they only count on, so its row need not be read first, in
 * maintenance or not. All are of one hour, in the order of their slots. Times are milliseconds since the epoch.
 */
export interface UnchangedUpRun {
  endpointId: string;
  revision: number;
  results: EndpointResults;
  firstSlotMs: number;
  lastSlotMs: number;
  firstCheckedMs: number;
  lastCheckedMs: number;
  hourMs: number;
}

/** `endpoint_state.recent` has 30 outcomes of 2 bits; a run must not push out all of them, or the shift is a whole word. */
const LONGEST = 29;
/** Fewer of them are not worth a statement of their own when others are written through the locked path anyway. */
const WORTH_A_STATEMENT = 25;

/** `null` when one of the results may change something, is no slot's, or is not newer than the one before it. */
export function unchangedUpRunOf(results: EndpointResults): UnchangedUpRun | null {
  const [first] = results;
  if (!first || results.length > LONGEST) return null;
  const { endpointId, revision } = first.check;
  const firstCheckedMs = first.check.checkedAt.getTime();
  const hourMs = floorTo(firstCheckedMs, HOUR_MS);
  let [lastSlotMs, lastCheckedMs] = [-Infinity, -Infinity];
  for (const { check, affectsState } of results) {
    const checkedMs = check.checkedAt.getTime();
    const { slotMs } = check;
    if (
      affectsState ||
      check.result.outcome !== 'up' ||
      isDegraded(check) ||
      slotMs === null ||
      check.revision !== revision
    )
      return null;
    if (slotMs <= lastSlotMs || checkedMs <= lastCheckedMs || floorTo(checkedMs, HOUR_MS) !== hourMs) return null;
    [lastSlotMs, lastCheckedMs] = [slotMs, checkedMs];
  }
  const firstSlotMs = first.check.slotMs ?? lastSlotMs;
  return { endpointId, revision, results, firstSlotMs, lastSlotMs, firstCheckedMs, lastCheckedMs, hourMs };
}

/** The runs of a batch, and the endpoints whose rows must be locked and read. */
export function unchangedUpRunsOf(endpoints: readonly EndpointResults[]): {
  unchangedUp: UnchangedUpRun[];
  others: EndpointResults[];
} {
  const unchangedUp: UnchangedUpRun[] = [];
  const others: EndpointResults[] = [];
  for (const results of endpoints) {
    const run = unchangedUpRunOf(results);
    if (run) unchangedUp.push(run);
    else others.push(results);
  }
  if (others.length > 0 && unchangedUp.length < WORTH_A_STATEMENT) return { unchangedUp: [], others: [...endpoints] };
  return { unchangedUp, others };
}
