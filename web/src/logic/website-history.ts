import type { Day } from './calendar';

const DAY_MS = 86_400_000;

/** A website's uptime windows, in UTC days up to today. */
export const WEBSITE_WINDOWS: readonly (readonly [title: string, days: number])[] = [
  ['Today', 1],
  ['7 days', 7],
  ['30 days', 30],
  ['90 days', 90],
  ['1 year', 365],
];

/** Returns the first day of a window that ends today, such as `2026-11-20`. */
export const firstDay = (days: number, nowMs: number): string =>
  new Date(nowMs - (days - 1) * DAY_MS).toISOString().slice(0, 10);

/**
 * Returns the share of conclusive checks since a day that were successful. `null` if there were none, or if the window
 * starts before `read`.
 */
export function uptimeSince(days: readonly Day[], first: string, read: string): number | null {
  if (first < read) return null;
  const told = days.filter(({ date, up, down }) => date >= first && up + down > 0);
  const up = told.reduce((sum, day) => sum + day.up, 0);
  return told.length === 0 ? null : up / told.reduce((sum, day) => sum + day.up + day.down, 0);
}

/** Returns the share of a window's days that have conclusive checks, since a day. */
export const watchedSince = (days: readonly Day[], first: string, length: number): number =>
  Math.min(1, days.filter(({ date, up, down }) => date >= first && up + down > 0).length / length);

/** Returns the number of unplanned outages since a day. */
export const outagesSince = (
  outages: readonly { ended_at: string | null; planned: boolean }[],
  first: string,
): number => outages.filter(({ ended_at, planned }) => !planned && (ended_at === null || ended_at >= first)).length;
