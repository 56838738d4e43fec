import { BoundedMap } from '../../platform/cache/bounded-map';
import { DAY_MS, SECOND_MS } from '../../platform/time/time-units';
import { type CronCalendar, daysFrom, readCron, timesOf } from './cron-calendar';
import { momentsOfDay, wallAt } from './time-zone';

/** When a window is in force: one-off without a cron, else recurring between two bounds that may be absent. */
export interface WindowTimes {
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  readonly cron: string | null;
  readonly timezone: string | null;
  readonly durationSeconds: number | null;
}

/** From `startsAt` until before `endsAt`. */
export interface Span {
  readonly startsAt: Date;
  readonly endsAt: Date;
}

const calendars = new BoundedMap<string, CronCalendar>(1000);

function calendarOf(cron: string): CronCalendar {
  const known = calendars.get(cron);
  if (known) return known;
  const calendar = readCron(cron);
  if (!calendar) throw new Error(`"${cron}" is no cron expression`);
  calendars.set(cron, calendar);
  return calendar;
}

/** When the expression starts something in its zone, from `from` on, in order and none twice. Lazy: take what is needed. */
export function* startsFrom(cron: string, timezone: string, from: Date): Generator<Date> {
  const calendar = calendarOf(cron);
  let last = from.getTime() - 1;
  // A time that is left out of a day that is gone may mean the first moment of the next one.
  for (const midnight of daysFrom(calendar, wallAt(timezone, from.getTime()) - DAY_MS)) {
    const momentOf = momentsOfDay(timezone, midnight);
    for (const time of timesOf(calendar)) {
      const moment = momentOf(midnight + time);
      if (moment <= last) continue;
      last = moment;
      yield new Date(moment);
    }
  }
}

/** The occurrences that are not over at `from`, in order. */
export function* spansFrom(times: WindowTimes, from: Date): Generator<Span> {
  const { cron, timezone, durationSeconds, startsAt, endsAt } = times;
  if (cron === null || timezone === null || durationSeconds === null) {
    if (startsAt && endsAt && endsAt > from) yield { startsAt, endsAt };
    return;
  }
  const durationMs = durationSeconds * SECOND_MS;
  const earliest = new Date(Math.max(from.getTime() - durationMs + 1, startsAt?.getTime() ?? -Infinity));
  for (const start of startsFrom(cron, timezone, earliest)) {
    if (endsAt && start >= endsAt) return;
    const end = start.getTime() + durationMs;
    yield { startsAt: start, endsAt: new Date(Math.min(end, endsAt?.getTime() ?? end)) };
  }
}

/** The first `count` occurrences that are not over at `from`. */
export const nextSpans = (times: WindowTimes, from: Date, count: number): Span[] => take(spansFrom(times, from), count);

/** The first `count` items of what may have no end. */
export function take<T>(items: Iterable<T>, count: number): T[] {
  const taken: T[] = [];
  if (count <= 0) return taken;
  for (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}
