import type { Outcome } from '../checker/checker';
import { floorTo, HOUR_MS } from '../platform/time/time-units';

/** Checks of one hour by outcome. */
export interface OutcomeCounts {
  up: number;
  down: number;
  unknown: number;
}

/** Checks of one hour by outcome and mark: planned checks are in none of the others, degraded ones are among those that are up. */
export interface MarkedCounts extends OutcomeCounts {
  planned: number;
  degraded: number;
}

/** What of a check decides how it is counted. */
export interface CountedCheck {
  outcome: Outcome;
  planned: boolean;
  degraded: boolean;
}

/** The counts kept in an endpoint's state, so that the newest stats need no scan: its newest hour and the one before. */
export interface HourCounters {
  /** Start of the newest hour with a check; `null` before the first check. */
  hourStart: Date | null;
  hour: MarkedCounts;
  /** The hour right before `hourStart`; zeros when it had no check. */
  before: MarkedCounts;
}

const NONE: MarkedCounts = { up: 0, down: 0, unknown: 0, planned: 0, degraded: 0 };

/** Counts one check. A check older than both hours changes nothing: the rollups count it. */
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
