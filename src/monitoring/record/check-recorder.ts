import { Injectable, Logger } from '@nestjs/common';
import { AlertEvaluator } from '../../alert/incident/alert-evaluator';
import { HistoryWriter } from '../../history/write/history-writer';
import { type TransactionLimits, type Tx, WorkerDatabase } from '../../platform/database/database';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { failpoint } from '../../platform/observability/failpoints';
import { Clock } from '../../platform/time/clock';
import type { Outcome } from '../../checker/checker';
import type { FinishedCheck } from '../../endpoint/finished-check';
import { byEndpoint, type EndpointResults, writeInParts } from './batch-split';
import { foldBatch, outagesOf, streakUpdatesOf } from './check-batch';
import { EndpointStateStore } from './endpoint-state-store';
import { fairBatch, nextBatchSize, oldestOfLargest, withinWork } from './fair-batch';
import { MonitoringMetrics } from '../monitoring.metrics';
import type { PendingCheck, Recorded } from './pending-check';
import { Suspects } from './suspects';
import { type WriteFailure, writeFailureOf } from './write-failure';
import { WriteUrgency } from './write-urgency';

/** A batch is written when its oldest urgent result is this old … */
const URGENT_AGE_MS = 200;
/** … or its oldest other result, at a fifth of the transactions (docs/decisions/0009-batch-age.md), or when it is full. */
const MAX_AGE_MS = 1000;
const MAX_BATCH = 500;
/**
 * Results wait here while the database is unavailable; beyond this many the oldest of the organization that has most are
 * given up, some at a time, which is counted.
 */
const MAX_WAITING = 50_000;
const GIVEN_UP_AT_ONCE = 500;
const RETRY_MS = 1000;
/** Alerts that one batch may change: flag, event and delivery of each are written in its transaction. */
const MAX_ALERTS = 500;
/** A batch of this many results is not looked at before: an endpoint may have 50 alerts. */
const HARMLESS_BATCH = 10;
/** What the duration of the quickest batch is multiplied by at each further one: forgotten after a few hundred. */
const FORGET = 1.005;
/**
 * Our transactions never hold a row lock this long; only a manual session or a backup does. A statement of a batch takes
 * milliseconds: one that takes much longer has too much to do, and the batch is split.
 */
const LIMITS = { lockMs: 1000, statementMs: 15_000 };
const PART_LIMITS = { lockMs: 1000, statementMs: 5000 };
/** How long results that were refused before are tried between two batches; all the time when there is no other work. */
const SUSPECTS_MS = 250;
/** A message of the database is logged this far. */
const MAX_MESSAGE = 300;

/**
 * Decides when results are written, and writes them in one transaction per batch: history, streaks, alert flags, events
 * and deliveries, all or nothing. One batch at a time, in the order in which the results came. A batch that is refused is
 * written in parts, so that a result that cannot be written costs its own endpoint that result and nobody else anything.
 */
@Injectable()
export class CheckRecorder {
  private readonly logger = new Logger(CheckRecorder.name);
  private waiting: PendingCheck[] = [];
  private readonly suspects = new Suspects();
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
  /** Batches in a row that failed although the database is available. */
  private refusedInARow = 0;
  /** Batches and parts that were written. */
  private written = 0;
  /** Monotonic: when something was last written, and since when there is something to write. */
  private writtenAt = -Infinity;
  private busySince: number | null = null;
  private batchSize = MAX_BATCH;
  /** Of the last batches; an old one counts for less and less. */
  private quickestMs = Infinity;
  /** Results were left over for lack of room for their alerts: the next batch is written at once. */
  private hasLeftOver = false;
  private lastRefusal = '';
  /** Endpoints whose refused results are in the log. */
  private readonly reported = new BoundedMap<string, true>(10_000);
  private passing: ((passed: Promise<void>) => void)[] = [];

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
    return this.waiting.length + this.suspects.size;
  }

  /** Milliseconds for which results have waited while none at all could be written. */
  get stalledMs(): number {
    if (this.busySince === null) return 0;
    return this.clock.monotonic() - Math.max(this.busySince, this.writtenAt);
  }

  /** Resolves when a transaction without results was committed in its turn between two batches; rejects when it failed. */
  pass(): Promise<void> {
    return new Promise((resolve) => {
      this.passing.push(resolve);
      this.flushSoon(0);
    });
  }

  /** Takes a result. One that may change a state is written within a quarter of a second, any other within about one. */
  add(check: FinishedCheck): void {
    const urgency = this.urgency.of(check.endpointId, check.result.outcome);
    const maxAgeMs = urgency === 'urgent' ? URGENT_AGE_MS : MAX_AGE_MS;
    this.push({ check, maxAgeMs, mayChange: urgency !== 'quiet' });
  }

  /** The same at once; resolves when it is committed. */
  record(check: FinishedCheck): Promise<Recorded> {
    return new Promise((resolve) => {
      this.pausedUntil = 0;
      this.push({ check, maxAgeMs: 0, mayChange: true, resolve });
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
    if (this.timer) clearTimeout(this.timer);
    if (this.backlog > 0) this.logger.error(`${this.backlog} results could not be written before the shutdown`);
  }

  private push(entry: PendingCheck): void {
    const now = this.clock.monotonic();
    this.busySince ??= now;
    if (this.suspects.has(entry.check.endpointId, now)) this.suspects.add(entry, this.written);
    else this.waiting.push(entry);
    if (this.backlog > MAX_WAITING) this.giveUpSome();
    this.flushSoon(this.waiting.length >= MAX_BATCH ? 0 : entry.maxAgeMs, now);
  }

  private giveUpSome(): void {
    this.metrics.resultsLost.inc();
    const suspect = this.suspects.forgetOne();
    if (suspect) return suspect.resolve?.('dropped');
    const lost = new Set(oldestOfLargest(this.waiting, GIVEN_UP_AT_ONCE));
    for (const { resolve } of lost) resolve?.('dropped');
    this.waiting = this.waiting.filter((entry) => !lost.has(entry));
  }

  private flushSoon(afterMs: number, now = this.clock.monotonic()): void {
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
    if (this.writing || (this.backlog === 0 && this.passing.length === 0)) return;
    this.writing = this.writeRound().then((pauseMs) => {
      this.writing = null;
      if (pauseMs !== null) this.pausedUntil = this.clock.monotonic() + pauseMs;
      if (this.backlog === 0) this.busySince = null;
      if (this.passing.length > 0) this.flushSoon(0);
      if (this.suspects.size > 0 && !this.stopped)
        this.flushSoon(this.suspects.next(this.clock.monotonic()) ? 0 : RETRY_MS);
      if (this.waiting.length === 0) return;
      const isDue = pauseMs !== null || this.hasLeftOver || this.waiting.length >= this.batchSize;
      this.flushSoon(isDue ? 0 : Math.min(...this.waiting.map(({ maxAgeMs }) => maxAgeMs)));
    });
  }

  /** One batch, then for a moment what was refused before. Resolves to the pause before the next round. */
  private async writeRound(): Promise<number | null> {
    const pauseMs = this.waiting.length > 0 ? await this.writeOne() : null;
    if (this.suspects.size > 0) await this.retrySuspects();
    if (this.passing.length > 0) {
      const passed = this.database.transaction((tx) => passThrough(tx), LIMITS);
      for (const resolve of this.passing.splice(0)) resolve(passed);
      await passed.catch(() => {});
    }
    return pauseMs;
  }

  /** Writes one batch, in parts when it is refused as a whole. Otherwise it returns to the front of the queue. */
  private async writeOne(): Promise<number | null> {
    await this.recheckLockedOut();
    this.hasLeftOver = false;
    let batch = this.takeBatch();
    if (batch.length === 0) return RETRY_MS;
    try {
      batch = await this.withinWork(batch);
      const began = this.clock.monotonic();
      await this.commit(batch, LIMITS);
      const durationMs = this.clock.monotonic() - began;
      this.quickestMs = Math.min(durationMs, this.quickestMs * FORGET);
      this.batchSize = nextBatchSize(this.batchSize, durationMs, this.quickestMs, MAX_BATCH);
      this.refusedInARow = 0;
      return null;
    } catch (error) {
      const isRefused = await this.isRefused(error);
      if (isRefused) return this.split(batch, error);
      return this.putBack(batch, error);
    }
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

  /** The results that no part could be written with are tried alone from now on, apart from the others. */
  private async split(batch: readonly PendingCheck[], error: unknown): Promise<number | null> {
    this.logger.warn(`${batch.length} results are written in parts: ${messageOf(error)}`);
    const open = new Set(batch);
    const written = this.written;
    const write = async (part: readonly EndpointResults[]): Promise<boolean> => {
      const entries = part.flat();
      const failure = await this.tryCommit(entries);
      if (failure === null) for (const entry of entries) open.delete(entry);
      return failure === null;
    };
    try {
      const { suspects } = await writeInParts(byEndpoint(batch), write);
      for (const entry of suspects.flat()) this.suspects.add(entry, written);
      this.moveSuspects();
      return null;
    } catch (failed) {
      return this.putBack(
        batch.filter((entry) => open.has(entry)),
        failed,
      );
    }
  }

  /** `null` when the part was committed. Throws when the database is away or rows are locked: nobody's fault here. */
  private async tryCommit(entries: readonly PendingCheck[]): Promise<WriteFailure | null> {
    try {
      await this.commit(entries, PART_LIMITS);
      return null;
    } catch (error) {
      const failure = writeFailureOf(error);
      if (failure === 'away' || failure === 'locked') throw error;
      this.lastRefusal = messageOf(error);
      return failure;
    }
  }

  /** Later results of the suspects wait with them: the results of one endpoint keep their order. */
  private moveSuspects(): void {
    const now = this.clock.monotonic();
    const isSuspect = ({ check }: PendingCheck) => this.suspects.has(check.endpointId, now);
    const moved = this.waiting.filter(isSuspect);
    if (moved.length === 0) return;
    this.waiting = this.waiting.filter((entry) => !isSuspect(entry));
    for (const entry of moved) this.suspects.add(entry, this.written);
  }

  /** One by one, for a bounded time. */
  private async retrySuspects(): Promise<void> {
    const began = this.clock.monotonic();
    const givenUp: string[] = [];
    for (let entry = this.suspects.next(began); entry; entry = this.suspects.next(began)) {
      try {
        const failure = await this.tryCommit([entry]);
        if (failure === null) this.suspects.written(entry);
        else if (this.suspects.refused(entry, failure, this.written, this.clock.monotonic())) {
          entry.resolve?.('dropped');
          givenUp.push(entry.check.endpointId);
        }
      } catch (error) {
        this.logger.warn(`${this.suspects.size} refused results wait: ${messageOf(error)}`);
        break;
      }
      if (this.clock.monotonic() - began > (this.waiting.length > 0 ? SUSPECTS_MS : RETRY_MS)) break;
    }
    if (givenUp.length === 0) return;
    this.metrics.resultsParked.inc(givenUp.length);
    const unreported = [...new Set(givenUp)].filter((id) => !this.reported.get(id));
    for (const id of unreported) this.reported.set(id, true);
    if (unreported.length > 0)
      this.logger.error(
        `Results of ${unreported.length} endpoints were given up, the database refuses them (${unreported.slice(0, 5).join(' ')}): ${this.lastRefusal}`,
      );
  }

  private async commit(entries: readonly PendingCheck[], limits: TransactionLimits): Promise<void> {
    const checks = entries.map(({ check }) => check);
    const began = this.clock.monotonic();
    const recorded = await this.database.transaction((tx) => this.write(tx, checks), limits);
    this.written++;
    this.writtenAt = this.clock.monotonic();
    entries.forEach(({ check, resolve }) => resolve?.(recorded.has(check) ? 'recorded' : 'dropped'));
    this.metrics.batch(entries.length, recorded.size, this.writtenAt - began);
  }

  /** Returns results to the front of the queue; resolves to the pause before the next batch. */
  private async putBack(batch: readonly PendingCheck[], error: unknown): Promise<number> {
    this.waiting = [...batch, ...this.waiting];
    this.logger.warn(`${batch.length} results wait: ${messageOf(error)}`);
    const isLocked = writeFailureOf(error) === 'locked';
    if (isLocked && (await this.lockOut(batch.map(({ check }) => check)))) return 0;
    return this.stopped ? 100 : RETRY_MS;
  }

  /** The oldest results of each organization, without those of locked endpoints. */
  private takeBatch(): PendingCheck[] {
    if (this.lockedOut.size === 0 && this.waiting.length <= this.batchSize) return this.waiting.splice(0);
    const isWritable = ({ check }: PendingCheck) => !this.lockedOut.has(check.endpointId);
    const batch = fairBatch(this.lockedOut.size === 0 ? this.waiting : this.waiting.filter(isWritable), this.batchSize);
    const taken = new Set(batch);
    this.waiting = this.waiting.filter((entry) => !taken.has(entry));
    return batch;
  }

  /** What changes too many alerts for one transaction returns to the front of the queue, for the next batch. */
  private async withinWork(batch: PendingCheck[]): Promise<PendingCheck[]> {
    const changing = batch.filter(({ mayChange }) => mayChange);
    if (changing.length <= HARMLESS_BATCH) return batch;
    const idsOf = (outcome: Outcome) =>
      changing.flatMap(({ check }) => (check.result.outcome === outcome ? [check.endpointId] : []));
    const alerts = await this.alerts.atStake(this.database, idsOf('down'), idsOf('up'));
    if (alerts.size === 0) return batch;
    const kept = withinWork(batch, alerts, MAX_ALERTS);
    this.hasLeftOver = kept.length < batch.length;
    if (!this.hasLeftOver) return batch;
    const isKept = new Set(kept);
    this.waiting = [...batch.filter((entry) => !isKept.has(entry)), ...this.waiting];
    return kept;
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

/** Takes a transaction number, as every batch does: a database that does not write refuses that. */
async function passThrough(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_current_xact_id()');
  await failpoint('recorder.before_commit');
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, MAX_MESSAGE);
