import { Injectable, Logger } from '@nestjs/common';
import { AlertEvaluator } from '../../alert/incident/alert-evaluator';
import { HistoryWriter } from '../../history/write/history-writer';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { isLockTimeout } from '../../platform/database/postgres-errors';
import { failpoint } from '../../platform/observability/failpoints';
import { Clock } from '../../platform/time/clock';
import type { FinishedCheck } from '../../endpoint/finished-check';
import { foldBatch, outagesOf, streakUpdatesOf } from './check-batch';
import { EndpointStateStore } from './endpoint-state-store';
import { MonitoringMetrics } from '../monitoring.metrics';
import { WriteUrgency } from './write-urgency';

/** A batch is written when its oldest urgent result is this old … */
const URGENT_AGE_MS = 200;
/** … or its oldest other result, at a fifth of the transactions (docs/decisions/0009-batch-age.md), or when it is full. */
const MAX_AGE_MS = 1000;
const MAX_BATCH = 500;
/** Results wait here while the database is unavailable; beyond this many the oldest are given up, which is counted. */
const MAX_WAITING = 50_000;
const RETRY_MS = 1000;
/** Our transactions never hold a row lock this long; only a manual session or a backup does. */
const LOCK_WAIT_MS = 1000;

/** `dropped`: the endpoint is deleted, paused or changed by now, or the slot was recorded before. */
export type Recorded = 'recorded' | 'dropped';

interface Pending {
  check: FinishedCheck;
  /** How long it may wait before its batch is written. */
  maxAgeMs: number;
  resolve?: (recorded: Recorded) => void;
}

/**
 * Decides when results are written, and writes them in one transaction per batch: history, streaks, alert flags, events
 * and deliveries, all or nothing. One batch at a time, in the order in which the results came.
 */
@Injectable()
export class CheckRecorder {
  private readonly logger = new Logger(CheckRecorder.name);
  private waiting: Pending[] = [];
  private readonly urgency = new WriteUrgency();
  private timer: NodeJS.Timeout | null = null;
  /** When the timer fires, monotonic milliseconds. */
  private flushAt = Infinity;
  /** After a failed batch nothing is tried before this, unless a client asks for a check; monotonic milliseconds. */
  private pausedUntil = 0;
  private writing: Promise<void> | null = null;
  private stopped = false;
  /** Endpoints whose rows another session keeps locked: their results wait, those of all others are written. */
  private lockedOut: ReadonlySet<string> = new Set();

  constructor(
    private readonly database: WorkerDatabase,
    private readonly states: EndpointStateStore,
    private readonly history: HistoryWriter,
    private readonly alerts: AlertEvaluator,
    private readonly metrics: MonitoringMetrics,
    private readonly clock: Clock,
  ) {}

  /** Results that wait to be written. */
  get backlog(): number {
    return this.waiting.length;
  }

  /** Takes a result. One that may change a state is written within a quarter of a second, any other within about one. */
  add(check: FinishedCheck): void {
    const isUrgent = this.urgency.isUrgent(check.endpointId, check.result.outcome);
    this.push({ check, maxAgeMs: isUrgent ? URGENT_AGE_MS : MAX_AGE_MS });
  }

  /** The same at once; resolves when it is committed. */
  record(check: FinishedCheck): Promise<Recorded> {
    return new Promise((resolve) => {
      this.pausedUntil = 0;
      this.push({ check, maxAgeMs: 0, resolve });
    });
  }

  /** Writes what is waiting. Resolves when all is committed, or after `limitMs` when the database stays unavailable. */
  async drain(limitMs: number): Promise<void> {
    this.stopped = true;
    const until = this.clock.monotonic() + limitMs;
    while ((this.waiting.length > 0 || this.writing) && this.clock.monotonic() < until) {
      this.flush();
      await Promise.race([this.writing, new Promise((resolve) => setTimeout(resolve, 100))]);
    }
    if (this.waiting.length > 0)
      this.logger.error(`${this.waiting.length} results could not be written before the shutdown`);
  }

  private push(entry: Pending): void {
    this.waiting.push(entry);
    if (this.waiting.length > MAX_WAITING) {
      for (const lost of this.waiting.splice(0, this.waiting.length - MAX_WAITING)) lost.resolve?.('dropped');
      this.metrics.resultsLost.inc();
    }
    this.flushSoon(this.waiting.length >= MAX_BATCH ? 0 : entry.maxAgeMs);
  }

  private flushSoon(afterMs: number): void {
    const now = this.clock.monotonic();
    const at = Math.max(now + afterMs, this.pausedUntil);
    if (this.writing || at >= this.flushAt) return;
    if (this.timer) clearTimeout(this.timer);
    this.flushAt = at;
    this.timer = setTimeout(() => this.flush(), at - now);
  }

  private flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.flushAt = Infinity;
    if (this.writing || this.waiting.length === 0) return;
    this.writing = this.writeOne().then((pauseMs) => {
      this.writing = null;
      if (pauseMs !== null) this.pausedUntil = this.clock.monotonic() + pauseMs;
      if (this.waiting.length === 0) return;
      const isDue = pauseMs !== null || this.waiting.length >= MAX_BATCH;
      this.flushSoon(isDue ? 0 : Math.min(...this.waiting.map(({ maxAgeMs }) => maxAgeMs)));
    });
  }

  /** Writes one batch. When that fails, the batch returns to the front of the queue; resolves to the pause before the next. */
  private async writeOne(): Promise<number | null> {
    await this.recheckLockedOut();
    const batch = this.takeBatch();
    if (batch.length === 0) return RETRY_MS;
    const checks = batch.map(({ check }) => check);
    const began = this.clock.monotonic();
    try {
      const recorded = await this.database.transaction((tx) => this.write(tx, checks), { lockMs: LOCK_WAIT_MS });
      batch.forEach(({ check, resolve }) => resolve?.(recorded.has(check) ? 'recorded' : 'dropped'));
      this.metrics.batch(batch.length, recorded.size, this.clock.monotonic() - began);
      return null;
    } catch (error) {
      this.waiting = [...batch, ...this.waiting];
      this.logger.warn(`${batch.length} results wait: ${error instanceof Error ? error.message : String(error)}`);
      if (isLockTimeout(error) && (await this.lockOut(checks))) return 0;
      return this.stopped ? 100 : RETRY_MS;
    }
  }

  /** The oldest results, without those of locked endpoints. */
  private takeBatch(): Pending[] {
    if (this.lockedOut.size === 0) return this.waiting.splice(0, MAX_BATCH);
    const isWritable = ({ check }: Pending) => !this.lockedOut.has(check.endpointId);
    const batch = this.waiting.filter(isWritable).slice(0, MAX_BATCH);
    const taken = new Set(batch);
    this.waiting = this.waiting.filter((entry) => !taken.has(entry));
    return batch;
  }

  /** Finds the endpoints whose rows are locked. True when there are some: the rest of the batch can be written without them. */
  private async lockOut(checks: readonly FinishedCheck[]): Promise<boolean> {
    this.lockedOut = await this.lockedOf(checks.map(({ endpointId }) => endpointId));
    const count = this.lockedOut.size;
    if (count > 0)
      this.logger.error(`Another session keeps the rows of ${count} endpoints locked; their results wait.`);
    return count > 0;
  }

  private async recheckLockedOut(): Promise<void> {
    if (this.lockedOut.size > 0) this.lockedOut = await this.lockedOf([...this.lockedOut]);
  }

  private lockedOf(endpointIds: readonly string[]): Promise<Set<string>> {
    return this.states.lockedByOthers(this.database, endpointIds).catch(() => new Set<string>());
  }

  /** Writes everything that follows from these checks; returns those that count. */
  private async write(tx: Tx, checks: readonly FinishedCheck[]): Promise<Set<FinishedCheck>> {
    const states = await this.states.lock(tx, checks);
    const folded = foldBatch(states, checks);
    const recorded = [...folded.values()].flatMap((list) => list.map(({ check }) => check));
    if (recorded.length === 0) return new Set();
    await this.states.save(tx, folded);
    await this.history.write(tx, recorded);
    const { opened, closed } = outagesOf(states, folded);
    await this.history.outages(tx, opened, closed);
    await this.alerts.evaluate(tx, streakUpdatesOf(folded));
    await failpoint('recorder.before_commit');
    return new Set(recorded);
  }
}
