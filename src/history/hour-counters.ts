import type { Outcome } from '../checker/checker';
import { floorTo, HOUR_MS } from '../platform/time/time-units';

/** Checks of one hour by outcome. */
export interface OutcomeCounts {
  up: number;
  down: number;
  unknown: number;
}

/** The counts kept in an endpoint's state, so that the newest stats need no scan: its newest hour and the one before. */
export interface HourCounters {
  /** Start of the newest hour with a check; `null` before the first check. */
  hourStart: Date | null;
  hour: OutcomeCounts;
  /** The hour right before `hourStart`; zeros when it had no check. */
  before: OutcomeCounts;
}

const NONE: OutcomeCounts = { up: 0, down: 0, unknown: 0 };

/** Counts one check. A check older than both hours changes nothing: the rollups count it. */
export function countInHour(counters: HourCounters, outcome: Outcome, checkedAt: Date): HourCounters {
  const start = floorTo(checkedAt.getTime(), HOUR_MS);
  const current = counters.hourStart?.getTime() ?? -Infinity;
  if (start === current) return { ...counters, hour: plusOne(counters.hour, outcome) };
  if (start === current - HOUR_MS) return { ...counters, before: plusOne(counters.before, outcome) };
  if (start < current) return counters;
  return {
    hourStart: new Date(start),
    hour: plusOne(NONE, outcome),
    before: start === current + HOUR_MS ? counters.hour : NONE,
  };
}

const plusOne = (counts: OutcomeCounts, outcome: Outcome): OutcomeCounts => ({
  ...counts,
  [outcome]: counts[outcome] + 1,
});
