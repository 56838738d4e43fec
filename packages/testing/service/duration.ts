import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/platform/time/time-units';

const UNITS = { ms: 1, s: SECOND_MS, min: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const;

/** A duration such as `5 min`, `90 s`, `250 ms`, `36 h`, `2 d`. */
export type Duration = `${number} ${keyof typeof UNITS}`;

const isUnit = (text: string | undefined): text is keyof typeof UNITS =>
  text !== undefined && Object.hasOwn(UNITS, text);

/** Converts a duration to milliseconds. Throws: an error if it is invalid or not positive. */
export function millisecondsOf(duration: Duration): number {
  const [amount, unit] = duration.split(' ');
  const ms = isUnit(unit) ? Number(amount) * UNITS[unit] : NaN;
  if (!(ms >= 0))
    throw new Error(`"${duration}" is not a duration such as "5 min": use a number and ms, s, min, h, or d`);
  return ms;
}
