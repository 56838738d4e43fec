/** A time range as query parameters for the event list. Both are missing for any time. */
export interface EventRange {
  since?: string;
  until?: string;
}

const DAYS = new Map([
  ['today', 0],
  ['week', 6],
  ['month', 29],
]);
/** The hours when people usually leave work and come back. */
const [EVENING, MORNING] = [18, 8];

/**
 * Returns a full hour a number of days ago in the browser's time zone. It is the same all day, so that nothing is
 * loaded twice.
 */
function at(nowMs: number, daysAgo: number, hour = 0): string {
  const time = new Date(nowMs);
  time.setDate(time.getDate() - daysAgo);
  time.setHours(hour, 0, 0, 0);
  return time.toISOString();
}

/**
 * Returns the range for `today`, `night` (yesterday evening to this morning), `week`, or `month`. Any other name means
 * any time.
 */
export function eventRange(name: string, nowMs: number): EventRange {
  if (name === 'night') return { since: at(nowMs, 1, EVENING), until: at(nowMs, 0, MORNING) };
  const days = DAYS.get(name);
  return days === undefined ? {} : { since: at(nowMs, days) };
}
