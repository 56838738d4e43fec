import { DAY_MS, floorTo } from '../platform/time/time-units';
import type { TimeRange } from './time-range';

/** The number of UTC days in a range, and of those with a conclusive or planned check. */
export interface WatchedDays {
  watched: number;
  of: number;
}

/**
 * Returns how much of a range an endpoint was watched, 0 to 1. This is at most the time since its creation, and at most
 * the share of days with a conclusive check. So a new endpoint, or one that was paused for weeks, doesn't look as if
 * its uptime covered the whole range. Without `days`, only the first limit applies.
 */
export function watchedShare({ from, to }: TimeRange, madeMs: number, days?: WatchedDays): number {
  if (to <= from) return 0;
  const sinceMade = Math.min(Math.max((to - madeMs) / (to - from), 0), 1);
  return days === undefined || days.of === 0 ? sinceMade : Math.min(sinceMade, days.watched / days.of);
}

/**
 * Returns the days of a range. `known` contains the starts of days with a conclusive or planned check. The first and
 * last day may be short and count only with a check. Returns `undefined` for a range of less than two days, for which
 * days are too coarse.
 */
export function watchedDays({ from, to }: TimeRange, known: ReadonlySet<number>): WatchedDays | undefined {
  if (to - from < 2 * DAY_MS) return undefined;
  const [first, last] = [floorTo(from, DAY_MS), floorTo(to - 1, DAY_MS)];
  const isLeftOut = (day: number): boolean => !known.has(day) && (day < from || day + DAY_MS > to);
  const leftOut = Number(isLeftOut(first)) + Number(isLeftOut(last));
  return { watched: known.size, of: (last - first) / DAY_MS + 1 - leftOut };
}
