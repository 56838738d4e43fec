const DAY_MS = 86_400_000;

/** The option for a custom date. */
export const DATE = 'date';

/** The options for when a new key expires, as days from now with their titles. */
export const EXPIRIES = [
  ['never', 'never'],
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  [DATE, 'on a date …'],
] as const;

/** Converts an option to a time, or to `null` for never. */
export const expiryOf = (choice: string, nowMs: number): string | null =>
  choice === 'never' ? null : new Date(nowMs + Number(choice) * DAY_MS).toISOString();

/**
 * Returns the last moment of a day (`2026-12-31`) in the browser's time zone. Other text is returned unchanged, and the
 * service rejects it.
 */
export function endOfDay(day: string): string {
  const end = new Date(`${day}T23:59:59.999`);
  return Number.isNaN(end.getTime()) ? day : end.toISOString();
}
