import type { Outcome } from '../../checker/checker';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import { countInHour, type HourCounters } from '../../history/hour-counters';

/** The row of `endpoint_state`: what is kept of an endpoint between checks. Times are milliseconds since the epoch. */
export interface EndpointState extends Streaks {
  /** The stored code of the newest outcome. */
  status: number;
  statusSinceMs: number | null;
  /** Since when the newest outcome is up with a failed warning; `null` when it is not. */
  degradedSinceMs: number | null;
  /** When the first check of the open outage began; `null` while up. */
  failingSinceMs: number | null;
  /** Whether the open outage is planned. */
  failingPlanned: boolean;
  lastCheckedMs: number | null;
  /** The newest scheduled slot that was recorded. */
  lastSlotMs: number | null;
  /** The last 30 outcomes, 2 bits each, newest lowest: 0 none, 1 up, 2 down, 3 unknown. */
  recent: bigint;
  /** A bit for each of them: whether it was degraded. */
  recentDegraded: number;
  /** Counts of the newest hour and the one before. */
  hours: HourCounters;
}

/** Consecutive results; one of the other kind resets them, `unknown` touches none. They go on through maintenance. */
export interface Streaks {
  failures: number;
  successes: number;
  /** The streaks of what counts degraded as bad: bad is down or degraded, good is up and not degraded. */
  badStreak: number;
  goodStreak: number;
  /** When the first check of the failure streak began that no mute covered, after the last one that a mute covered. */
  failingUnmutedSinceMs: number | null;
  /** When the first check of the bad streak began that no mute covered, after the last one that a mute covered. */
  badUnmutedSinceMs: number | null;
  /** When the first check of the streak of successes ran, and of that of good ones. */
  upSinceMs: number | null;
  goodSinceMs: number | null;
}

/** What the fold needs of a finished check. `slotMs` is `null` for a check that a client asked for. */
export interface FoldInput {
  outcome: Outcome;
  degraded: boolean;
  planned: boolean;
  muted: boolean;
  checkedMs: number;
  slotMs: number | null;
  /** When what it tells of began, where that was before it: what it opens begins then. */
  sinceMs?: number;
}

const RECENT_CODE: Readonly<Record<Outcome, bigint>> = { up: 1n, down: 2n, unknown: 3n };
const RECENT_MASK = (1n << 60n) - 1n;
const RECENT_DEGRADED_MASK = (1 << 30) - 1;

/** A slot that was recorded before (a repeated commit, a second recorder), or the same check once more. */
export const isDuplicate = (state: EndpointState, result: FoldInput): boolean =>
  (result.slotMs !== null && state.lastSlotMs !== null && result.slotMs <= state.lastSlotMs) ||
  result.checkedMs === state.lastCheckedMs;

/** The state after one more result. */
export const fold = (state: EndpointState, result: FoldInput): EndpointState =>
  foldWith(state, result, streaksAfter(state, result));

/** The same with these streaks after it: those of several locations. */
export function foldWith(state: EndpointState, result: FoldInput, counted: Streaks): EndpointState {
  const status = OUTCOME_CODE[result.outcome];
  const { failures, successes, badStreak, goodStreak, failingUnmutedSinceMs, badUnmutedSinceMs } = counted;
  const { failingSinceMs, failingPlanned } = outage(state, result);
  // One literal, not a copy with more properties: V8 makes those slower to read, at every check.
  return {
    failures,
    successes,
    badStreak,
    goodStreak,
    failingUnmutedSinceMs,
    badUnmutedSinceMs,
    upSinceMs: counted.upSinceMs,
    goodSinceMs: counted.goodSinceMs,
    failingSinceMs,
    failingPlanned,
    status,
    statusSinceMs: status === state.status && state.statusSinceMs !== null ? state.statusSinceMs : result.checkedMs,
    degradedSinceMs: result.degraded ? (state.degradedSinceMs ?? result.checkedMs) : null,
    lastCheckedMs: Math.max(state.lastCheckedMs ?? 0, result.checkedMs),
    lastSlotMs: result.slotMs ?? state.lastSlotMs,
    recent: ((state.recent << 2n) | RECENT_CODE[result.outcome]) & RECENT_MASK,
    recentDegraded: ((state.recentDegraded << 1) | (result.degraded ? 1 : 0)) & RECENT_DEGRADED_MASK,
    hours: countInHour(state.hours, result, new Date(result.checkedMs)),
  };
}

/**
 * The open outage after the result. It is wholly planned or wholly not: a failure of the other mark ends it and begins the
 * next one. A failure that began before the outage, as late ones do, changes nothing of it.
 */
function outage(
  { failingSinceMs, failingPlanned }: EndpointState,
  { outcome, planned, checkedMs, sinceMs }: FoldInput,
): Pick<EndpointState, 'failingSinceMs' | 'failingPlanned'> {
  if (outcome === 'up') return { failingSinceMs: null, failingPlanned: false };
  const begins = failingSinceMs === null || (failingPlanned !== planned && checkedMs > failingSinceMs);
  if (outcome === 'unknown' || !begins) return { failingSinceMs, failingPlanned };
  return { failingSinceMs: sinceMs ?? checkedMs, failingPlanned: planned };
}

/** The streaks after one more result. */
export function streaksAfter(state: Streaks, result: FoldInput): Streaks {
  if (result.outcome === 'unknown') return state;
  const isDown = result.outcome === 'down';
  const isBad = isDown || result.degraded;
  const { checkedMs, muted, sinceMs = checkedMs } = result;
  return {
    failures: isDown ? state.failures + 1 : 0,
    successes: isDown ? 0 : state.successes + 1,
    badStreak: isBad ? state.badStreak + 1 : 0,
    goodStreak: isBad ? 0 : state.goodStreak + 1,
    failingUnmutedSinceMs: isDown && !muted ? (state.failingUnmutedSinceMs ?? sinceMs) : null,
    badUnmutedSinceMs: isBad && !muted ? (state.badUnmutedSinceMs ?? checkedMs) : null,
    upSinceMs: isDown ? null : sinceOf(state.successes, state.upSinceMs, checkedMs),
    goodSinceMs: isBad ? null : sinceOf(state.goodStreak, state.goodSinceMs, checkedMs),
  };
}

/** A streak that began before its beginning was kept has none. */
const sinceOf = (streak: number, sinceMs: number | null, checkedMs: number): number | null =>
  streak === 0 ? checkedMs : sinceMs;
