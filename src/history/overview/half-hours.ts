import { floorTo, HOUR_MS, MINUTE_MS } from '../../platform/time/time-units';

export const HALF_HOURS = 48;
export const HALF_HOUR_MS = 30 * MINUTE_MS;

/** An outage of less than this many seconds is only a part of its half hour. */
const SHORT_SECONDS = 180;

/** The seconds of downtime in each half hour that has some. The indexes count from the first half hour. */
export interface DownHalfHoursRow {
  key: string;
  steps: number[];
  seconds: number[];
  planned: boolean[];
}

/**
 * The hours with a result, as bits that count from the hour of the first half hour: with a check that was up or down,
 * with a failed warning, with a check during maintenance, and with an unknown result.
 */
export interface HoursRow {
  key: string;
  told: number;
  degraded: number;
  planned: number;
  unknown: number;
}

/** The facts about an endpoint that its closed hours don't contain. */
export interface HalfHourContext {
  /** When the first half hour starts. In milliseconds since the epoch, like the other times. */
  fromMs: number;
  madeMs: number;
  /** The time of the newest check with a result. The hours before it may not be closed yet. */
  newestMs: number | null;
  /** Whether checks are more than half an hour apart, so that most half hours have none. */
  isSparse: boolean;
}

/** Returns the start of the first of the last 48 half hours. The last one contains the current time. */
export const firstHalfHourAt = (nowMs: number): number =>
  floorTo(nowMs, HALF_HOUR_MS) - (HALF_HOURS - 1) * HALF_HOUR_MS;

const NO_HOURS: Omit<HoursRow, 'key'> = { told: 0, degraded: 0, planned: 0, unknown: 0 };
const NOTHING_DOWN: Omit<DownHalfHoursRow, 'key'> = { steps: [], seconds: [], planned: [] };

/**
 * Returns one letter per half hour, oldest first: `u` up, `w` up with a failed warning, `p` down for less than three minutes, `d` down for longer, `m`
 * down or checked only during maintenance, `n` without a conclusive result, and `-` not checked. Checks are only known
 * by the hour, but outages to the second.
 */
export function halfHours(
  hours: Omit<HoursRow, 'key'> = NO_HOURS,
  down: Omit<DownHalfHoursRow, 'key'> = NOTHING_DOWN,
  { fromMs, madeMs, newestMs, isSparse }: HalfHourContext,
): string {
  const firstHourMs = floorTo(fromMs, HOUR_MS);
  const newestHour = newestMs === null ? -1 : Math.floor((newestMs - firstHourMs) / HOUR_MS);
  let hasResult = false;
  const letters = Array.from({ length: HALF_HOURS }, (_, step): string => {
    const startMs = fromMs + step * HALF_HOUR_MS;
    if (startMs + HALF_HOUR_MS <= madeMs) return '-';
    const hour = Math.floor((startMs - firstHourMs) / HOUR_MS);
    const has = (bits: number) => ((bits >> hour) & 1) === 1;
    const isTold = has(hours.told) || hour === newestHour;
    hasResult ||= isTold;
    if (has(hours.degraded)) return 'w';
    if (isTold || (isSparse && hasResult)) return 'u';
    if (has(hours.planned)) return 'm';
    return has(hours.unknown) ? 'n' : '-';
  });
  // Planned outages first, because a real one in the same half hour counts.
  for (const isPlanned of [true, false])
    down.steps.forEach((step, at) => {
      if (down.planned[at] !== isPlanned || step < 0 || step >= HALF_HOURS) return;
      letters[step] = isPlanned ? 'm' : (down.seconds[at] ?? 0) < SHORT_SECONDS ? 'p' : 'd';
    });
  return letters.join('');
}
