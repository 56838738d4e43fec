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
import type { FinishedCheck } from '../../engine/finished-check';
import type { PendingCheck } from '../../engine/queue/pending-checks';
import { RefusedResults, type WrittenBatch } from './refused-results';

/**
 * The service's transactions never hold a row lock this long. Only a manual session or a backup does. A batch statement
 * takes milliseconds. If one takes much longer, either it has too much work and the batch is split, or history is
 * unavailable.
 */
const LIMITS = { lockMs: 1000, statementMs: 5000 };
/**
 * Unchanged runs lock rows in any order. The lock timeout is shorter than the time that PostgreSQL takes to detect a
 * deadlock.
 */
const UNCHANGED_LIMITS = { lockMs: 200, statementMs: 5000 };

/**
 * Writes batches, each in one transaction: history, streaks, alert flags, events, and deliveries, all or nothing. If
 * only history can't be written, the rest is committed and history follows later. `RefusedResults` handles results that
 * the database rejects.
 */
@Injectable()
export class BatchWriter {
  readonly refused: RefusedResults;
  /** The number of batches and partial batches written so far. */
  written = 0;
  /** When the last batch was written, on the monotonic clock. */
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

  /** The number of results recorded per second, averaged over the last few seconds. */
  get recordedPerSecond(): number {
    return this.rate.perSecond(this.clock.monotonic());
  }

  /** Commits a transaction without results. Rejects if the database can't write. */
  async pass(): Promise<void> {
    await this.database.transaction((tx) => passThrough(tx), LIMITS);
  }

  alertsAffected(changing: readonly PendingCheck[]): Promise<Map<string, number>> {
    return this.contents.alertsAffected(this.database, changing);
  }

  lockedOf(endpointIds: readonly string[]): Promise<Set<string>> {
    return this.contents.lockedOf(this.database, endpointIds);
  }

  /** Writes a batch. If the database rejects it as a whole, writes it in parts. */
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

  /** Writes pending history at shutdown, for at most `limitMs`. */
  drainHistory(limitMs: number): Promise<void> {
    return this.history.drain(limitMs);
  }

  /** Resolves to the results that have to be written again, this time with their rows locked and read. */
  private async commit(entries: readonly PendingCheck[], locksAll = false): Promise<PendingCheck[]> {
    const began = this.clock.monotonic();
    const { recorded, missed, withHistory } = await this.commitEither(entries, locksAll);
    this.written++;
    this.writtenAt = this.clock.monotonic();
    this.rate.add(recorded.size, this.writtenAt);
    this.metrics.batch(entries.length - missed.length, recorded.size, this.writtenAt - began);
    // These are written in order and without a guess, because a row that isn't as expected may change something.
    for (const entry of missed) entry.affectsState = true;
    const isMissed = missed.length > 0 ? new Set(missed) : null;
    for (const entry of entries) if (!isMissed?.has(entry)) this.settle(entry, recorded.get(entry.check), withHistory);
    return missed;
  }

  private settle(
    { check, isAwaited, resolve }: PendingCheck,
    recorded: FinishedCheck | undefined,
    withHistory: boolean,
  ): void {
    if (recorded && isAwaited && !withHistory)
      this.history.onWritten(recorded, (isWritten) => resolve?.(isWritten ? 'recorded' : 'dropped', recorded));
    else resolve?.(recorded ? 'recorded' : 'dropped', recorded ?? check);
  }

  /**
   * Writes with history, or without it if only history fails. If neither can be written, the database itself has a
   * problem.
   */
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
    // Another session interfered. The next attempt acquires its locks in order and waits for them.
    return this.database.transaction(
      (tx) => this.contents.write(tx, ++attempt === 1 ? parts : locked, withoutHistory),
      mayMeet ? UNCHANGED_LIMITS : LIMITS,
    );
  }
}

/** Assigns a transaction ID, as every batch does. A database that can't write rejects that. */
async function passThrough(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_current_xact_id()');
  await failpoint('recorder.before_commit');
}
