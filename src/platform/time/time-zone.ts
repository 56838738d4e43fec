import { BoundedMap } from '../cache/bounded-map';
import { DAY_MS, HOUR_MS, SECOND_MS } from './time-units';

/** Formatters are cached, because each one takes 0.1 ms to create and a few kilobytes of memory. */
const formatters = new BoundedMap<string, Intl.DateTimeFormat>(200);

/**
 * Returns whether this is a name in the IANA database. Offsets such as `+01:00`, which newer versions of Node accept,
 * don't count.
 */
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

/** Returns the wall-clock time at a moment, as `Date.UTC` milliseconds. */
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

/** The wall clock on one day. Its times are `Date.UTC` milliseconds. */
export interface DayClock {
  /** True if the clock doesn't change around that day, so that each time occurs exactly once. */
  readonly isSteady: boolean;
  /**
   * Returns the moments at which the clock shows a time, in order: none if the time is skipped, and two if it occurs
   * twice.
   */
  momentsOf(wall: number): number[];
  /** Returns the moment of the clock change. `wall` is a time that is skipped or occurs twice. */
  changeAt(wall: number): number;
  /** By how much the clock changes. Positive if it is set forward. */
  readonly changeMs: number;
}

/** Returns the clock for a day. Cost: two offset lookups if the clock doesn't change, as on nearly all days. */
export function clockOfDay(timeZone: string, midnight: number): DayClock {
  const before = offsetAt(timeZone, midnight - DAY_MS);
  const after = offsetAt(timeZone, midnight + 2 * DAY_MS);
  const changeMs = after - before;
  if (changeMs === 0)
    return { isSteady: true, momentsOf: (wall) => [wall - before], changeAt: (wall) => wall - before, changeMs };
  return {
    isSteady: false,
    momentsOf: (wall) =>
      [wall - before, wall - after].filter((moment) => wallAt(timeZone, moment) === wall).sort((a, b) => a - b),
    changeAt: (wall) => changeBetween(timeZone, wall - Math.max(before, after), wall - Math.min(before, after)),
    changeMs,
  };
}

/**
 * Returns the moment of a wall-clock time. If the time occurs twice, returns the first occurrence. If it is skipped,
 * returns the first moment after it.
 */
export function momentOfWall(timeZone: string, wall: number): number {
  const clock = clockOfDay(timeZone, Math.floor(wall / DAY_MS) * DAY_MS);
  return clock.momentsOf(wall)[0] ?? clock.changeAt(wall);
}

/** cron treats larger changes as a clock correction and not as daylight saving time. */
const CORRECTION_MS = 3 * HOUR_MS;

/**
 * Yields the moments at which cron runs a line on one day, in order, based on the line's wall-clock times. Debian's
 * cron decides by the minutes and hours fields (cron(8)). Fixed times run once: a skipped time runs at the clock
 * change, and a repeated time runs only at its first occurrence. Times with a `*` follow the new time immediately, so
 * they are skipped or run twice. If the change exceeds three hours, every time runs whenever the clock shows it.
 */
export function* momentsOfDay(clock: DayClock, walls: Iterable<number>, isWild: boolean): Generator<number> {
  if (clock.isSteady) {
    for (const wall of walls) yield* clock.momentsOf(wall);
    return;
  }
  const found = new Set<number>();
  for (const wall of walls) {
    const shown = clock.momentsOf(wall);
    const isRunOnce =
      !isWild && (clock.changeMs > 0 ? clock.changeMs < CORRECTION_MS : -clock.changeMs <= CORRECTION_MS);
    const [first = clock.changeAt(wall)] = shown;
    for (const moment of isRunOnce ? [first] : shown) found.add(moment);
  }
  yield* [...found].sort((a, b) => a - b);
}

/** Returns the moment at which the offset changes, to the second. It is after `low` and no later than `high`. */
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
