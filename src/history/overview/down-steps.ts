import { floorTo, MINUTE_MS } from '../../platform/time/time-units';

export const STEP_MS = 5 * MINUTE_MS;
const STEPS = 288;

/** The number of endpoints that were down from step `first` until just before step `until`. */
export interface DownSpan {
  first: number;
  until: number;
  endpoints: number;
}

/**
 * Returns the start of the first step in the last 24 hours, in milliseconds since the epoch. The last step contains the
 * current time.
 */
export const firstStepAt = (nowMs: number): number => floorTo(nowMs, STEP_MS) - (STEPS - 1) * STEP_MS;

/** Returns how many endpoints were down in each step of the last 24 hours. Clips the spans to that period. */
export function downBySteps(spans: readonly DownSpan[]): number[] {
  const changes = Array.from({ length: STEPS + 1 }, () => 0);
  const at = (step: number): number => Math.min(Math.max(step, 0), STEPS);
  for (const { first, until, endpoints } of spans) {
    changes[at(first)] = (changes[at(first)] ?? 0) + endpoints;
    changes[at(until)] = (changes[at(until)] ?? 0) - endpoints;
  }
  let down = 0;
  return changes.slice(0, STEPS).map((change) => (down += change));
}
