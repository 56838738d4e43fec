import { DAY_MS, floorTo } from '../platform/time/time-units';
import type { TimeRange } from './time-range';

/** The number of UTC days in a range, and how many of them have a conclusive or planned check. */
export interface WatchedDays {
  watched: number;
  of: number;
}

/**
 * Returns the share of a range in which an endpoint was monitored, from 0 to 1. The share is limited by the time since
 * the endpoint's creation and by the share of days with a conclusive check. This way, a new endpoint, or one that was
 * paused for weeks, doesn't look as if its uptime covered the whole range. Without `days`, only the first limit
 * applies.
 */
export function watchedShare({ from, to }: TimeRange, madeMs: number, days?: WatchedDays): number {
  if (to <= from) return 0;
  const sinceMade = Math.min(Math.max((to - madeMs) / (to - from), 0), 1);
  return days === undefined || days.of === 0 ? sinceMade : Math.min(sinceMade, days.watched / days.of);
}

/**
 * Counts the days in a range. `known` contains the starts of days with a conclusive or planned check. The first and
 * last days may be partial and count only if they have a check. Returns `undefined` for ranges shorter than two days,
 * because days are too coarse for them.
 */
export function watchedDays({ from, to }: TimeRange, known: ReadonlySet<number>): WatchedDays | undefined {
  if (to - from < 2 * DAY_MS) return undefined;
  const [first, last] = [floorTo(from, DAY_MS), floorTo(to - 1, DAY_MS)];
  const isLeftOut = (day: number): boolean => !known.has(day) && (day < from || day + DAY_MS > to);
  const leftOut = Number(isLeftOut(first)) + Number(isLeftOut(last));
  return { watched: known.size, of: (last - first) / DAY_MS + 1 - leftOut };
}
