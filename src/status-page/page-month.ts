/** A UTC month in the format `2026-11`, with its start and the start of the next month. */
export interface PageMonth {
  name: string;
  from: Date;
  until: Date;
}

const MONTH = /^(20\d\d)-(0[1-9]|1[0-2])$/;

/** Converts the number of months since 1900 to a month. */
const monthAt = (months: number): PageMonth => {
  const from = new Date(Date.UTC(0, months));
  return { name: from.toISOString().slice(0, 7), from, until: new Date(Date.UTC(0, months + 1)) };
};
const indexOf = (at: Date): number => (at.getUTCFullYear() - 1900) * 12 + at.getUTCMonth();

/** Parses the month in a query. The default is the current month. Returns a message if it is invalid. */
export function readMonth(value: unknown, now: Date): PageMonth | string {
  const current = monthAt(indexOf(now));
  if (value === undefined) return current;
  const [, year, month] = (typeof value === 'string' && MONTH.exec(value)) || [];
  if (year === undefined) return 'month must be a month such as 2026-11';
  const read = monthAt((Number(year) - 1900) * 12 + Number(month) - 1);
  return read.from > now ? `month must not be in the future; the current month is ${current.name}` : read;
}

/**
 * Returns the names of the adjacent months. A name is `null` if all data of the month has been deleted, or if it is in
 * the future.
 */
export function besides(
  { from, until }: PageMonth,
  keptSince: Date,
  now: Date,
): Record<'earlier' | 'later', string | null> {
  const index = indexOf(from);
  return {
    earlier: from > keptSince ? monthAt(index - 1).name : null,
    later: until <= now ? monthAt(index + 1).name : null,
  };
}
