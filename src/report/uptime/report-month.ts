import { momentOfWall, wallAt } from '../../platform/time/time-zone';

/** A month in a time zone, with the moments at which its days start. */
export interface ReportMonth {
  /** `2026-10`. */
  name: string;
  timeZone: string;
  from: number;
  to: number;
  /** The start of each day, followed by the end of the month. A day with a clock change has 23 or 25 hours. */
  bounds: readonly number[];
}

const MONTH = /^(20\d\d)-(0[1-9]|1[0-2])$/;

/**
 * Returns the month with this name in a time zone, or the current month if the name is `undefined`. Returns a message if
 * the name is invalid or the month is in the future.
 */
export function readReportMonth(name: string | undefined, timeZone: string, now: Date): ReportMonth | string {
  const current = new Date(wallAt(timeZone, now.getTime())).toISOString().slice(0, 7);
  const [, year, month] = MONTH.exec(name ?? current) ?? [];
  if (year === undefined || month === undefined) return 'month must be a month such as 2026-10';
  const read = monthOf(Number(year), Number(month) - 1, timeZone);
  return read.from > now.getTime() ? `month must not be in the future; the current month is ${current}` : read;
}

function monthOf(year: number, month: number, timeZone: string): ReportMonth {
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const bounds = Array.from({ length: days + 1 }, (_, day) => momentOfWall(timeZone, Date.UTC(year, month, day + 1)));
  const name = new Date(Date.UTC(year, month)).toISOString().slice(0, 7);
  return { name, timeZone, from: bounds[0] ?? 0, to: bounds.at(-1) ?? 0, bounds };
}

/** Returns the date of a day of the month, counted from 0. */
export const dateOf = ({ name }: Pick<ReportMonth, 'name'>, day: number): string =>
  `${name}-${String(day + 1).padStart(2, '0')}`;
