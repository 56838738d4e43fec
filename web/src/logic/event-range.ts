/** The times of events that a range names, as parameters of the list; none for any time. */
export interface EventRange {
  since?: string;
  until?: string;
}

const DAYS = new Map([
  ['today', 0],
  ['week', 6],
  ['month', 29],
]);
/** When people leave and come back. */
const [EVENING, MORNING] = [18, 8];

/** A whole hour of the day that is so many days before now, in the browser's time zone: the same all day, so that nothing is read twice. */
function at(nowMs: number, daysAgo: number, hour = 0): string {
  const time = new Date(nowMs);
  time.setDate(time.getDate() - daysAgo);
  time.setHours(hour, 0, 0, 0);
  return time.toISOString();
}

/** `today`, `night` (from yesterday's evening to this morning), `week`, `month`; any other name is any time. */
export function eventRange(name: string, nowMs: number): EventRange {
  if (name === 'night') return { since: at(nowMs, 1, EVENING), until: at(nowMs, 0, MORNING) };
  const days = DAYS.get(name);
  return days === undefined ? {} : { since: at(nowMs, days) };
}
