import type { Outcome } from '../checker/checker';
import { MINUTE_MS, SECOND_MS } from '../platform/time/time-units';

/** How many locations must see an endpoint as down: one, more than half, all, or a number. */
export type Quorum = 'any' | 'majority' | 'all' | number;

/**
 * The state of an endpoint as seen from one location. The streaks count only this location. Times are in milliseconds
 * since the epoch.
 */
export interface LocationState {
  /** The newest outcome, or `null` if there is none yet. */
  status: Outcome | null;
  /** True if the newest outcome is up, but a warning assertion failed. */
  degraded: boolean;
  failures: number;
  successes: number;
  badStreak: number;
  goodStreak: number;
  assignedMs: number;
  lastCheckedMs: number | null;
  /** The time at which the location last saw the endpoint as up or down. */
  lastKnownMs: number | null;
  /** The probe is disabled, or its version is not supported. */
  isOut: boolean;
}

export interface VerdictRule {
  quorum: Quorum;
  intervalMs: number;
  timeoutMs: number;
}

/**
 * The combined result of all locations. Its streaks drive the thresholds of alerts, just like the streaks of a single
 * location.
 */
export interface Verdict {
  outcome: Outcome;
  degraded: boolean;
  failures: number;
  successes: number;
  badStreak: number;
  goodStreak: number;
  /** The vote counts: votes for down, all votes (`voting`), and locations that are not lost (`of`). */
  down: number;
  voting: number;
  of: number;
}

/** The time without a response after which a location is lost, and the others decide without it. */
export const LOST_MS = 5 * MINUTE_MS;

/** Returns the time without a result after which a location has no vote. */
export const silentAfterMs = ({ intervalMs, timeoutMs }: VerdictRule): number =>
  2 * intervalMs + timeoutMs + 15 * SECOND_MS;

/** Returns the equivalent SQL interval, for a row with this alias that has `interval_seconds` and `timeout_seconds`. */
export const silentAfterSql = (alias: string): string => {
  const fixedMs = silentAfterMs({ quorum: 'any', intervalMs: 0, timeoutMs: 0 });
  return `make_interval(secs => 2 * ${alias}.interval_seconds + ${alias}.timeout_seconds + ${fixedMs / SECOND_MS})`;
};

export const isSilent = ({ lastCheckedMs }: LocationState, rule: VerdictRule, nowMs: number): boolean =>
  lastCheckedMs === null || nowMs > lastCheckedMs + silentAfterMs(rule);

export const isLost = ({ isOut, lastKnownMs, assignedMs }: LocationState, rule: VerdictRule, nowMs: number): boolean =>
  isOut || nowMs > (lastKnownMs ?? assignedMs) + silentAfterMs(rule) + LOST_MS;

/**
 * Combines the results of several locations into one verdict. A location that isn't responding or saw `unknown` has no
 * vote. The quorum doesn't count lost locations. If there is only one location, its result is the verdict. A single
 * failing vote is not a majority until the other locations are lost.
 */
export function verdictOf(locations: readonly LocationState[], rule: VerdictRule, nowMs: number): Verdict {
  const present = locations.filter((location) => !isLost(location, rule, nowMs));
  const voters = present.filter((location) => isVoting(location, rule, nowMs));
  const down = voters.filter(({ status }) => status === 'down').length;
  const needed = votesNeeded(rule.quorum, present.length);
  const outcome = down >= needed && down > 0 ? 'down' : voters.length > down ? 'up' : 'unknown';
  return {
    outcome,
    degraded: outcome === 'up' && (down > 0 || voters.some(({ degraded }) => degraded)),
    failures: largest(
      needed,
      voters.map(({ failures }) => failures),
    ),
    successes: largest(
      Math.max(1, voters.length - needed + 1),
      voters.map(({ successes }) => successes),
    ),
    badStreak: largest(
      1,
      voters.map(({ badStreak }) => badStreak),
    ),
    goodStreak: largest(
      voters.length,
      voters.map(({ goodStreak }) => goodStreak),
    ),
    down,
    voting: voters.length,
    of: present.length,
  };
}

/** Returns true if the location recently saw the endpoint as up or down. */
export const isVoting = (location: LocationState, rule: VerdictRule, nowMs: number): boolean =>
  (location.status === 'up' || location.status === 'down') &&
  !isSilent(location, rule, nowMs) &&
  !isLost(location, rule, nowMs);

/** Returns how many votes for down are required with this many locations. */
export function votesNeeded(quorum: Quorum, of: number): number {
  if (quorum === 'any') return 1;
  if (quorum === 'majority') return Math.floor(of / 2) + 1;
  return quorum === 'all' ? of : Math.min(quorum, of);
}

/** Returns the equivalent SQL, for an endpoint with this alias and a number of locations. */
export const votesNeededSql = (alias: string, of: string): string =>
  `CASE ${alias}.quorum WHEN 'any' THEN 1 WHEN 'majority' THEN ${of} / 2 + 1 WHEN 'all' THEN ${of} ELSE LEAST(${alias}.quorum::bigint, ${of}) END`;

/** Returns the nth largest value, counted from 1, or 0 if there are fewer. */
const largest = (nth: number, values: number[]): number => values.toSorted((a, b) => b - a)[nth - 1] ?? 0;
