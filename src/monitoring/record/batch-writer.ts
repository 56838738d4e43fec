import { Injectable, Logger } from '@nestjs/common';
import { HistoryBacklog } from '../../history/write/history-backlog';
import { HistoryFailure } from '../../history/write/history-part';
import { writeFailureOf } from '../../history/write/write-failure';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { failpoint } from '../../platform/observability/failpoints';
import { Clock } from '../../platform/time/clock';
import { RecentRate } from '../../platform/time/recent-rate';
import { MonitoringMetrics } from '../monitoring.metrics';
import { type BatchParts, partsOf, resultsOfEach } from './batch';
import { BatchTransaction, type Committed } from './batch-transaction';
import type { PendingCheck } from '../../engine/queue/pending-checks';
import { RefusedResults, type WrittenBatch } from './refused-results';

/**
 * Our transactions never hold a row lock this long; only a manual session or a backup does. A statement of a batch takes
 * milliseconds: one that takes much longer has too much to do, and the batch is split, or history is away.
 */
const LIMITS = { lockMs: 1000, statementMs: 5000 };
/** Runs that change nothing take rows in any order: this is shorter than what PostgreSQL takes to find a deadlock. */
const UNCHANGED_LIMITS = { lockMs: 200, statementMs: 5000 };

/**
 * Writes batches, each in one transaction: history, streaks, alert flags, events and deliveries, all or nothing. When only
 * history cannot be written, the rest is committed and history follows. For what is refused: `RefusedResults`.
 */
@Injectable()
export class BatchWriter {
  readonly refused: RefusedResults;
  /** Batches and parts that were written. */
  written = 0;
  /** Monotonic: when something was last written. */
  writtenAt = -Infinity;
  private readonly rate = new RecentRate();

  constructor(
    private readonly database: WorkerDatabase,
    private readonly contents: BatchTransaction,
    private readonly history: HistoryBacklog,
    private readonly metrics: MonitoringMetrics,
    private readonly clock: Clock,
  ) {
    this.refused = new RefusedResults(this, metrics, clock, new Logger(BatchWriter.name));
  }

  /** Results recorded per second, over the last seconds. */
  get recordedPerSecond(): number {
    return this.rate.perSecond(this.clock.monotonic());
  }

  /** A transaction without results; rejects when the database does not write. */
  async pass(): Promise<void> {
    await this.database.transaction((tx) => passThrough(tx), LIMITS);
  }

  /** How many alerts these results may change at most, by endpoint; those without any are absent. */
  alertsAffected(changing: readonly PendingCheck[]): Promise<Map<string, number>> {
    return this.contents.alertsAffected(this.database, changing);
  }

  /** Those of these endpoints whose rows another session keeps locked. */
  lockedOf(endpointIds: readonly string[]): Promise<Set<string>> {
    return this.contents.lockedOf(this.database, endpointIds);
  }

  /** Writes a batch, in parts when it is refused as a whole. */
  async write(batch: readonly PendingCheck[]): Promise<WrittenBatch> {
    try {
      const left = await this.commit(batch);
      this.refused.noteWritten();
      return { left };
    } catch (error) {
      return this.refused.writeRest(batch, error);
    }
  }

  async commitLocked(entries: readonly PendingCheck[]): Promise<void> {
    await this.commit(entries, true);
  }

  isAvailable(): Promise<boolean> {
    return this.database.query('SELECT 1').then(
      () => true,
      () => false,
    );
  }

  /** At shutdown: history that still waits, for at most `limitMs`. */
  drainHistory(limitMs: number): Promise<void> {
    return this.history.drain(limitMs);
  }

  /** Resolves to the results that are to be written again, their rows locked and read. */
  private async commit(entries: readonly PendingCheck[], locksAll = false): Promise<PendingCheck[]> {
    const began = this.clock.monotonic();
    const { recorded, missed, withHistory } = await this.commitEither(entries, locksAll);
    this.written++;
    this.writtenAt = this.clock.monotonic();
    this.rate.add(recorded.size, this.writtenAt);
    this.metrics.batch(entries.length - missed.length, recorded.size, this.writtenAt - began);
    // In their order, and without a guess: what is not as it seemed may change something.
    for (const entry of missed) entry.affectsState = true;
    const isMissed = missed.length > 0 ? new Set(missed) : null;
    for (const entry of entries) if (!isMissed?.has(entry)) this.settle(entry, recorded.has(entry.check), withHistory);
    return missed;
  }

  private settle({ check, isAwaited, resolve }: PendingCheck, isRecorded: boolean, withHistory: boolean): void {
    if (isRecorded && isAwaited && !withHistory)
      this.history.onWritten(check, (isWritten) => resolve?.(isWritten ? 'recorded' : 'dropped'));
    else resolve?.(isRecorded ? 'recorded' : 'dropped');
  }

  /** With its history, or without when only that is at fault. When neither can be written, the database is. */
  private async commitEither(entries: readonly PendingCheck[], locksAll: boolean): Promise<Committed> {
    try {
      return await this.commitOnce(entries, locksAll, false);
    } catch (error) {
      if (!(error instanceof HistoryFailure)) throw error;
      if (writeFailureOf(error.cause) === 'content') throw error.cause;
      this.history.because(error.cause);
      return this.commitOnce(entries, locksAll, true);
    }
  }

  private commitOnce(entries: readonly PendingCheck[], locksAll: boolean, withoutHistory: boolean): Promise<Committed> {
    const endpoints = resultsOfEach(entries);
    const locked: BatchParts = { unchangedUp: [], unchangedLocated: [], others: endpoints };
    const parts = locksAll ? locked : partsOf(endpoints, this.contents.isLocated);
    const mayMeet = parts.unchangedUp.length + parts.unchangedLocated.length > 0;
    let attempt = 0;
    // Another session was in the way: the next attempt takes its locks in order and waits for them.
    return this.database.transaction(
      (tx) => this.contents.write(tx, ++attempt === 1 ? parts : locked, withoutHistory),
      mayMeet ? UNCHANGED_LIMITS : LIMITS,
    );
  }
}

/** Takes a transaction number, as every batch does: a database that does not write refuses that. */
async function passThrough(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_current_xact_id()');
  await failpoint('recorder.before_commit');
}
