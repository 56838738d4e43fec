import { type FinishedCheck, isDegraded } from '../../engine/finished-check';
import type { StreakUpdate } from '../../endpoint/streak-update';
import type { ClosedOutage, OpenedOutage } from '../../history/write/history-writer';
import { fold, isDuplicate, type Streaks } from './endpoint-state';
import type { FoldedCheck, LockedState, UnchangedUpStreaks } from './endpoint-state-store';
import type { UnchangedUpRun } from './batch';

/** Endpoint → its checks of one batch that count, in order, each with the state after it. */
export type FoldedBatch = ReadonlyMap<string, readonly FoldedCheck[]>;

/**
 * Folds a batch endpoint by endpoint. Left out: checks of endpoints that were deleted, paused or edited since, and checks
 * that were recorded before.
 */
export function foldBatch(
  states: ReadonlyMap<string, LockedState>,
  checks: readonly FinishedCheck[],
): Map<string, FoldedCheck[]> {
  const folded = new Map<string, FoldedCheck[]>();
  for (const check of checks) {
    const { endpointId, revision, checkedAt, slotMs, planned, muted } = check;
    const locked = states.get(endpointId);
    if (!locked || !locked.active || locked.revision !== revision) continue;
    const list = folded.get(endpointId) ?? [];
    const before = list.at(-1)?.state ?? locked.state;
    const { outcome } = check.result;
    const checkedMs = checkedAt.getTime();
    const result = { outcome, degraded: isDegraded(check), planned, muted, checkedMs, slotMs };
    if (isDuplicate(before, result)) continue;
    list.push({ state: fold(before, result), check });
    folded.set(endpointId, list);
  }
  return folded;
}

/**
 * The first failure of a streak opens an outage; the first success after it closes whatever is open. A failure that is
 * planned when the outage is not, or the other way round, ends it and opens the next.
 */
export function outagesOf(
  states: ReadonlyMap<string, LockedState>,
  folded: FoldedBatch,
): { opened: OpenedOutage[]; closed: ClosedOutage[] } {
  const opened: OpenedOutage[] = [];
  const closed: ClosedOutage[] = [];
  for (const [id, list] of folded) {
    let failingSinceMs = states.get(id)?.state.failingSinceMs ?? null;
    for (const { state, check } of list) {
      const { endpointKey, checkedAt } = check;
      const { outcome, error } = check.result;
      if (state.failingSinceMs !== null && state.failingSinceMs !== failingSinceMs && error) {
        const startedAt = new Date(state.failingSinceMs);
        if (failingSinceMs !== null)
          closed.push({ endpointKey, endedAt: startedAt, startedAt: new Date(failingSinceMs) });
        opened.push({
          endpointKey,
          startedAt,
          planned: state.failingPlanned,
          error: error.code,
          message: error.message,
        });
      }
      if (outcome === 'up' && state.successes === 1)
        closed.push({
          endpointKey,
          endedAt: checkedAt,
          ...(failingSinceMs === null ? {} : { startedAt: new Date(failingSinceMs) }),
        });
      failingSinceMs = state.failingSinceMs;
    }
  }
  return { opened, closed };
}

/** What counts for streaks and alerts: every check but the `unknown` ones, with the streaks after it. */
export function streakUpdatesOf(folded: FoldedBatch): StreakUpdate[] {
  return [...folded.values()].flatMap((list) => list.flatMap(({ state, check }) => updateOf(check, state) ?? []));
}

/** What counts of runs that only go on being up: successes of endpoints with an open episode; `open`: their streaks after the run. */
export function unchangedUpUpdatesOf(
  runs: readonly UnchangedUpRun[],
  open: ReadonlyMap<string, UnchangedUpStreaks>,
): StreakUpdate[] {
  if (open.size === 0) return [];
  return runs.flatMap(({ endpointId, results }) => {
    const after = open.get(endpointId);
    if (after === undefined) return [];
    return results.flatMap(({ check }, index) => {
      const later = results.length - 1 - index;
      const streaks = { successes: after.successes - later, goodStreak: after.goodStreak - later };
      return updateOf(check, { ...NOTHING_BAD, ...after, ...streaks }) ?? [];
    });
  });
}

const NOTHING_BAD = { failures: 0, badStreak: 0, failingUnmutedSinceMs: null, badUnmutedSinceMs: null };

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

function updateOf(check: FinishedCheck, streaks: Streaks): StreakUpdate | null {
  const { orgId, endpointId, checkedAt, result, muted } = check;
  if (result.outcome === 'unknown') return null;
  const degraded = isDegraded(check);
  return {
    orgId,
    endpointId,
    outcome: result.outcome,
    consecutiveFailures: streaks.failures,
    consecutiveSuccesses: streaks.successes,
    degraded,
    consecutiveBad: streaks.badStreak,
    consecutiveGood: streaks.goodStreak,
    failingSince: dateOf(streaks.failingUnmutedSinceMs),
    badSince: dateOf(streaks.badUnmutedSinceMs),
    upSince: dateOf(streaks.upSinceMs),
    goodSince: dateOf(streaks.goodSinceMs),
    muted,
    isParentDown: check.isParentDown,
    checkedAt,
    durationMs: result.durationMs === null ? null : Math.round(result.durationMs * 1000) / 1000,
    statusCode: result.statusCode,
    address: result.address,
    error: result.error ? { code: result.error.code, message: result.error.message } : null,
    warning: degraded && result.warning ? { code: result.warning.code, message: result.warning.message } : null,
  };
}
