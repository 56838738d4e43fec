import { ceilTo, DAY_MS, floorTo, HOUR_MS } from '../../platform/time/time-units';

/** The source of the stats of a time slice: single checks, hourly stats, or daily stats. */
export type Resolution = 'check' | 'hour' | 'day';

/** A part of a time range that is read at one resolution. [from, to), milliseconds since the epoch. */
export interface TimeSlice {
  resolution: Resolution;
  from: number;
  to: number;
}

/** The ends of the built hourly and daily stats, in milliseconds since the epoch. */
export interface BuiltUntil {
  hours: number;
  days: number;
}

/**
 * Covers [from, to) without gap or overlap. Uses the coarsest resolution that is built and not coarser than `coarsest`.
 * That is whole days, then whole hours, and single checks for the edges and for the time that isn't built yet.
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
 * Returns the whole units inside [from, to) that end by `built`. Without any, the result is empty at `to`, so
 * everything is one edge.
 */
function whole(from: number, to: number, unitMs: number, built: number): { from: number; to: number } {
  const start = ceilTo(from, unitMs);
  const end = Math.min(floorTo(to, unitMs), built);
  return start < end ? { from: start, to: end } : { from: to, to };
}
