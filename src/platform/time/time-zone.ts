import { BoundedMap } from '../cache/bounded-map';
import { DAY_MS, SECOND_MS } from './time-units';

/** A formatter takes 0.1 ms to make and some kilobytes to keep. */
const formatters = new BoundedMap<string, Intl.DateTimeFormat>(200);

/** A name of the IANA database. Offsets such as `+01:00`, which newer versions of Node take as well, are none. */
export function isTimeZone(name: string): boolean {
  return /^[a-z]/i.test(name) && formatterOf(name) !== null;
}

function formatterOf(timeZone: string): Intl.DateTimeFormat | null {
  const known = formatters.get(timeZone);
  if (known) return known;
  const all = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  };
  try {
    const options = { ...all, calendar: 'iso8601', hourCycle: 'h23', timeZone } as Intl.DateTimeFormatOptions;
    const formatter = new Intl.DateTimeFormat('en-US', options);
    formatters.set(timeZone, formatter);
    return formatter;
  } catch {
    return null;
  }
}

/** What a clock on the wall shows at a moment, as the milliseconds that `Date.UTC` has for it. */
export function wallAt(timeZone: string, atMs: number): number {
  const formatter = formatterOf(timeZone);
  if (!formatter) throw new Error(`there is no time zone "${timeZone}"`);
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatter.formatToParts(atMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getTime() + (((atMs % SECOND_MS) + SECOND_MS) % SECOND_MS);
}

const offsetAt = (timeZone: string, atMs: number): number => wallAt(timeZone, atMs) - atMs;

/**
 * Gives the moment of each time on the wall of one day: a time that comes twice means the first of the two, one that does not
 * exist the first moment that does. A day whose offset is that of the days around it, as nearly all are, asks twice for it.
 */
export function momentsOfDay(timeZone: string, midnight: number): (wall: number) => number {
  const before = offsetAt(timeZone, midnight - DAY_MS);
  const after = offsetAt(timeZone, midnight + 2 * DAY_MS);
  if (before === after) return (wall) => wall - before;
  return (wall) => {
    const candidates = [wall - before, wall - after].filter((moment) => wallAt(timeZone, moment) === wall);
    return candidates.length > 0 ? Math.min(...candidates) : changeBetween(timeZone, wall - after, wall - before);
  };
}

/** The moment at which the offset changes, to the second: later than `low`, at the latest `high`. */
function changeBetween(timeZone: string, low: number, high: number): number {
  const offset = offsetAt(timeZone, low);
  let [from, to] = [low, high];
  while (to - from > SECOND_MS) {
    const middle = from + Math.floor((to - from) / 2 / SECOND_MS) * SECOND_MS;
    if (offsetAt(timeZone, middle) === offset) from = middle;
    else to = middle;
  }
  return to;
}
