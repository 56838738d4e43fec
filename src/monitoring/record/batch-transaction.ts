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
  recorded: Set<FinishedCheck>;
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

  async write(
    tx: Tx,
    { others, unchangedUp, unchangedLocated }: BatchParts,
    withoutHistory: boolean,
  ): Promise<Committed> {
    const checks = checksOf(others);
    const runs = [...unchangedUp, ...unchangedLocated];
    await this.mark(tx, [...checks, ...checksOf(runs.map(({ results }) => results))]);
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
    const recorded = [
      ...[...folded.values()].flatMap((list) => list.map(({ check }) => check)),
      ...checksOf(saved.map(({ results }) => results)),
    ];
    const part = { checks: recorded, ...outagesOf(states, folded) };
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
    if (recorded.length > 0) await failpoint('recorder.before_commit');
    return {
      recorded: new Set(recorded),
      missed: runs.filter(isMissed).flatMap(({ results }) => results),
      withHistory,
    };
  }

  /** This is decided again in each attempt, so that a retried transaction uses the current maintenance windows. */
  private async mark(tx: Tx, checks: readonly FinishedCheck[]): Promise<void> {
    const marks = await this.maintenance.marks(tx, checks);
    checks.forEach((check, index) => Object.assign(check, marks[index]));
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

const checksOf = (endpoints: readonly EndpointResults[]): FinishedCheck[] =>
  endpoints.flatMap((results) => results.map(({ check }) => check));
