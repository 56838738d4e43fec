import { plural } from './plural';

/**
 * Returns `ends in 9 days, on 2026-12-04` or `ended on 2026-11-20`. `days` is a whole number, negative after the end.
 */
export function endsIn(days: number, at: string): string {
  const on = `on ${at.slice(0, 10)}`;
  if (days < 0) return `expired ${on}`;
  return days < 1 ? `expires within a day, ${on}` : `expires in ${plural(days, 'day')}, ${on}`;
}
