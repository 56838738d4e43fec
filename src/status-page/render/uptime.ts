import { coverageOf } from '../../history/check-stats';
import { dayOfMonth } from './times';
import { SHOWN_DAYS } from '../shown-days';
import { type StatusDay } from '../status-snapshot';

/** Returns up / (up + down) over the newest days, or `null` if there are no such checks. */
export function uptimeOf(days: readonly StatusDay[], newest = SHOWN_DAYS): number | null {
  const counted = days.slice(-newest);
  const up = counted.reduce((sum, day) => sum + day.up, 0);
  const down = counted.reduce((sum, day) => sum + day.down, 0);
  return up + down === 0 ? null : up / (up + down);
}

/**
 * Returns the share of the days that was monitored, from 0 to 1. It is the mean of each day's share of checks with a
 * known outcome.
 */
export function watchedOf(days: readonly StatusDay[]): number {
  return days.length === 0 ? 0 : days.reduce((sum, day) => sum + watchedDay(day), 0) / days.length;
}

/** A day whose checks were all in maintenance counts as monitored. */
const watchedDay = (day: StatusDay): number => coverageOf(day) ?? (day.excluded ? 1 : 0);

/** If at least this share was monitored, the text doesn't mention it. */
const MOSTLY = 0.9;

const NO_DATA = 'no data';

/** Rounds down, so that a period with a failure never shows as 100 %. */
export const percent = (ratio: number | null): string =>
  ratio === null ? NO_DATA : ratio === 1 ? '100%' : `${(Math.floor(ratio * 10_000) / 100).toFixed(2)}%`;

/**
 * Returns `99.95%`, with the period if it differs from the window: `100% since 24 Nov`, `100%, watched for 50% of the
 * time`.
 */
export function uptimeText(days: readonly StatusDay[]): string {
  const text = percent(uptimeOf(days, Infinity));
  if (text === NO_DATA || watchedOf(days) >= MOSTLY) return text;
  const since = days.slice(days.findIndex((day) => watchedDay(day) > 0));
  const watched = watchedOf(since);
  if (watched >= MOSTLY) return `${text} since ${dayOfMonth(since[0]?.date ?? '')}`;
  return `${text}, watched for ${watched < 0.01 ? 'under 1' : Math.floor(watched * 100)}% of the time`;
}
