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

/** A batch is written when a result that somebody waits for is this old … */
const URGENT_AGE_MS = 200;
/** … or any other, at a fifth of the transactions (docs/decisions/0009-batch-age.md), or when it is this large. */
const MAX_AGE_MS = 1000;
const MAX_BATCH = 500;
/** While the database is away results wait here; beyond this the oldest are given up, which is logged and counted. */
const MAX_WAITING = 50_000;
const RETRY_MS = 1000;
/** No transaction of ours keeps a row for so long: who does is a person or a backup. */
const LOCK_WAIT_MS = 1000;

/** What became of one result: `dropped` when its endpoint is gone, paused or changed, or the slot was recorded before. */
export type Recorded = 'recorded' | 'dropped';

interface Waiting {
  check: FinishedCheck;
  /** How long it may wait before its batch is written. */
  maxAgeMs: number;
  settle?: (recorded: Recorded) => void;
}

/**
 * Collects results and writes them in one transaction per batch: history, streaks, alert flags, events and owed messages,
 * all or nothing. Batches are written one after the other, in the order in which the results came.
 */
@Injectable()
export class CheckRecorder {
  private readonly logger = new Logger(CheckRecorder.name);
  private waiting: Waiting[] = [];
  private readonly urgency = new WriteUrgency();
  private timer: NodeJS.Timeout | null = null;
  /** When the timer fires, monotonic milliseconds. */
  private flushAt = Infinity;
  /** After a refusal nothing is tried before this, unless somebody asks for a check; monotonic milliseconds. */
  private pausedUntil = 0;
  private writing: Promise<void> | null = null;
  private stopped = false;
  /** Endpoints whose rows somebody else keeps locked; their results wait here and hold nobody up. */
  private held: ReadonlySet<string> = new Set();

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

  /** Takes a result. What may change something is written within a quarter of a second, the rest within about one. */
  add(check: FinishedCheck): void {
    const isUrgent = this.urgency.isUrgent(check.endpointId, check.result.outcome);
    this.push({ check, maxAgeMs: isUrgent ? URGENT_AGE_MS : MAX_AGE_MS });
  }

  /** The same at once, and tells when it is committed. */
  record(check: FinishedCheck): Promise<Recorded> {
    return new Promise((settle) => {
      this.pausedUntil = 0;
      this.push({ check, maxAgeMs: 0, settle });
    });
  }

  /** Writes what is waiting. Resolves when everything is committed, or when `limitMs` has passed with the database away. */
  async drain(limitMs: number): Promise<void> {
    this.stopped = true;
    const until = this.clock.monotonic() + limitMs;
    while ((this.waiting.length > 0 || this.writing) && this.clock.monotonic() < until) {
      this.flush();
      await Promise.race([this.writing, new Promise((resolve) => setTimeout(resolve, 100))]);
    }
    if (this.waiting.length > 0)
      this.logger.error(`${this.waiting.length} results could not be written before the end`);
  }

  private push(entry: Waiting): void {
    this.waiting.push(entry);
    if (this.waiting.length > MAX_WAITING) {
      for (const lost of this.waiting.splice(0, this.waiting.length - MAX_WAITING)) lost.settle?.('dropped');
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

  /** Writes one batch; answers how long to wait when the database is away (the batch goes back to the head of the line). */
  private async writeOne(): Promise<number | null> {
    await this.lookAtHeld();
    const batch = this.takeBatch();
    if (batch.length === 0) return RETRY_MS;
    const checks = batch.map(({ check }) => check);
    const began = this.clock.monotonic();
    try {
      const recorded = await this.database.transaction((tx) => this.write(tx, checks), { lockMs: LOCK_WAIT_MS });
      batch.forEach(({ check, settle }) => settle?.(recorded.has(check) ? 'recorded' : 'dropped'));
      this.metrics.batch(batch.length, recorded.size, this.clock.monotonic() - began);
      return null;
    } catch (error) {
      this.waiting = [...batch, ...this.waiting];
      this.logger.warn(`${batch.length} results wait: ${error instanceof Error ? error.message : String(error)}`);
      if (isLockTimeout(error) && (await this.setAside(checks))) return 0;
      return this.stopped ? 100 : RETRY_MS;
    }
  }

  /** The oldest results, without those that are held. */
  private takeBatch(): Waiting[] {
    if (this.held.size === 0) return this.waiting.splice(0, MAX_BATCH);
    const isHeld = ({ check }: Waiting) => this.held.has(check.endpointId);
    const batch = this.waiting.filter((entry) => !isHeld(entry)).slice(0, MAX_BATCH);
    const taken = new Set(batch);
    this.waiting = this.waiting.filter((entry) => !taken.has(entry));
    return batch;
  }

  /** True when the rest of the batch can go on without the endpoints whose rows are locked. */
  private async setAside(checks: readonly FinishedCheck[]): Promise<boolean> {
    this.held = await this.stuckOf(checks.map(({ endpointId }) => endpointId));
    if (this.held.size > 0)
      this.logger.error(`Somebody keeps rows of ${this.held.size} endpoints locked; their results wait.`);
    return this.held.size > 0;
  }

  private async lookAtHeld(): Promise<void> {
    if (this.held.size > 0) this.held = await this.stuckOf([...this.held]);
  }

  private stuckOf(endpointIds: readonly string[]): Promise<Set<string>> {
    return this.states.stuck(this.database, endpointIds).catch(() => new Set<string>());
  }

  /** The checks that count, once everything that follows from them is written. */
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
