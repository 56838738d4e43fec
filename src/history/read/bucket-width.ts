import { ceilTo, floorTo, HOUR_MS, SECOND_MS } from '../../platform/time/time-units';
import type { TimeRange } from '../time-range';

export const MAX_BUCKETS = 1500;

/**
 * The longest range for steps below an hour. Those steps read individual checks, and a longer range would contain too
 * many.
 */
export const MAX_FINE_RANGE_MS = 7 * 24 * HOUR_MS;

/** In seconds. The first step that results in at most 300 buckets is used. */
const DEFAULT_STEPS = [60, 300, 900, 3600, 3 * 3600, 6 * 3600, 24 * 3600, 7 * 24 * 3600];

/** Returns the step in seconds for a chart that covers this range, with at most 300 buckets. */
export function defaultBucketSeconds({ from, to }: TimeRange): number {
  const fits = DEFAULT_STEPS.find((step) => (to - from) / (step * SECOND_MS) <= 300);
  return fits ?? ceilTo(Math.ceil((to - from) / SECOND_MS / 300), 7 * 24 * 3600);
}

/** Returns the reason why the range can't be divided into buckets of that step, or `null` if it can. */
export function stepProblem(stepSeconds: number, { from, to }: TimeRange): string | null {
  const stepMs = stepSeconds * SECOND_MS;
  if (stepMs > HOUR_MS && stepMs % HOUR_MS !== 0) return 'step must be at most 3600 or a multiple of 3600';
  if (stepMs < HOUR_MS && to - from > MAX_FINE_RANGE_MS) return 'a step below 3600 needs a range of at most 7 days';
  const { from: first, to: last } = onGrid({ from, to }, stepMs);
  if ((last - first) / stepMs > MAX_BUCKETS) return `step is too small for the range: at most ${MAX_BUCKETS} buckets`;
  return null;
}

/** Returns the range, expanded to multiples of the step since the epoch. */
export const onGrid = ({ from, to }: TimeRange, stepMs: number): TimeRange => ({
  from: floorTo(from, stepMs),
  to: ceilTo(to, stepMs),
});
