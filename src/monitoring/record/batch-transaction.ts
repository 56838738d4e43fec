import { Injectable } from '@nestjs/common';
import { AlertEvaluator } from '../../alert/episode/alert-evaluator';
import { type FinishedCheck, isDegraded } from '../../engine/finished-check';
import { EndpointStatusChanged, SuppressionEnded } from '../../endpoint/endpoint-events';
import { MaintenanceCoverage } from '../../endpoint/suppression/maintenance-coverage';
import type { StreakUpdate } from '../../endpoint/streak-update';
import { HistoryBacklog } from '../../history/write/history-backlog';
import type { Sql, Tx } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { failpoint } from '../../platform/observability/failpoints';
import type { BatchParts, EndpointResults, UnchangedUpRun } from './batch';
import { EndpointStateStore, type LockedState } from './endpoint-state-store';
import {
  changedLocations,
  foldBatch,
  loneFailuresOf,
  outagesOf,
  statusChangesOf,
  streakUpdatesOf,
  unchangedUpUpdatesOf,
} from './fold-batch';
import { LocationAsks } from './location-asks';
import { saveLocations } from './location-store';
import type { UnchangedUpSaved } from './unchanged-up';
import type { PendingCheck } from '../../engine/queue/pending-checks';

export interface Committed {
  /** Each recorded check, by the check that was given, with the marks that it was recorded with. */
  recorded: ReadonlyMap<FinishedCheck, FinishedCheck>;
  /** Results that looked unchanged and up, but aren't. Their data was not written. */
  missed: PendingCheck[];
  withHistory: boolean;
}

/** Writes a batch in one transaction: marks, streaks, history, alert flags, events, and deliveries, all or nothing. */
@Injectable()
export class BatchTransaction {
  constructor(
    private readonly maintenance: MaintenanceCoverage,
    private readonly states: EndpointStateStore,
    private readonly history: HistoryBacklog,
    private readonly alerts: AlertEvaluator,
    private readonly events: TransactionEvents,
    private readonly asks: LocationAsks,
  ) {}

  /**
   * Whether the endpoint is known to have locations. This is a guess. If it is wrong, the results are written a moment
   * later.
   */
  readonly isLocated = (endpointId: string): boolean => this.states.located.has(endpointId);

  async write(tx: Tx, given: BatchParts, withoutHistory: boolean): Promise<Committed> {
    const { parts, originals } = await this.marked(tx, given);
    const { others, unchangedUp, unchangedLocated } = parts;
    const checks = checksOf(others);
    const runs = runsOf(parts);
    const states: ReadonlyMap<string, LockedState> =
      checks.length > 0 ? await this.states.lock(tx, checks) : new Map<string, LockedState>();
    const folded = foldBatch(states, checks);
    const { missed, open }: UnchangedUpSaved =
      unchangedUp.length > 0
        ? await this.states.saveUnchangedUp(tx, unchangedUp)
        : { missed: new Set(), open: new Map() };
    const missedLocated: ReadonlySet<string> =
      unchangedLocated.length > 0 ? await this.states.saveUnchangedLocated(tx, unchangedLocated) : new Set<string>();
    if (folded.size > 0) await this.states.save(tx, folded);
    const isMissed = ({ endpointId }: UnchangedUpRun) => missed.has(endpointId) || missedLocated.has(endpointId);
    const saved = runs.filter((run) => !isMissed(run));
    const recorded = new Map<FinishedCheck, FinishedCheck>();
    const note = (check: FinishedCheck, marked: FinishedCheck) => recorded.set(originals.get(check) ?? check, marked);
    for (const list of folded.values()) for (const { check, original } of list) note(original, check);
    for (const check of checksOf(saved.map(({ results }) => results))) note(check, check);
    const part = { checks: [...recorded.values()], ...outagesOf(states, folded) };
    const withHistory = await this.history.write(tx, part, withoutHistory);
    const updates: StreakUpdate[] = [...streakUpdatesOf(folded), ...unchangedUpUpdatesOf(saved, open)];
    const lone = loneFailuresOf(folded);
    if (lone.length > 0) await this.asks.secondOpinion(tx, lone);
    const parentIds = updates.length > 0 ? await this.alerts.evaluate(tx, updates) : [];
    // This comes after the alerts, because client changes to alerts lock the same rows.
    await saveLocations(tx, changedLocations(states, folded));
    if (parentIds.length > 0) await this.events.emit(new SuppressionEnded({ parentIds }), tx);
    const changes = statusChangesOf(states, folded);
    if (changes.length > 0) await this.events.emit(new EndpointStatusChanged(changes), tx);
    if (recorded.size > 0) await failpoint('recorder.before_commit');
    return {
      recorded,
      missed: runsOf(given)
        .filter(isMissed)
        .flatMap(({ results }) => results),
      withHistory,
    };
  }

  /**
   * Returns the batch with the marks of maintenance windows, and the original of each check that is a copy. This is
   * decided again in each attempt, so that a retried transaction uses the current windows.
   */
  private async marked(
    tx: Tx,
    parts: BatchParts,
  ): Promise<{ parts: BatchParts; originals: ReadonlyMap<FinishedCheck, FinishedCheck> }> {
    const checks = [...checksOf(parts.others), ...checksOf(runsOf(parts).map(({ results }) => results))];
    const marks = await this.maintenance.marks(tx, checks);
    const copies = new Map<FinishedCheck, FinishedCheck>();
    checks.forEach((check, index) => {
      const { planned, muted } = marks[index] ?? check;
      if (planned !== check.planned || muted !== check.muted) copies.set(check, { ...check, planned, muted });
    });
    if (copies.size === 0) return { parts, originals: copies };
    const resultsOf = (results: EndpointResults) =>
      results.map((entry) => ({ ...entry, check: copies.get(entry.check) ?? entry.check }));
    const marked = (run: UnchangedUpRun) => ({ ...run, results: resultsOf(run.results) });
    return {
      parts: {
        others: parts.others.map(resultsOf),
        unchangedUp: parts.unchangedUp.map(marked),
        unchangedLocated: parts.unchangedLocated.map(marked),
      },
      originals: new Map([...copies].map(([original, copy]) => [copy, original])),
    };
  }

  /**
   * Returns the maximum number of alerts that these results may change, by endpoint. Endpoints without alerts are
   * absent.
   */
  alertsAffected(sql: Sql, changing: readonly PendingCheck[]): Promise<Map<string, number>> {
    const idsOf = (may: (check: FinishedCheck) => boolean) =>
      changing.flatMap(({ check }) => (may(check) ? [check.endpointId] : []));
    const outcomeIs = (outcome: 'up' | 'down') => idsOf(({ result }) => result.outcome === outcome);
    return this.alerts.alertsAffected(sql, outcomeIs('down'), outcomeIs('up'), idsOf(isDegraded));
  }

  /** Returns the endpoints whose rows are locked by another session. */
  lockedOf(sql: Sql, endpointIds: readonly string[]): Promise<Set<string>> {
    return this.states.lockedByOthers(sql, endpointIds).catch(() => new Set<string>());
  }
}

const runsOf = ({ unchangedUp, unchangedLocated }: BatchParts): UnchangedUpRun[] => [
  ...unchangedUp,
  ...unchangedLocated,
];

const checksOf = (endpoints: readonly EndpointResults[]): FinishedCheck[] =>
  endpoints.flatMap((results) => results.map(({ check }) => check));
