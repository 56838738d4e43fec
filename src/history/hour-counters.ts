import type { Outcome } from '../checker/checker';
import { floorTo, HOUR_MS } from '../platform/time/time-units';

/** The number of checks in one hour by outcome. */
export interface OutcomeCounts {
  up: number;
  down: number;
  unknown: number;
}

/**
 * The number of checks in one hour by outcome and mark. The other counts don't include planned checks, but `up`
 * includes degraded ones.
 */
export interface MarkedCounts extends OutcomeCounts {
  planned: number;
  degraded: number;
}

/** The properties of a check that decide how it is counted. */
export interface CountedCheck {
  outcome: Outcome;
  planned: boolean;
  degraded: boolean;
}

/**
 * The counts of an endpoint's newest hour and the one before. They are part of its state, so that the newest stats need
 * no scan.
 */
export interface HourCounters {
  /** The start of the newest hour with a check, or `null` before the first check. */
  hourStart: Date | null;
  hour: MarkedCounts;
  /** The hour right before `hourStart`. Zeros if it had no check. */
  before: MarkedCounts;
}

const NONE: MarkedCounts = { up: 0, down: 0, unknown: 0, planned: 0, degraded: 0 };

/** Counts one check. A check older than both hours changes nothing, because the rollups count it. */
export function countInHour(counters: HourCounters, check: CountedCheck, checkedAt: Date): HourCounters {
  const start = floorTo(checkedAt.getTime(), HOUR_MS);
  const current = counters.hourStart?.getTime() ?? -Infinity;
  if (start === current) return { ...counters, hour: plusOne(counters.hour, check) };
  if (start === current - HOUR_MS) return { ...counters, before: plusOne(counters.before, check) };
  if (start < current) return counters;
  return {
    hourStart: new Date(start),
    hour: plusOne(NONE, check),
    before: start === current + HOUR_MS ? counters.hour : NONE,
  };
}

function plusOne(counts: MarkedCounts, { outcome, planned, degraded }: CountedCheck): MarkedCounts {
  if (planned) return { ...counts, planned: counts.planned + 1 };
  return { ...counts, [outcome]: counts[outcome] + 1, degraded: counts.degraded + (degraded ? 1 : 0) };
}
