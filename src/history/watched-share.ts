import { DAY_MS, floorTo } from '../platform/time/time-units';
import type { TimeRange } from './time-range';

/** Days of UTC in a range: how many there are, and on how many a check could tell or was planned. */
export interface WatchedDays {
  watched: number;
  of: number;
}

/**
 * How much of a range an endpoint was watched, 0 to 1: at most the time since it was made, and at most the share of the
 * days with a check that could tell. So neither a new endpoint nor one that was paused for weeks looks as if its uptime
 * spoke for the whole range. Without `days` the first alone.
 */
export function watchedShare({ from, to }: TimeRange, madeMs: number, days?: WatchedDays): number {
  if (to <= from) return 0;
  const sinceMade = Math.min(Math.max((to - madeMs) / (to - from), 0), 1);
  return days === undefined || days.of === 0 ? sinceMade : Math.min(sinceMade, days.watched / days.of);
}

/**
 * The days of a range, of which `known` (their beginnings) had a check that could tell or was planned. The first and the
 * last, which may be short, count only with a check. `undefined` for a range of less than two days: they would be too coarse for it.
 */
export function watchedDays({ from, to }: TimeRange, known: ReadonlySet<number>): WatchedDays | undefined {
  if (to - from < 2 * DAY_MS) return undefined;
  const [first, last] = [floorTo(from, DAY_MS), floorTo(to - 1, DAY_MS)];
  const isLeftOut = (day: number): boolean => !known.has(day) && (day < from || day + DAY_MS > to);
  const leftOut = Number(isLeftOut(first)) + Number(isLeftOut(last));
  return { watched: known.size, of: (last - first) / DAY_MS + 1 - leftOut };
}
