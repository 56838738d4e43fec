import { BoundedMap } from '../cache/bounded-map';
import { DAY_MS, HOUR_MS, SECOND_MS } from './time-units';

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

/** The clock on the wall of one day, by the milliseconds that `Date.UTC` has for what it shows. */
export interface DayClock {
  /** Nobody changes it around that day: each time is at one moment. */
  readonly isSteady: boolean;
  /** The moments at which it shows a time: none that is skipped, two of one that comes twice, in order. */
  momentsOf(wall: number): number[];
  /** The moment at which it is changed, asked for by a time that it skips or shows twice. */
  changeAt(wall: number): number;
  /** By how much it is changed: more than zero when it is put forward. */
  readonly changeMs: number;
}

/** A day whose offset is that of the days around it, as nearly all are, asks twice for it. */
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

/** Of a time on the wall the moment: the first of one that comes twice, and of one that is skipped the first moment after it. */
export function momentOfWall(timeZone: string, wall: number): number {
  const clock = clockOfDay(timeZone, Math.floor(wall / DAY_MS) * DAY_MS);
  return clock.momentsOf(wall)[0] ?? clock.changeAt(wall);
}

/** What is changed by more is a correction of the clock for cron, not the beginning or end of summer time. */
const CORRECTION_MS = 3 * HOUR_MS;

/**
 * The moments at which cron runs a line on one day, by its times on the wall, in order. Debian's cron goes by what is written in the
 * minutes and hours (cron(8)). Fixed times run once: one that is skipped at the change, one that comes twice the first time. With a
 * `*` they go by the new time at once: not at all, or twice. Beyond three hours every time is as the clock shows it.
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
