import type { Outcome } from '../../checker/checker';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import { countInHour, type HourCounters } from '../../history/hour-counters';

/**
 * A row of `endpoint_state`, which stores an endpoint's state between checks. Times are milliseconds since the epoch.
 */
export interface EndpointState extends Streaks {
  /** The stored code for the newest outcome. */
  status: number;
  statusSinceMs: number | null;
  /** Since when checks have been up with a failed warning, or `null` if the newest outcome isn't. */
  degradedSinceMs: number | null;
  /** When the first check of the open outage started, or `null` while up. */
  failingSinceMs: number | null;
  failingPlanned: boolean;
  lastCheckedMs: number | null;
  /** The newest scheduled slot that was recorded. */
  lastSlotMs: number | null;
  /** The last 30 outcomes, 2 bits each, with the newest in the lowest bits: 0 none, 1 up, 2 down, 3 unknown. */
  recent: bigint;
  /** One bit for each outcome in `recent`, set if the outcome was degraded. */
  recentDegraded: number;
  /** The counts for the newest hour and the hour before it. */
  hours: HourCounters;
}

/**
 * The numbers of consecutive results. The opposite result resets a streak, and `unknown` doesn't affect any streak.
 * Streaks continue through maintenance.
 */
export interface Streaks {
  failures: number;
  successes: number;
  /** The streaks for alerts on `degraded`. Bad is down or degraded. Good is up and not degraded. */
  badStreak: number;
  goodStreak: number;
  /** When the first unmuted check of the failure streak started. Checks before the last muted one don't count. */
  failingUnmutedSinceMs: number | null;
  /** When the first unmuted check of the bad streak started. Checks before the last muted one don't count. */
  badUnmutedSinceMs: number | null;
  /** When the first check of the success streak ran, and of the good streak. */
  upSinceMs: number | null;
  goodSinceMs: number | null;
}

/** The parts of a finished check that the fold needs. `slotMs` is `null` for a check that a client requested. */
export interface FoldInput {
  outcome: Outcome;
  degraded: boolean;
  planned: boolean;
  muted: boolean;
  checkedMs: number;
  slotMs: number | null;
  /**
   * When the reported failure started, if that was before the check. An outage that this check opens starts at this
   * time.
   */
  sinceMs?: number;
}

const RECENT_CODE: Readonly<Record<Outcome, bigint>> = { up: 1n, down: 2n, unknown: 3n };
const RECENT_MASK = (1n << 60n) - 1n;
const RECENT_DEGRADED_MASK = (1 << 30) - 1;

/** Whether the slot was already recorded (a repeated commit, a second recorder), or this is the same check again. */
export const isDuplicate = (state: EndpointState, result: FoldInput): boolean =>
  (result.slotMs !== null && state.lastSlotMs !== null && result.slotMs <= state.lastSlotMs) ||
  result.checkedMs === state.lastCheckedMs;

/** Returns the state after one more result. */
export const fold = (state: EndpointState, result: FoldInput): EndpointState =>
  foldWith(state, result, streaksAfter(state, result));

/** Works like `fold`, but with the given streaks, which several locations have counted. */
export function foldWith(state: EndpointState, result: FoldInput, counted: Streaks): EndpointState {
  const status = OUTCOME_CODE[result.outcome];
  const { failures, successes, badStreak, goodStreak, failingUnmutedSinceMs, badUnmutedSinceMs } = counted;
  const { failingSinceMs, failingPlanned } = outage(state, result);
  // Uses one literal instead of a copy with added properties, which V8 reads more slowly. This runs for every check.
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
 * Returns the open outage after the result. An outage is either planned or unplanned as a whole: a failure of the other
 * kind ends it and starts the next one. A late failure that started before the outage doesn't change it.
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

/** A streak that started before this column existed has no start time. */
const sinceOf = (streak: number, sinceMs: number | null, checkedMs: number): number | null =>
  streak === 0 ? checkedMs : sinceMs;
