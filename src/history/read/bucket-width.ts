import { ceilTo, floorTo, HOUR_MS, SECOND_MS } from '../../platform/time/time-units';
import type { TimeRange } from '../time-range';

/** Buckets of one answer. */
export const MAX_BUCKETS = 1500;

/** Steps below an hour read single checks; over a longer range they would read too many. */
export const MAX_FINE_RANGE_MS = 7 * 24 * HOUR_MS;

/** Seconds; the first that needs no more than 300 buckets is taken. */
const NICE_STEPS = [60, 300, 900, 3600, 3 * 3600, 6 * 3600, 24 * 3600, 7 * 24 * 3600];

/** A step in seconds that makes a chart of that range: at most 300 points. */
export function defaultBucketSeconds({ from, to }: TimeRange): number {
  const fits = NICE_STEPS.find((step) => (to - from) / (step * SECOND_MS) <= 300);
  return fits ?? ceilTo(Math.ceil((to - from) / SECOND_MS / 300), 7 * 24 * 3600);
}

/** Why buckets of that step cannot be made of the range, or `null`. */
export function stepProblem(stepSeconds: number, { from, to }: TimeRange): string | null {
  const stepMs = stepSeconds * SECOND_MS;
  if (stepMs > HOUR_MS && stepMs % HOUR_MS !== 0) return 'step must be at most 3600 or a multiple of 3600';
  if (stepMs < HOUR_MS && to - from > MAX_FINE_RANGE_MS) return 'a step below 3600 needs a range of at most 7 days';
  const { from: first, to: last } = onGrid({ from, to }, stepMs);
  if ((last - first) / stepMs > MAX_BUCKETS) return `step is too small for the range: at most ${MAX_BUCKETS} buckets`;
  return null;
}

/** The range widened to whole steps since the epoch. */
export const onGrid = ({ from, to }: TimeRange, stepMs: number): TimeRange => ({
  from: floorTo(from, stepMs),
  to: ceilTo(to, stepMs),
});
