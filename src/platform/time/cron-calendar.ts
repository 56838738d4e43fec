import { CronPattern } from 'croner';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time-units';

/**
 * Feb 29 on a given weekday may be 40 years away. An expression that matches no date in this many years never matches
 * one.
 */
const SEARCHED_YEARS = 50;
/** Responses contain four-digit years. A period that starts in this year ends no later than the next year. */
const LAST_YEAR = 9998;

/** The wall-clock times of a cron expression with five fields, numbered like in `Date`'s UTC methods. */
export interface CronCalendar {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Indexed by month, 0 to 11. */
  readonly months: readonly boolean[];
  /** Indexed by day of the month, starting with 0 for the first day. */
  readonly days: readonly boolean[];
  readonly lastDay: boolean;
  /**
   * Indexed by day of the week, with 0 for Sunday. Each entry is a bit set for the first to the fifth such day in the
   * month, and `LAST`.
   */
  readonly weekdays: readonly number[];
  /**
   * True if one of the two day fields starts with `*`. In that case, both fields must match. Otherwise, either one is
   * enough (crontab(5)).
   */
  readonly needsBothDays: boolean;
  /**
   * True if the minutes or hours field starts with `*`. In that case, a clock change takes effect immediately
   * (cron(8)).
   */
  readonly isWild: boolean;
}

const LAST = 32;

const NAMES = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC SUN MON TUE WED THU FRI SAT L'.split(' ');
const WORDS = new Set(NAMES);

/**
 * Parses five fields with lists, ranges, steps, names, `L`, and `SUN#2`. Returns `null` for anything else, including
 * nicknames such as `@daily` and fields for seconds or years.
 */
export function readCron(text: string): CronCalendar | null {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5 || !fields.every(isPlain)) return null;
  try {
    return calendarOf(new CronPattern(fields.join(' '), 'UTC', { mode: '5-part' }), fields);
  } catch {
    return null;
  }
}

/**
 * croner accepts more letters and symbols: nearest weekdays, "now", and a logical AND. The service doesn't support them
 * officially.
 */
function isPlain(field: string): boolean {
  const words = field.toUpperCase().match(/[A-Z]+/g) ?? [];
  return /^[0-9A-Z*,/#-]+$/i.test(field) && words.every((word) => WORDS.has(word));
}

const indexesOf = (flags: readonly number[]): number[] => flags.flatMap((flag, index) => (flag === 1 ? [index] : []));

const calendarOf = (pattern: CronPattern, [minute, hour, day, , weekday]: readonly string[]): CronCalendar => ({
  minutes: indexesOf(pattern.minute),
  hours: indexesOf(pattern.hour),
  months: pattern.month.map((flag) => flag === 1),
  days: pattern.day.map((flag) => flag === 1),
  lastDay: pattern.lastDayOfMonth,
  weekdays: [...pattern.dayOfWeek],
  needsBothDays: isStarred(day) || isStarred(weekday),
  isWild: isStarred(minute) || isStarred(hour),
});

/** Returns whether cron treats a field as starting with a star: `*`, alone or followed by steps or a list. */
const isStarred = (field = ''): boolean => field.startsWith('*');

/**
 * Yields the days on which the calendar has a date, starting with the day of `fromMs`, each as midnight in `Date.UTC`
 * milliseconds. Ends if there is none for fifty years. Each day costs less than a microsecond, so the longest search
 * takes a few milliseconds.
 */
export function* daysFrom(calendar: CronCalendar, fromMs: number): Generator<number> {
  const first = new Date(fromMs);
  let [year, month, day] = [first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate()];
  let lastYear = year + SEARCHED_YEARS;
  for (
    ;
    year <= Math.min(lastYear, LAST_YEAR);
    [year, month, day] = month < 11 ? [year, month + 1, 1] : [year + 1, 0, 1]
  ) {
    if (calendar.months[month] !== true) continue;
    const start = utc(year, month, 1);
    const length = (utc(year, month + 1, 1) - start) / DAY_MS;
    for (; day <= length; day++) {
      const at = start + (day - 1) * DAY_MS;
      if (!isDay(calendar, day, length, new Date(at).getUTCDay())) continue;
      lastYear = year + SEARCHED_YEARS;
      yield at;
    }
  }
}

/** Works like `Date.UTC` without its special case for two-digit years, where year 26 means 1926. */
function utc(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.getTime();
}

function isDay(calendar: CronCalendar, day: number, length: number, weekday: number): boolean {
  const byDay = calendar.days[day - 1] === true || (calendar.lastDay && day === length);
  const mask = calendar.weekdays[weekday] ?? 0;
  const nth = 1 << (Math.ceil(day / 7) - 1);
  const byWeekday = (mask & nth) !== 0 || ((mask & LAST) !== 0 && day > length - 7);
  return calendar.needsBothDays ? byDay && byWeekday : byDay || byWeekday;
}

/** Yields the times on a day, in milliseconds since midnight on the wall clock. */
export function* timesOf({ hours, minutes }: CronCalendar): Generator<number> {
  for (const hour of hours) for (const minute of minutes) yield hour * HOUR_MS + minute * MINUTE_MS;
}
