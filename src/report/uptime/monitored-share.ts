import { DAY_MS, HOUR_MS } from '../../platform/time/time-units';

const HOURS_PER_DAY = DAY_MS / HOUR_MS;

/**
 * The checks of an endpoint by UTC day, from hourly stats. The arrays have one entry per day with checks. Planned checks
 * are in `planned` alone.
 */
export interface DayChecks {
  /** Days since 1970. */
  days: readonly number[];
  /** Checks that were up or down. */
  known: readonly number[];
  unknown: readonly number[];
  planned: readonly number[];
  /** One bit per hour of the day. It is set if the hour has checks and all of them are known. */
  full: readonly number[];
  /** Hours since 1970 with both unknown and other checks, and the share of known checks among the unplanned ones. */
  partial: readonly number[];
  shares: readonly number[];
}

/** An endpoint with checks at least this often has several in each hour, or in each day. */
const OFTEN_SECONDS = 1800;
const DAILY_SECONDS = 43_200;

/**
 * Returns a function that returns which share of an hour (counted since 1970) was monitored, from 0 to 1. An hour without
 * a check wasn't monitored, for example while the endpoint was paused. Unknown checks don't count either. If there isn't
 * a check in every hour, days are compared, or the whole month for jobs and for checks that run only once a day.
 * `intervalSeconds` is `null` for jobs.
 */
export function monitoredShare(checks: DayChecks, intervalSeconds: number | null): (hour: number) => number {
  if (intervalSeconds !== null && intervalSeconds <= OFTEN_SECONDS) return byHour(checks);
  if (intervalSeconds !== null && intervalSeconds <= DAILY_SECONDS) return byDay(checks);
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const all = shareOf(sum(checks.known), sum(checks.unknown), sum(checks.planned));
  return () => all;
}

/** If all checks were planned, everything that should have been checked was checked. */
const shareOf = (known: number, unknown: number, planned: number): number =>
  known + unknown === 0 ? Math.min(1, planned) : known / (known + unknown);

function byHour({ days, full, partial, shares }: DayChecks): (hour: number) => number {
  const masks = new Map(days.map((day, at) => [day, full[at] ?? 0]));
  const mixed = new Map(partial.map((hour, at) => [hour, shares[at] ?? 0]));
  return (hour) => {
    const mask = masks.get(Math.floor(hour / HOURS_PER_DAY)) ?? 0;
    return (mask >> (hour % HOURS_PER_DAY)) & 1 ? 1 : (mixed.get(hour) ?? 0);
  };
}

function byDay({ days, known, unknown, planned }: DayChecks): (hour: number) => number {
  const byNumber = new Map(days.map((day, at) => [day, shareOf(known[at] ?? 0, unknown[at] ?? 0, planned[at] ?? 0)]));
  return (hour) => byNumber.get(Math.floor(hour / HOURS_PER_DAY)) ?? 0;
}
