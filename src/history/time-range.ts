import { QueryTimestamp } from '../platform/http/validators';
import { DAY_MS, floorTo, HOUR_MS } from '../platform/time/time-units';

/** Decorates `from` or `to` in a history query: a timestamp or date in the years 1970 to 2999. */
export const QueryRangeBound = (): PropertyDecorator =>
  QueryTimestamp({ first: new Date('1970-01-01T00:00:00Z'), last: new Date('3000-01-01T00:00:00Z') });

/** A half-open range [from, to), in milliseconds since the epoch. */
export interface TimeRange {
  from: number;
  to: number;
}

export const WINDOWS = ['24h', '7d', '30d', '90d'] as const;
export type Window = (typeof WINDOWS)[number];

/** The number of full days in each window that starts at midnight. */
export const WINDOW_DAYS: Readonly<Record<Exclude<Window, '24h'>, number>> = { '7d': 7, '30d': 30, '90d': 90 };

/**
 * Returns the range of a named window that ends now. "24h" starts at the full hour 24 hours ago. The others start at
 * midnight UTC 7, 30, or 90 days ago. This way, rollups cover each window exactly, and all pages show the same window.
 */
export function windowRange(window: Window, now: number): TimeRange {
  const from = window === '24h' ? floorTo(now, HOUR_MS) - DAY_MS : floorTo(now, DAY_MS) - WINDOW_DAYS[window] * DAY_MS;
  return { from, to: now };
}
