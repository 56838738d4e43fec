import { ceilTo, DAY_MS, floorTo, HOUR_MS } from '../../platform/time/time-units';

/** Where figures of a stretch of time come from. */
export type Resolution = 'check' | 'hour' | 'day';

/** A stretch of time, milliseconds since the epoch, `to` excluded. */
export interface TimeSlice {
  grain: Resolution;
  from: number;
  to: number;
}

/** Until when the hourly and the daily figures are built. */
export interface BuiltUntil {
  hours: number;
  days: number;
}

/**
 * Covers [from, to) without gap or overlap by the coarsest figures that exist and are not coarser than `coarsest`:
 * whole built days, then whole built hours, and single checks for the edges and for what is not built yet.
 */
export function planReads(from: number, to: number, built: BuiltUntil, coarsest: Resolution): TimeSlice[] {
  const stretches: TimeSlice[] = [];
  const add = (grain: Resolution, start: number, end: number): void => {
    if (start < end) stretches.push({ grain, from: start, to: end });
  };
  const hours = whole(from, to, HOUR_MS, coarsest === 'check' ? -Infinity : built.hours);
  const days = whole(hours.from, hours.to, DAY_MS, coarsest === 'day' ? built.days : -Infinity);
  add('check', from, hours.from);
  add('hour', hours.from, days.from);
  add('day', days.from, days.to);
  add('hour', days.to, hours.to);
  add('check', hours.to, to);
  return stretches;
}

/** The whole units inside [from, to) that end by `built`; empty at `to` when there are none, so that the edge is one. */
function whole(from: number, to: number, unitMs: number, built: number): { from: number; to: number } {
  const start = ceilTo(from, unitMs);
  const end = Math.min(floorTo(to, unitMs), built);
  return start < end ? { from: start, to: end } : { from: to, to };
}
