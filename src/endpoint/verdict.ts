import type { Outcome } from '../checker/checker';
import { MINUTE_MS, SECOND_MS } from '../platform/time/time-units';

/** How many locations must see an endpoint down: one, more than half, every one, or a number. */
export type Quorum = 'any' | 'majority' | 'all' | number;

/** What is known of an endpoint at one location. Streaks are those of that location alone; times are milliseconds since the epoch. */
export interface LocationState {
  /** Its newest outcome; `null` before the first. */
  status: Outcome | null;
  /** Whether the newest outcome is up with a failed warning. */
  degraded: boolean;
  failures: number;
  successes: number;
  badStreak: number;
  goodStreak: number;
  assignedMs: number;
  lastCheckedMs: number | null;
  /** When it last saw the endpoint up or down. */
  lastKnownMs: number | null;
  /** It was taken out of service: disabled, or its version is not supported. */
  isOut: boolean;
}

export interface VerdictRule {
  quorum: Quorum;
  intervalMs: number;
  timeoutMs: number;
}

/** What counts of all locations together; the streaks carry the thresholds of alerts as those of a single location do. */
export interface Verdict {
  outcome: Outcome;
  degraded: boolean;
  failures: number;
  successes: number;
  badStreak: number;
  goodStreak: number;
  /** Votes for down, votes, and locations that are not lost. */
  down: number;
  voting: number;
  of: number;
}

/** A location that is silent for longer than this is lost: the others decide without it. */
export const LOST_MS = 5 * MINUTE_MS;

/** After this time without a result a location is silent. */
export const silentAfterMs = ({ intervalMs, timeoutMs }: VerdictRule): number =>
  2 * intervalMs + timeoutMs + 15 * SECOND_MS;

/** SQL: the same as an interval, of a row with `interval_seconds` and `timeout_seconds` and this alias. */
export const silentAfterSql = (alias: string): string => {
  const fixedMs = silentAfterMs({ quorum: 'any', intervalMs: 0, timeoutMs: 0 });
  return `make_interval(secs => 2 * ${alias}.interval_seconds + ${alias}.timeout_seconds + ${fixedMs / SECOND_MS})`;
};

export const isSilent = ({ lastCheckedMs }: LocationState, rule: VerdictRule, nowMs: number): boolean =>
  lastCheckedMs === null || nowMs > lastCheckedMs + silentAfterMs(rule);

export const isLost = ({ isOut, lastKnownMs, assignedMs }: LocationState, rule: VerdictRule, nowMs: number): boolean =>
  isOut || nowMs > (lastKnownMs ?? assignedMs) + silentAfterMs(rule) + LOST_MS;

/**
 * One verdict from what several locations saw. Who is silent or saw `unknown` has no vote; who is lost does not count among those
 * of whom the quorum is asked. One location gives its own result. A lone failing voice is no majority until the others are lost.
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

/** It saw the endpoint up or down, a moment ago. */
export const isVoting = (location: LocationState, rule: VerdictRule, nowMs: number): boolean =>
  (location.status === 'up' || location.status === 'down') &&
  !isSilent(location, rule, nowMs) &&
  !isLost(location, rule, nowMs);

/** Votes for down that make it so, of so many locations. */
export function votesNeeded(quorum: Quorum, of: number): number {
  if (quorum === 'any') return 1;
  if (quorum === 'majority') return Math.floor(of / 2) + 1;
  return quorum === 'all' ? of : Math.min(quorum, of);
}

/** SQL: the same, of an endpoint with this alias and a number of locations. */
export const votesNeededSql = (alias: string, of: string): string =>
  `CASE ${alias}.quorum WHEN 'any' THEN 1 WHEN 'majority' THEN ${of} / 2 + 1 WHEN 'all' THEN ${of} ELSE LEAST(${alias}.quorum::bigint, ${of}) END`;

/** The nth largest, counted from 1; 0 where there are fewer. */
const largest = (nth: number, values: number[]): number => values.toSorted((a, b) => b - a)[nth - 1] ?? 0;
