import type { Outcome } from '../../checker/checker';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import { countInHour, type HourCounters } from '../../history/hour-counters';

/** The row of `endpoint_state`: what is kept of an endpoint between checks. Times are milliseconds since the epoch. */
export interface EndpointState {
  /** The stored code of the newest outcome. */
  status: number;
  statusSinceMs: number | null;
  /** Consecutive; an opposite result resets the other, `unknown` touches neither. */
  failures: number;
  successes: number;
  /** When the first check of the running failure streak began; `null` while up. */
  failingSinceMs: number | null;
  lastCheckedMs: number | null;
  /** The newest scheduled slot that was recorded. */
  lastSlotMs: number | null;
  /** The last 30 outcomes, 2 bits each, newest lowest: 0 none, 1 up, 2 down, 3 unknown. */
  recent: bigint;
  /** Counts of the newest hour and the one before. */
  hours: HourCounters;
}

/** What the fold needs of a finished check. `slotMs` is `null` for a check that a client asked for. */
export interface FoldInput {
  outcome: Outcome;
  checkedMs: number;
  slotMs: number | null;
}

const RECENT_CODE: Readonly<Record<Outcome, bigint>> = { up: 1n, down: 2n, unknown: 3n };
const RECENT_MASK = (1n << 60n) - 1n;

/** A slot that was recorded before (a repeated commit, a second recorder), or the same check once more. */
export const isDuplicate = (state: EndpointState, result: FoldInput): boolean =>
  (result.slotMs !== null && state.lastSlotMs !== null && result.slotMs <= state.lastSlotMs) ||
  result.checkedMs === state.lastCheckedMs;

/** The state after one more result. */
export function fold(state: EndpointState, result: FoldInput): EndpointState {
  const status = OUTCOME_CODE[result.outcome];
  const { failures, successes, failingSinceMs } = streaks(state, result);
  // One literal, not a copy with more properties: V8 makes those slower to read, at every check.
  return {
    failures,
    successes,
    failingSinceMs,
    status,
    statusSinceMs: status === state.status && state.statusSinceMs !== null ? state.statusSinceMs : result.checkedMs,
    lastCheckedMs: Math.max(state.lastCheckedMs ?? 0, result.checkedMs),
    lastSlotMs: result.slotMs ?? state.lastSlotMs,
    recent: ((state.recent << 2n) | RECENT_CODE[result.outcome]) & RECENT_MASK,
    hours: countInHour(state.hours, result.outcome, new Date(result.checkedMs)),
  };
}

function streaks(
  state: EndpointState,
  result: FoldInput,
): Pick<EndpointState, 'failures' | 'successes' | 'failingSinceMs'> {
  switch (result.outcome) {
    case 'unknown':
      return { failures: state.failures, successes: state.successes, failingSinceMs: state.failingSinceMs };
    case 'up':
      return { failures: 0, successes: state.successes + 1, failingSinceMs: null };
    case 'down':
      return { failures: state.failures + 1, successes: 0, failingSinceMs: state.failingSinceMs ?? result.checkedMs };
    default:
      return result.outcome satisfies never;
  }
}
