import { ValidateBy } from 'class-validator';
import { parseTimestamp as parseQueryTimestamp } from '../platform/http/validators';
import { DAY_MS, HOUR_MS } from '../platform/time/time-units';

/** What the API can be asked about: years that any client and any database column can hold. */
const RANGE = { first: Date.UTC(1970, 0, 1), last: Date.UTC(3000, 0, 1) };

/** Milliseconds since the epoch of a timestamp or date in a query, or `null`. */
export function parseTimestamp(text: unknown): number | null {
  const ms = parseQueryTimestamp(text)?.getTime() ?? NaN;
  return ms >= RANGE.first && ms <= RANGE.last ? ms : null;
}

/** A timestamp or date in a query string. */
export const IsTimestamp = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTimestamp',
    validator: {
      validate: (value: unknown) => parseTimestamp(value) !== null,
      defaultMessage: (args) => `${args?.property ?? 'value'} must be a time like 2026-11-20T09:00:00.000Z`,
    },
  });

/** [from, to), milliseconds since the epoch. */
export interface TimeRange {
  from: number;
  to: number;
}

export const WINDOWS = ['24h', '7d', '30d', '90d'] as const;
export type Window = (typeof WINDOWS)[number];

const WINDOW_DAYS: Readonly<Record<Exclude<Window, '24h'>, number>> = { '7d': 7, '30d': 30, '90d': 90 };

/**
 * The named windows end now. "24h" begins at the full hour 24 hours ago, the others at the beginning of the UTC day so
 * many days ago: so they are exact from rollups, and the same wherever they are shown.
 */
export function windowRange(window: Window, now: number): TimeRange {
  const from =
    window === '24h'
      ? Math.floor(now / HOUR_MS) * HOUR_MS - DAY_MS
      : Math.floor(now / DAY_MS) * DAY_MS - WINDOW_DAYS[window] * DAY_MS;
  return { from, to: now };
}
