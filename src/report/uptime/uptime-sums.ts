import type { TimeRange } from '../../history/time-range';
import { floorTo, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/time/time-units';

const QUARTER_MS = 15 * MINUTE_MS;

/** A month up to a moment. */
export interface ReportPeriod {
  /** The start of each day, followed by the end of the month. */
  bounds: readonly number[];
  /** The end of what has happened: now, or the end of the month. */
  until: number;
}

/** The known facts about one endpoint in a period. */
export interface Observed {
  /** When the endpoint was created. */
  madeMs: number;
  /** See `monitoredShare`. */
  shareOf: (hour: number) => number;
  /** The parts since then that maintenance excludes from uptime, oldest first. */
  planned: readonly TimeRange[];
  /** The seconds of downtime outside of planned time, by slot since 1970. See `slotOf`. */
  downtime: ReadonlyMap<number, number>;
}

/** The seconds of a day or a month. */
export interface UptimeSeconds {
  /** Time that is judged: monitored or down, and not planned. */
  counted: number;
  down: number;
  planned: number;
}

/**
 * Returns the length of the slots in which downtime is summed up, so that no slot belongs to two days. It is an hour
 * unless the time zone is offset by a part of an hour.
 */
export const slotOf = ({ bounds }: Pick<ReportPeriod, 'bounds'>): number =>
  bounds.every((bound) => bound % HOUR_MS === 0) ? HOUR_MS : QUARTER_MS;

/** Returns the seconds of each day of the period. Days in the future have none. */
export function uptimeByDay(period: ReportPeriod, observed: Observed): UptimeSeconds[] {
  const slotMs = slotOf(period);
  const plannedIn = overlapIn(observed.planned);
  return period.bounds.slice(0, -1).map((start, day) => {
    const end = Math.min(period.bounds[day + 1] ?? start, period.until);
    const sum: UptimeSeconds = { counted: 0, down: 0, planned: 0 };
    for (let slot = floorTo(start, slotMs); slot < end; slot += slotMs) {
      const from = Math.max(slot, start, observed.madeMs);
      const to = Math.min(slot + slotMs, end);
      const planned = plannedIn(from, to);
      const down = observed.downtime.get(slot / slotMs) ?? 0;
      const free = Math.max(0, to - from) / SECOND_MS - planned;
      sum.planned += planned;
      sum.down += down;
      // During an outage, the endpoint is known to be down without another check.
      sum.counted += Math.max(free * observed.shareOf(Math.floor(slot / HOUR_MS)), down);
    }
    return sum;
  });
}

/** Returns a function for the seconds of these parts in a range. Its ranges must be in order. */
function overlapIn(parts: readonly TimeRange[]): (from: number, to: number) => number {
  let next = 0;
  return (from, to) => {
    while ((parts[next]?.to ?? Infinity) <= from) next++;
    let overlap = 0;
    for (let at = next; (parts[at]?.from ?? Infinity) < to; at++)
      overlap += Math.min(parts[at]?.to ?? 0, to) - Math.max(parts[at]?.from ?? 0, from);
    return Math.max(0, overlap) / SECOND_MS;
  };
}

export const totalOf = (days: readonly UptimeSeconds[]): UptimeSeconds => ({
  counted: days.reduce((sum, day) => sum + day.counted, 0),
  down: days.reduce((sum, day) => sum + day.down, 0),
  planned: days.reduce((sum, day) => sum + day.planned, 0),
});

/**
 * `met` and `missed` compare a month that is over with the target. `on_track` is a month in progress whose budget isn't
 * used up, and `no_data` is one in which nothing was monitored.
 */
export const VERDICTS = ['met', 'missed', 'on_track', 'no_data'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Judged {
  /** 1 − downtime / counted time, or `null` if no time counts. */
  availability: number | null;
  /** How much downtime the target allows, in seconds. */
  allowed: number;
  /** The share of it that is used. More than 1 if the target is missed. `null` if nothing is allowed. */
  budgetUsed: number | null;
  verdict: Verdict;
}

/**
 * Compares downtime with a target, from 0 to 1. `remaining` is the number of seconds until the end of the month, which
 * are expected to be monitored, so that the budget is the one of the whole month.
 */
export function judge({ counted, down }: UptimeSeconds, target: number, remaining: number): Judged {
  const allowed = (1 - target) * (counted + remaining);
  const verdict = counted === 0 ? 'no_data' : isMore(down, allowed) ? 'missed' : remaining > 0 ? 'on_track' : 'met';
  return {
    availability: counted === 0 ? null : 1 - down / counted,
    allowed,
    budgetUsed: allowed === 0 ? null : down / allowed,
    verdict,
  };
}

/** Ignores what floating point numbers lose in a month of milliseconds. */
const isMore = (down: number, allowed: number): boolean => down - allowed > 0.000_5;

/**
 * Returns the share of a period that counts, from 0 to 1, without planned time. `elapsed` is in seconds and includes the
 * time before the endpoint was created. `null` if all of it was planned.
 */
export const coverageOf = ({ counted, planned }: UptimeSeconds, elapsed: number): number | null =>
  elapsed - planned <= 0 ? null : Math.min(1, counted / (elapsed - planned));
