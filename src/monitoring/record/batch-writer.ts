import { Injectable, Logger } from '@nestjs/common';
import { HistoryBacklog } from '../../history/write/history-backlog';
import { HistoryFailure } from '../../history/write/history-part';
import { reasonOf, type WriteFailure, writeFailureOf } from '../../history/write/write-failure';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { failpoint } from '../../platform/observability/failpoints';
import { Clock } from '../../platform/time/clock';
import { RecentRate } from '../../platform/time/recent-rate';
import { MonitoringMetrics } from '../monitoring.metrics';
import { byEndpoint, type EndpointResults, resultsOfEach, writeInParts } from './batch-split';
import { BatchTransaction, type Committed } from './batch-transaction';
import type { PendingCheck } from './pending-check';
import { unchangedUpRunsOf } from './unchanged-up-run';
import { PoisonedResults } from './poisoned-results';

/**
 * Our transactions never hold a row lock this long; only a manual session or a backup does. A statement of a batch takes
 * milliseconds: one that takes much longer has too much to do, and the batch is split, or history is away.
 */
const LIMITS = { lockMs: 1000, statementMs: 5000 };
/** Runs that change nothing take rows in any order: this is shorter than what PostgreSQL takes to find a deadlock. */
const STEADY_LIMITS = { lockMs: 200, statementMs: 5000 };
/** Results that were refused before, of those that are tried at once: what follows from them may be much. */
const MAX_SUSPECTS = 50;

/** What became of a batch. */
export interface WrittenBatch {
  /** Results that are to be written again, in their order. */
  left: readonly PendingCheck[];
  /** Why the batch was not written; `undefined` when it was. */
  error?: unknown;
}

/**
 * Writes batches, each in one transaction: history, streaks, alert flags, events and deliveries, all or nothing. When only
 * history cannot be written, the rest is committed and history follows. A batch that is refused is written in parts, so
 * that a result that cannot be written costs its own endpoint that result and nobody else anything.
 */
@Injectable()
export class BatchWriter {
  private readonly logger = new Logger(BatchWriter.name);
  readonly poisoned = new PoisonedResults();
  /** Batches in a row that failed although the database is available. */
  private refusedInARow = 0;
  /** Batches and parts that were written. */
  written = 0;
  /** Monotonic: when something was last written. */
  writtenAt = -Infinity;
  private lastRefusal = '';
  /** Endpoints whose refused results are in the log. */
  private readonly reported = new BoundedMap<string, true>(10_000);
  private readonly rate = new RecentRate();

  constructor(
    private readonly database: WorkerDatabase,
    private readonly contents: BatchTransaction,
    private readonly history: HistoryBacklog,
    private readonly metrics: MonitoringMetrics,
    private readonly clock: Clock,
  ) {}

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

  /** Writes a batch, in parts when it is refused as a whole. What no part could be written with counts as poisoned. */
  async write(batch: readonly PendingCheck[]): Promise<WrittenBatch> {
    try {
      const left = await this.commit(batch);
      this.refusedInARow = 0;
      return { left };
    } catch (error) {
      return (await this.isRefused(error)) ? this.split(batch, error) : { left: batch, error };
    }
  }

  /**
   * Tries what was refused before, for at most `limitMs`: one result, and more at once as long as they are written, as they are
   * when the database itself was at fault. Of several that are refused each is tried alone.
   */
  async retryPoisoned(limitMs: number): Promise<void> {
    const began = this.clock.monotonic();
    const givenUp: string[] = [];
    let entries = this.poisoned.next(began, 1);
    while (entries.length > 0) {
      try {
        const failure = await this.tryCommit(entries);
        const size = failure === null ? Math.min(2 * entries.length, MAX_SUSPECTS) : 1;
        const [first, ...others] = entries;
        if (failure === null) for (const entry of entries) this.poisoned.written(entry);
        else if (first && others.length === 0 && this.refused(first, failure)) givenUp.push(first.check.endpointId);
        entries = this.poisoned.next(began, size);
      } catch (error) {
        this.logger.warn(`${this.poisoned.size} refused results wait: ${reasonOf(error)}`);
        break;
      }
      if (this.clock.monotonic() - began > limitMs) break;
    }
    if (givenUp.length > 0) this.reportGivenUp(givenUp);
  }

  /** At shutdown: history that still waits, for at most `limitMs`. */
  drainHistory(limitMs: number): Promise<void> {
    return this.history.drain(limitMs);
  }

  /** True when the result is given up. */
  private refused(entry: PendingCheck, failure: WriteFailure): boolean {
    const isGivenUp = this.poisoned.refused(entry, failure, this.written, this.clock.monotonic());
    if (isGivenUp) entry.resolve?.('dropped');
    return isGivenUp;
  }

  private reportGivenUp(endpointIds: readonly string[]): void {
    this.metrics.resultsParked.inc(endpointIds.length);
    const unreported = [...new Set(endpointIds)].filter((id) => !this.reported.get(id));
    for (const id of unreported) this.reported.set(id, true);
    if (unreported.length > 0)
      this.logger.error(
        `Results of ${unreported.length} endpoints were given up, the database refuses them (${unreported.slice(0, 5).join(' ')}): ${this.lastRefusal}`,
      );
  }

  /** Whether the batch failed because of what is in it. What is unclear is believed the second time. */
  private async isRefused(error: unknown): Promise<boolean> {
    const failure = writeFailureOf(error);
    if (failure === 'content') return true;
    if (failure !== 'unclear' || ++this.refusedInARow < 2) return false;
    return this.database.query('SELECT 1').then(
      () => true,
      () => false,
    );
  }

  private async split(batch: readonly PendingCheck[], error: unknown): Promise<WrittenBatch> {
    this.logger.warn(`${batch.length} results are written in parts: ${reasonOf(error)}`);
    const open = new Set(batch);
    const written = this.written;
    const write = async (part: readonly EndpointResults[]): Promise<boolean> => {
      const entries = part.flat();
      const failure = await this.tryCommit(entries);
      if (failure === null) for (const entry of entries) open.delete(entry);
      return failure === null;
    };
    try {
      const { poisoned } = await writeInParts(byEndpoint(batch), write);
      for (const entry of poisoned.flat()) this.poisoned.add(entry, written);
      return { left: [] };
    } catch (failed) {
      return { left: batch.filter((entry) => open.has(entry)), error: failed };
    }
  }

  /** `null` when the part was committed. Throws when the database is away or rows are locked: nobody's fault here. */
  private async tryCommit(entries: readonly PendingCheck[]): Promise<WriteFailure | null> {
    try {
      await this.commit(entries, true);
      return null;
    } catch (error) {
      const failure = writeFailureOf(error);
      if (failure === 'away' || failure === 'locked') throw error;
      this.lastRefusal = reasonOf(error);
      return failure;
    }
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
    const { unchangedUp, others } = locksAll ? { unchangedUp: [], others: endpoints } : unchangedUpRunsOf(endpoints);
    if (unchangedUp.length === 0)
      return this.database.transaction((tx) => this.contents.write(tx, endpoints, [], withoutHistory), LIMITS);
    let attempt = 0;
    // Another session was in the way: the next attempt takes its locks in order and waits for them.
    const write = (tx: Tx) =>
      ++attempt === 1
        ? this.contents.write(tx, others, unchangedUp, withoutHistory)
        : this.contents.write(tx, endpoints, [], withoutHistory);
    return this.database.transaction(write, STEADY_LIMITS);
  }
}

/** Takes a transaction number, as every batch does: a database that does not write refuses that. */
async function passThrough(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_current_xact_id()');
  await failpoint('recorder.before_commit');
}
