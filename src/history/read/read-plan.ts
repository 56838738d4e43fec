import { ceilTo, DAY_MS, floorTo, HOUR_MS } from '../../platform/time/time-units';

/** The source of stats for a time slice: individual checks, hourly stats, or daily stats. */
export type Resolution = 'check' | 'hour' | 'day';

/** A part of a time range that is read at one resolution. The range is [from, to), in milliseconds since the epoch. */
export interface TimeSlice {
  resolution: Resolution;
  from: number;
  to: number;
}

/** The times up to which hourly and daily stats are built, in milliseconds since the epoch. */
export interface BuiltUntil {
  hours: number;
  days: number;
}

/**
 * Covers [from, to) without gaps or overlaps. Uses the coarsest resolution that is built and that isn't coarser than
 * `coarsest`: whole days where possible, then whole hours. Uses individual checks at the edges and for time that isn't
 * built yet.
 */
export function planReads(from: number, to: number, built: BuiltUntil, coarsest: Resolution): TimeSlice[] {
  const slices: TimeSlice[] = [];
  const add = (resolution: Resolution, start: number, end: number): void => {
    if (start < end) slices.push({ resolution, from: start, to: end });
  };
  const hours = whole(from, to, HOUR_MS, coarsest === 'check' ? -Infinity : built.hours);
  const days = whole(hours.from, hours.to, DAY_MS, coarsest === 'day' ? built.days : -Infinity);
  add('check', from, hours.from);
  add('hour', hours.from, days.from);
  add('day', days.from, days.to);
  add('hour', days.to, hours.to);
  add('check', hours.to, to);
  return slices;
}

/**
 * Returns the whole units inside [from, to) that end no later than `built`. If there are none, the result is empty and
 * starts at `to`, so that everything is treated as one edge.
 */
function whole(from: number, to: number, unitMs: number, built: number): { from: number; to: number } {
  const start = ceilTo(from, unitMs);
  const end = Math.min(floorTo(to, unitMs), built);
  return start < end ? { from: start, to: end } : { from: to, to };
}
