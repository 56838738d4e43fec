import type { Outcome } from '../checker/checker';
import { floorTo, HOUR_MS } from '../platform/time/time-units';

export interface OutcomeCounts {
  up: number;
  down: number;
  unknown: number;
}

/**
 * The number of checks in one hour by outcome and flag. Planned checks are counted only in `planned`. Degraded checks
 * are also counted in `up`.
 */
export interface MarkedCounts extends OutcomeCounts {
  planned: number;
  degraded: number;
}

/** The properties of a check that determine how it is counted. */
export interface CountedCheck {
  outcome: Outcome;
  planned: boolean;
  degraded: boolean;
}

/**
 * Counts for an endpoint's latest hour with checks and for the hour before it. They are kept in the endpoint's state,
 * so that recent stats need no scan.
 */
export interface HourCounters {
  /** The start of the latest hour with a check, or `null` before the first check. */
  hourStart: Date | null;
  hour: MarkedCounts;
  /** The hour right before `hourStart`. All zeros if it had no checks. */
  before: MarkedCounts;
}

const NONE: MarkedCounts = { up: 0, down: 0, unknown: 0, planned: 0, degraded: 0 };

/** Counts one check. Ignores a check that is older than both hours, because the rollups count it. */
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
