import { BoundedMap } from '../cache/bounded-map';
import { type CronCalendar, daysFrom, readCron, timesOf } from './cron-calendar';
import { DAY_MS } from './time-units';
import { clockOfDay, momentsOfDay, wallAt } from './time-zone';

const calendars = new BoundedMap<string, CronCalendar>(1000);

function calendarOf(cron: string): CronCalendar {
  const known = calendars.get(cron);
  if (known) return known;
  const calendar = readCron(cron);
  if (!calendar) throw new Error(`"${cron}" is not a cron expression`);
  calendars.set(cron, calendar);
  return calendar;
}

/**
 * Yields the times at which Debian's cron would run the expression in its time zone, starting at `from`, in order and
 * without duplicates. It is lazy, so take only as many as you need.
 */
export function* startsFrom(cron: string, timezone: string, from: Date): Generator<Date> {
  const calendar = calendarOf(cron);
  let last = from.getTime() - 1;
  // Starts one day earlier, because a time that is skipped at the end of a day runs at the first moment of the next
  // day.
  for (const midnight of daysFrom(calendar, wallAt(timezone, from.getTime()) - DAY_MS)) {
    const walls = wallsOf(calendar, midnight);
    for (const moment of momentsOfDay(clockOfDay(timezone, midnight), walls, calendar.isWild)) {
      if (moment <= last) continue;
      last = moment;
      yield new Date(moment);
    }
  }
}

function* wallsOf(calendar: CronCalendar, midnight: number): Generator<number> {
  for (const time of timesOf(calendar)) yield midnight + time;
}

/** Returns the first `count` items from an iterable, which may be endless. */
export function take<T>(items: Iterable<T>, count: number): T[] {
  const taken: T[] = [];
  if (count <= 0) return taken;
  for (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}
