import type { Outcome } from '../../checker/checker';
import { type FinishedCheck, isDegraded, LOCAL } from '../../engine/finished-check';
import type { StreakUpdate } from '../../endpoint/streak-update';
import type { ClosedOutage, OpenedOutage } from '../../history/write/history-writer';
import type { StatusChange } from '../../endpoint/endpoint-events';
import { OUTCOME_CODE, outcomeOf } from '../../endpoint/outcome-code';
import { fold, isDuplicate, type Streaks } from './endpoint-state';
import type { FoldedCheck, LockedState } from './endpoint-state-store';
import type { LoneFailure } from './location-asks';
import { foldLocated, type LocatedCheck, type StoredLocation, type Told } from './location-state';
import type { UnchangedUpRun } from './batch';
import type { UnchangedUpStreaks } from './unchanged-up';

/** Maps each endpoint to the checks in one batch that count, in order, each with the state after it. */
export type FoldedBatch = ReadonlyMap<string, readonly FoldedCheck[]>;

/**
 * Folds a batch, endpoint by endpoint. Leaves out checks of endpoints that have since been deleted, paused, or edited.
 * Also leaves out checks that were already recorded, and checks from locations that the endpoint doesn't have.
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
    if (locked.locations !== undefined) {
      const after = foldLocated(before, list.at(-1)?.located ?? locked.locations, check);
      if (after === null) continue;
      list.push({ ...after, original: check });
      folded.set(endpointId, list);
      continue;
    }
    if (check.location !== LOCAL) continue;
    const { outcome } = check.result;
    const checkedMs = checkedAt.getTime();
    const result = { outcome, degraded: isDegraded(check), planned, muted, checkedMs, slotMs };
    if (isDuplicate(before, result)) continue;
    list.push({ state: fold(before, result), check, original: check });
    folded.set(endpointId, list);
  }
  return folded;
}

export function changedLocations(
  states: ReadonlyMap<string, LockedState>,
  folded: FoldedBatch,
): (StoredLocation & { endpointId: string })[] {
  return [...folded].flatMap(([endpointId, list]) => {
    const before = states.get(endpointId)?.locations?.locations;
    const after = list.at(-1)?.located?.locations;
    if (!before || !after) return [];
    return after.flatMap((one, index) => (one === before[index] ? [] : [{ ...one, endpointId }]));
  });
}

/** Returns the endpoints where one location has more consecutive failures than other voting locations. */
export const loneFailuresOf = (folded: FoldedBatch): LoneFailure[] =>
  [...folded].flatMap(([endpointId, list]) =>
    list.flatMap(({ located }) => (located?.lone ? [{ endpointId, ...located.lone }] : [])),
  );

/** Returns the endpoints whose status is another one after the batch, with the check that led to it. */
export const statusChangesOf = (states: ReadonlyMap<string, LockedState>, folded: FoldedBatch): StatusChange[] =>
  [...folded].flatMap(([endpointId, list]) => {
    const [before, after] = [states.get(endpointId)?.state.status, list.at(-1)];
    if (before === undefined || after === undefined || before === after.state.status) return [];
    const { orgId, checkedAt } = after.check;
    return [{ orgId, endpointId, from: outcomeOf(before), to: outcomeOf(after.state.status), at: checkedAt }];
  });

/**
 * Returns the outages that a batch opens and closes. The first failure of a streak opens an outage, and the first
 * success after it closes any open outage. A planned failure ends an unplanned outage and opens the next one, and vice
 * versa.
 */
export function outagesOf(
  states: ReadonlyMap<string, LockedState>,
  folded: FoldedBatch,
): { opened: OpenedOutage[]; closed: ClosedOutage[] } {
  const opened: OpenedOutage[] = [];
  const closed: ClosedOutage[] = [];
  for (const [id, list] of folded) {
    let failingSinceMs = states.get(id)?.state.failingSinceMs ?? null;
    for (const { state, check, located } of list) {
      if (located?.verdict === null) continue;
      const { endpointKey, checkedAt } = check;
      const { error } = located?.told ?? check.result;
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
      // With several locations, the first success doesn't have to be part of the streak that counts.
      if (state.status === OUTCOME_CODE.up && (state.successes === 1 || failingSinceMs !== null))
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

/**
 * Returns the updates for streaks and alerts: one for each check that isn't `unknown`, with the streaks after the
 * check.
 */
export function streakUpdatesOf(folded: FoldedBatch): StreakUpdate[] {
  return [...folded.values()].flatMap((list) =>
    list.flatMap(
      ({ state, check, located }) => (located ? locatedUpdate(check, state, located) : updateOf(check, state)) ?? [],
    ),
  );
}

/**
 * Returns the updates for unchanged runs: successes of endpoints with an open episode. `open` contains their streaks
 * after the run.
 */
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

type Result = Told & { outcome: Outcome };

function updateOf(check: FinishedCheck, streaks: Streaks, result: Result = check.result): StreakUpdate | null {
  const { orgId, endpointId, checkedAt, muted } = check;
  if (result.outcome === 'unknown') return null;
  const degraded = result.outcome === 'up' && Boolean(result.warning);
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

/** Returns the update for an endpoint with locations, which reports the combined verdict. */
function locatedUpdate(check: FinishedCheck, streaks: Streaks, located: LocatedCheck): StreakUpdate | null {
  const { verdict, decides, told, seen } = located;
  if (!decides || verdict === null) return null;
  const update = updateOf(check, streaks, { ...told, outcome: verdict.outcome });
  return update && { ...update, isLate: check.isLate, ...(seen ? { locations: seen } : {}) };
}
