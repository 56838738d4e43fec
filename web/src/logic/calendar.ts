import type { LatencyBucket } from '../api/types';
import { count, percent } from './format';

/** The number of checks by result. Planned checks aren't included in the other counts. */
export interface Counts {
  up: number;
  down: number;
  unknown: number;
  planned: number;
}

export interface Day extends Counts {
  /** A UTC date such as `2026-11-26`, as in the daily stats. */
  date: string;
}

/** The result that a square shows. `none` means that nothing was checked. */
export type CellKind = 'good' | 'some' | 'bad' | 'planned' | 'unknown' | 'none';

/** The rows in both grids, from Monday to Sunday. */
export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const ROWS = WEEKDAYS.length;
/** The columns in a year, which is the largest number of weeks that its days can span. */
export const WEEKS = 53;
/** The columns in the weekly grid. */
const HOURS = 24;

const DAY_MS = 86_400_000;
/** If more than this share of checks fails, a day counts as bad. */
const BAD = 0.01;
const NOTHING: Counts = { up: 0, down: 0, unknown: 0, planned: 0 };

const sum = (list: readonly Counts[]): Counts =>
  list.reduce(
    (all, { up, down, unknown, planned }) => ({
      up: all.up + up,
      down: all.down + down,
      unknown: all.unknown + unknown,
      planned: all.planned + planned,
    }),
    NOTHING,
  );

/** Groups items by key, in the order in which the keys first appear. */
function grouped<T>(items: readonly T[], key: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return [...groups];
}

/** Returns the share of conclusive checks that succeeded, or `null` if there were none. */
export const uptimeOf = ({ up, down }: Counts): number | null => (up + down === 0 ? null : up / (up + down));

export function kindOf(counts: Counts): CellKind {
  const uptime = uptimeOf(counts);
  if (uptime !== null) return uptime === 1 ? 'good' : uptime >= 1 - BAD ? 'some' : 'bad';
  if (counts.planned > 0) return 'planned';
  return counts.unknown > 0 ? 'unknown' : 'none';
}

const countsOf = ({ count: all, failures, unknown, planned }: LatencyBucket): Counts => ({
  up: all - failures - unknown - planned,
  down: failures,
  unknown,
  planned,
});

/** Converts one-day buckets to days. */
export const daysOf = (buckets: readonly LatencyBucket[]): Day[] =>
  buckets.map((bucket) => ({ date: bucket.start.slice(0, 10), ...countsOf(bucket) }));

export function sumOfDays(each: readonly (readonly Day[])[]): Day[] {
  return grouped(each.flat(), ({ date }) => date)
    .map(([date, days]) => ({ date, ...sum(days) }))
    .sort((a, b) => a.date.localeCompare(b.date));
}

/** Squares by column, seven in each. `null` isn't drawn. `heads` has the headings and their columns. */
export interface Grid<T> {
  cells: (T | null)[];
  heads: { column: number; text: string }[];
}

const month = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });
const monthAndYear = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const wholeDay = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

const dayNumber = (date: string): number => Math.floor(Date.parse(date) / DAY_MS);
/** January 1, 1970 was a Thursday. */
const weekdayOf = (number: number): number => (number + 3) % ROWS;

/** Returns the weeks in a year, up to the week of `nowMs`. A day without data counts as a day without checks. */
export function yearGrid(days: readonly Day[], nowMs: number): Grid<Day> {
  const known = new Map(days.map((day) => [day.date, day]));
  const today = Math.floor(nowMs / DAY_MS);
  const first = today - weekdayOf(today) - (WEEKS - 1) * ROWS;
  const dates = Array.from({ length: WEEKS * ROWS }, (_, index) =>
    first + index > today ? null : new Date((first + index) * DAY_MS),
  );
  return {
    cells: dates.map((at) => {
      if (at === null) return null;
      const date = at.toISOString().slice(0, 10);
      return known.get(date) ?? { date, ...NOTHING };
    }),
    // Placed above the week in which a month starts. The last weeks have no room for a heading.
    heads: dates.flatMap((at, index) => {
      const column = Math.floor(index / ROWS);
      return at?.getUTCDate() === 1 && column < WEEKS - 2 ? [{ column, text: month.format(at) }] : [];
    }),
  };
}

/** Returns the hours of the week in the browser's time zone, summed over all hourly buckets. */
export function weekGrid(buckets: readonly LatencyBucket[]): Grid<Counts> {
  const cells = Array.from({ length: HOURS * ROWS }, (): Counts[] => []);
  for (const bucket of buckets) {
    const at = new Date(bucket.start);
    cells[at.getHours() * ROWS + ((at.getDay() + 6) % ROWS)]?.push(countsOf(bucket));
  }
  return {
    cells: cells.map(sum),
    heads: [0, 6, 12, 18].map((column) => ({ column, text: hourText(column) })),
  };
}

const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** Returns text such as `99.93%, 1 of 1,440 checks failed`. Also mentions checks that didn't count. */
export function countsText(counts: Counts): string {
  const { down, unknown, planned } = counts;
  const uptime = uptimeOf(counts);
  const parts = [
    ...(uptime === null ? [] : [percent(uptime)]),
    ...(down > 0 ? [`${down.toLocaleString('en')} of ${count(counts.up + down, 'check')} failed`] : []),
    ...(planned > 0 ? [`${count(planned, 'check')} in maintenance`] : []),
    ...(unknown > 0 ? [`${count(unknown, 'check')} with an unknown result`] : []),
  ];
  return parts.length === 0 ? 'not checked' : parts.join(', ');
}

/** Returns text such as `Thu, Nov 26, 2026: 99.93%, 1 of 1,440 checks failed`. */
export const dayText = (day: Day): string => `${wholeDay.format(dayNumber(day.date) * DAY_MS)}: ${countsText(day)}`;

/** Returns text such as `Mon 03:00 to 04:00: 98.3%, 4 of 240 checks failed`. */
export const hourOfWeekText = (index: number, counts: Counts): string => {
  const hour = Math.floor(index / ROWS);
  return `${WEEKDAYS[index % ROWS] ?? ''} ${hourText(hour)} to ${hourText((hour + 1) % HOURS)}: ${countsText(counts)}`;
};

/** Returns the square with the lowest uptime, or the newest one if there is a tie. `null` if no check failed. */
function worst<T extends Counts>(cells: readonly T[]): T | null {
  return cells.reduce<T | null>(
    (found, each) =>
      each.down > 0 && (found === null || (uptimeOf(each) ?? 1) <= (uptimeOf(found) ?? 1)) ? each : found,
    null,
  );
}

/** Describes a calendar in one sentence, for users who can't see it. */
export function yearSummary(days: readonly Day[]): string {
  const told = days.filter((day) => uptimeOf(day) !== null);
  if (told.length === 0) return 'no day with checks yet';
  const failed = told.filter(({ down }) => down > 0);
  const low = worst(told);
  return `${percent(uptimeOf(sum(told)))} over ${count(told.length, 'day')} with checks, ${
    low === null
      ? 'none failed'
      : `failures on ${failed.length.toLocaleString('en')} of them; the worst: ${dayText(low)}`
  }`;
}

/** Describes the hours of a week in one sentence. */
export function weekSummary(cells: readonly (Counts | null)[]): string {
  const hours = cells.flatMap((counts, index) => (counts === null ? [] : [{ index, ...counts }]));
  const low = worst(hours);
  if (hours.every((counts) => uptimeOf(counts) === null)) return 'no hour with checks yet';
  return low === null ? 'no failures in any hour' : `the worst hour: ${hourOfWeekText(low.index, low)}`;
}

/** A month in the table next to the calendar. */
export interface Month {
  /** A name such as `November 2026`. */
  name: string;
  uptime: number | null;
  /** The number of days with conclusive checks. */
  days: number;
  failed: number;
  worst: Day | null;
}

/** Returns the months that have checks, newest first. */
export function monthsOf(days: readonly Day[]): Month[] {
  return grouped(days, ({ date }) => date.slice(0, 7))
    .map(([at, each]) => {
      const told = each.filter((day) => uptimeOf(day) !== null);
      return {
        at,
        name: monthAndYear.format(Date.parse(`${at}-01`)),
        uptime: uptimeOf(sum(told)),
        days: told.length,
        failed: told.filter(({ down }) => down > 0).length,
        worst: worst(told),
      };
    })
    .filter((each) => each.days > 0)
    .sort((a, b) => b.at.localeCompare(a.at));
}

/** The size of a square, and the distance between squares, in pixels. */
export const [SIDE, PITCH] = [11, 14];

const stripes = (x: number, y: number): string =>
  [0, 4, 8].map((row) => `M${x} ${y + row}h${SIDE}v3h-${SIDE}z`).join('');

/** One shape per kind, so that color is never the only difference (WCAG 1.4.1). */
const SHAPES: Record<CellKind, (x: number, y: number) => string> = {
  good: (x, y) => `M${x} ${y}h${SIDE}v${SIDE}h-${SIDE}z`,
  some: (x, y) => `M${x + SIDE / 2} ${y}l5.5 5.5-5.5 5.5-5.5-5.5z`,
  bad: (x, y) => `M${x + SIDE / 2} ${y}l5.5 ${SIDE}h-${SIDE}z`,
  planned: stripes,
  unknown: (x, y) => `M${x} ${y}h${SIDE}v${SIDE}h-${SIDE}zm2 2v7h7v-7z`,
  none: (x, y) => `M${x + 4} ${y + 4}h3v3h-3z`,
};

/**
 * Returns the SVG path data for all squares of one kind, with the top left at 0, 0. There are six paths, no matter how
 * many squares there are.
 */
export const cellPath = (kinds: readonly (CellKind | null)[], kind: CellKind): string =>
  kinds
    .map((each, index) => (each === kind ? SHAPES[kind](Math.floor(index / ROWS) * PITCH, (index % ROWS) * PITCH) : ''))
    .join('');
