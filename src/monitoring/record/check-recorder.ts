import { Injectable, Logger } from '@nestjs/common';
import type { FinishedCheck } from '../../engine/finished-check';
import { LossLog } from '../../history/write/loss-log';
import { reasonOf, writeFailureOf } from '../../history/write/write-failure';
import { DatabaseServer } from '../../platform/database/database-server';
import { Clock } from '../../platform/time/clock';
import { MonitoringMetrics } from '../monitoring.metrics';
import { ResultSink } from '../../engine/result-sink';
import { nextBatchSize, withinWork } from './batch';
import { BatchWriter } from './batch-writer';
import { type PendingCheck, PendingChecks, type Recorded } from '../../engine/queue/pending-checks';
import type { WrittenBatch } from './refused-results';
import { WriteUrgency } from '../../engine/queue/write-urgency';

/** A batch is written as soon as its oldest urgent result is this old … */
const URGENT_AGE_MS = 200;
/**
 * … or its oldest other result is this old, or `ENOUGH` results wait. Waiting saves four fifths of the transactions
 * (docs/decisions/0009-batch-age.md).
 */
const MAX_AGE_MS = 1000;
const ENOUGH = 500;
/** The maximum size of a batch. The more results are waiting, the fewer transactions each result costs. */
const MAX_BATCH = 2000;
/** The maximum number of results in a batch that may change something, because they can cause much more work. */
const MAX_CHANGING = 500;
/**
 * Results wait here while the database is unavailable or can't keep up with the checks. Beyond this limit, the service
 * drops and counts results, several at a time. It drops the oldest results of the organization with the most results,
 * and unchanged ones first.
 */
const MAX_WAITING = 50_000;
const GIVEN_UP_AT_ONCE = 500;
const RETRY_MS = 1000;
/**
 * The maximum number of alerts that one batch may change. For each one, the transaction writes a flag, an event, and a
 * delivery.
 */
const MAX_ALERTS = 500;
/** The number of affected alerts isn't checked for batches of up to this size. An endpoint may have 50 alerts. */
const HARMLESS_BATCH = 10;
/**
 * The duration of the quickest batch is multiplied by this with each batch, so that it is forgotten after a few
 * hundred.
 */
const FORGET = 1.005;
/**
 * How long rejected results are retried between two batches. If there is no other work, they are retried continuously.
 */
const REFUSED_MS = 250;

/**
 * The roles of the batches that may run at the same time, at most one batch for each role. The first also handles the
 * work between batches: rejected results, locked endpoints, and the canary. Under load, the first and the second are
 * large and always busy. The express batch only contains endpoints where something may change, so that a failure
 * doesn't have to wait for the others.
 */
type Role = 'first' | 'second' | 'express';

/** The outcome of recording a result, with the marks that it was recorded with. */
export interface RecordedCheck {
  recorded: Recorded;
  check: FinishedCheck;
}

/**
 * Decides when and in which batches results are written. `BatchWriter` writes them. Results for one endpoint are
 * written in the order in which they arrived. Results that may change something go first, and every organization gets
 * its turn. With a database server, several batches may run at the same time, but never with the same endpoint.
 */
@Injectable()
export class CheckRecorder extends ResultSink {
  private readonly logger = new Logger(CheckRecorder.name);
  private readonly pending = new PendingChecks();
  private readonly urgency = new WriteUrgency();
  /** The embedded database has only one session, so a second batch would just wait for the first. */
  private readonly roles: readonly Role[];
  private timer: NodeJS.Timeout | null = null;
  /** When the timer fires, on the monotonic clock in milliseconds. */
  private flushAt = Infinity;
  /**
   * After a failed batch, no batch is tried before this time unless a client requests a check. Monotonic milliseconds.
   */
  private pausedUntil = 0;
  private readonly writing = new Map<Promise<void>, Role>();
  /** True if the last round failed. Only one batch runs at a time then. */
  private isFailing = false;
  private stopped = false;
  /** Endpoints whose rows are locked by another session. Their results wait, and all others are written. */
  private lockedOut: ReadonlySet<string> = new Set();
  /** Since when there has been something to write, on the monotonic clock. */
  private busySince: number | null = null;
  private mostChanging = MAX_CHANGING;
  /** The duration of the quickest recent batch. Older batches gradually count less. */
  private quickestMs = Infinity;
  /**
   * True if results were left over, because their alerts didn't fit or their rows must be read. The next batch is then
   * written immediately.
   */
  private hasLeftOver = false;
  private passing: ((passed: Promise<void>) => void)[] = [];
  private failure = '';
  private readonly losses = new LossLog(
    (line) => this.logger.error(line),
    ({ count, organizations }, why) => `${count} results of ${organizations} organizations were given up: ${why}`,
  );

  constructor(
    private readonly writer: BatchWriter,
    private readonly metrics: MonitoringMetrics,
    private readonly clock: Clock,
    server: DatabaseServer,
  ) {
    super();
    this.roles = server.isEmbedded ? ['first'] : ['first', 'second', 'express'];
  }

  /** The number of results that wait to be written. */
  get backlog(): number {
    return this.pending.size + this.writer.refused.queue.size;
  }

  get recordedPerSecond(): number {
    return this.writer.recordedPerSecond;
  }

  /** The age of the oldest result that waits to be written, in milliseconds, or 0 if none waits. */
  get lagMs(): number {
    const { oldestAt } = this.pending;
    return oldestAt === null ? 0 : this.clock.monotonic() - oldestAt;
  }

  get lost(): number {
    return this.metrics.resultsLost.total;
  }

  /** How long results have been waiting without any batch being written, in milliseconds. */
  get stalledMs(): number {
    if (this.busySince === null) return 0;
    return this.clock.monotonic() - Math.max(this.busySince, this.writer.writtenAt);
  }

  /** Resolves when a transaction without results has been committed between two batches. Rejects if it failed. */
  pass(): Promise<void> {
    return new Promise((resolve) => {
      this.passing.push(resolve);
      this.flushSoon(0);
    });
  }

  /**
   * Accepts a result. A result that may change a state is written within a quarter of a second, any other within about
   * a second.
   */
  add(check: FinishedCheck, settled?: () => void): void {
    const urgency = this.urgency.of(check);
    const maxAgeMs = urgency === 'urgent' ? URGENT_AGE_MS : MAX_AGE_MS;
    this.push({
      check,
      addedAt: this.clock.monotonic(),
      maxAgeMs,
      affectsState: urgency !== 'quiet',
      resolve: settled,
    });
  }

  /**
   * Accepts a result, like `add`. Resolves when the result and its history are committed, with the check as it was
   * recorded.
   */
  take(check: FinishedCheck): Promise<RecordedCheck> {
    return new Promise((resolve) => {
      const urgency = this.urgency.of(check);
      this.push({
        check,
        addedAt: this.clock.monotonic(),
        maxAgeMs: urgency === 'urgent' ? URGENT_AGE_MS : MAX_AGE_MS,
        affectsState: urgency !== 'quiet',
        isAwaited: true,
        resolve: (recorded, marked) => resolve({ recorded, check: marked }),
      });
    });
  }

  /** Writes a result immediately. Resolves when the result and its history are committed. */
  async record(check: FinishedCheck): Promise<Recorded> {
    return (await this.recordMarked(check)).recorded;
  }

  /** Works like `record`, and also returns the check as it was recorded. */
  recordMarked(given: FinishedCheck): Promise<RecordedCheck> {
    return new Promise((resolve) => {
      this.pausedUntil = 0;
      const entry = { addedAt: this.clock.monotonic(), maxAgeMs: 0, affectsState: true, isAwaited: true };
      this.push({ ...entry, check: given, resolve: (recorded, check) => resolve({ recorded, check }) });
    });
  }

  /**
   * Writes all waiting results. Resolves when they are committed, or after `limitMs` if the database remains
   * unavailable.
   */
  async drain(limitMs: number): Promise<void> {
    this.stopped = true;
    const until = this.clock.monotonic() + limitMs;
    while ((this.pending.size > 0 || this.writing.size > 0) && this.clock.monotonic() < until) {
      this.flush();
      await Promise.race([...this.writing.keys(), new Promise((resolve) => setTimeout(resolve, 100))]);
    }
    if (this.timer) clearTimeout(this.timer);
    this.losses.end();
    if (this.backlog > 0) this.logger.error(`Could not write ${this.backlog} results before the shutdown`);
    await this.writer.drainHistory(Math.max(0, until - this.clock.monotonic()));
  }

  private push(entry: PendingCheck): void {
    const now = entry.addedAt;
    this.busySince ??= now;
    const { queue } = this.writer.refused;
    if (queue.has(entry.check.endpointId, now)) queue.add(entry, this.writer.written);
    else this.pending.add(entry);
    if (this.backlog > MAX_WAITING) this.giveUpSome();
    this.flushSoon(this.pending.ready >= ENOUGH ? 0 : entry.maxAgeMs, now);
  }

  /** Drops rejected results first, then unchanged ones. Other results are dropped only if no other kind is waiting. */
  private giveUpSome(): void {
    const first = this.writer.refused.queue.forgetOne((entry) => !entry.affectsState || !this.pending.hasQuiet);
    const given = first ? [first] : this.pending.giveUp(GIVEN_UP_AT_ONCE);
    this.metrics.resultsLost.inc(given.length);
    const why = this.failure === '' ? 'they arrive faster than they can be recorded' : this.failure;
    this.losses.add(
      given.map(({ check }) => check.orgId),
      given.length,
      `more than ${MAX_WAITING} results are waiting: ${why}`,
    );
    for (const { check, resolve } of given) resolve?.('given_up', check);
  }

  private flushSoon(afterMs: number, now = this.clock.monotonic()): void {
    const at = Math.max(now + afterMs, this.pausedUntil);
    if (this.freeRole === null || at >= this.flushAt) return;
    if (this.timer) clearTimeout(this.timer);
    this.flushAt = at;
    this.timer = setTimeout(() => this.flush(), at - now);
  }

  /** The role of the next batch, or `null` if all roles are taken. */
  private get freeRole(): Role | null {
    const roles = this.isFailing ? this.roles.slice(0, 1) : this.roles;
    const taken = new Set(this.writing.values());
    return roles.find((role) => !taken.has(role)) ?? null;
  }

  private flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.flushAt = Infinity;
    const role = this.freeRole;
    if (role === null || !this.hasWorkFor(role)) return;
    const round = this.writeRound(role).then((pauseMs) => {
      this.writing.delete(round);
      this.scheduleNext(pauseMs);
    });
    this.writing.set(round, role);
    if (this.pending.ready >= ENOUGH) this.flushSoon(0);
  }

  /** False if every waiting result belongs to an endpoint whose earlier results are still being written. */
  private get canWrite(): boolean {
    return this.pending.ready > 0 || this.lockedOut.size > 0;
  }

  private hasWorkFor(role: Role): boolean {
    if (role === 'first') return this.canWrite || this.writer.refused.queue.size > 0 || this.passing.length > 0;
    return role === 'second' ? this.pending.ready > 0 : this.pending.changing > 0;
  }

  private scheduleNext(pauseMs: number | null): void {
    this.isFailing = pauseMs !== null;
    if (pauseMs !== null) this.pausedUntil = this.clock.monotonic() + pauseMs;
    if (this.backlog === 0 && this.writing.size === 0) this.busySince = null;
    if (this.passing.length > 0) this.flushSoon(0);
    const { queue } = this.writer.refused;
    if (queue.size > 0 && !this.stopped)
      this.flushSoon(queue.next(this.clock.monotonic(), 1).length > 0 ? 0 : RETRY_MS);
    if (this.pending.size === 0) return;
    const isDue = pauseMs !== null || this.hasLeftOver || this.pending.ready >= ENOUGH;
    this.flushSoon(isDue ? 0 : (this.pending.shortestAgeMs ?? RETRY_MS));
  }

  /**
   * Writes one batch. The first role then retries rejected results for a moment. Resolves to the delay before the next
   * batch.
   */
  private async writeRound(role: Role): Promise<number | null> {
    const pauseMs = this.canWrite ? await this.writeOne(role) : null;
    if (role !== 'first') return pauseMs;
    if (this.writer.refused.queue.size > 0)
      await this.writer.refused.retry(this.pending.size > 0 ? REFUSED_MS : RETRY_MS);
    if (this.passing.length > 0) {
      const passed = this.writer.pass();
      for (const resolve of this.passing.splice(0)) resolve(passed);
      await passed.catch(() => {});
    }
    return pauseMs;
  }

  /**
   * Writes one batch. Results that can't be written return to the front of the queue. Resolves to the delay before the
   * next batch.
   */
  private async writeOne(role: Role): Promise<number | null> {
    if (role === 'first') await this.recheckLockedOut();
    this.hasLeftOver = false;
    const taken = this.pending.take(role === 'express' ? 0 : MAX_BATCH, this.mostChanging);
    if (taken.length === 0) return null;
    const endpointIds = new Set(taken.map(({ check }) => check.endpointId));
    const { left, error } = await this.writeWithinWork(taken);
    let pauseMs: number | null = null;
    let locked: ReadonlySet<string> = new Set();
    if (error === undefined) {
      this.failure = '';
      this.hasLeftOver ||= left.length > 0;
    } else {
      this.failure = reasonOf(error);
      this.logger.warn(`${left.length} results are waiting: ${this.failure}`);
      if (writeFailureOf(error) === 'locked') locked = await this.lockOut([...endpointIds]);
      pauseMs = this.stopped ? 100 : RETRY_MS;
      if (locked.size > 0) pauseMs = 0;
    }
    this.pending.putBack(left);
    this.moveRefused(endpointIds);
    this.pending.release([...endpointIds].filter((id) => !locked.has(id)));
    return pauseMs;
  }

  /**
   * Results that would change too many alerts for one transaction return to the queue immediately, for the next batch.
   */
  private async writeWithinWork(taken: readonly PendingCheck[]): Promise<WrittenBatch> {
    let batch = taken;
    try {
      batch = await this.withinWork(taken);
      if (batch.length < taken.length) {
        const kept = new Set(batch);
        this.pending.putBack(taken.filter((entry) => !kept.has(entry)));
        this.hasLeftOver = true;
      }
      const began = this.clock.monotonic();
      const written = await this.writer.write(batch);
      if (written.error === undefined) this.adapt(batch, this.clock.monotonic() - began);
      return written;
    } catch (error) {
      return { left: batch, error };
    }
  }

  private async withinWork(batch: readonly PendingCheck[]): Promise<readonly PendingCheck[]> {
    const changing = batch.filter(({ affectsState }) => affectsState);
    if (changing.length <= HARMLESS_BATCH) return batch;
    const alerts = await this.writer.alertsAffected(changing);
    return alerts.size === 0 ? batch : withinWork(batch, alerts, MAX_ALERTS);
  }

  /** Only results that may change something can make a batch slow. */
  private adapt(batch: readonly PendingCheck[], durationMs: number): void {
    this.quickestMs = Math.min(durationMs, this.quickestMs * FORGET);
    if (batch.some(({ affectsState }) => affectsState))
      this.mostChanging = nextBatchSize(this.mostChanging, durationMs, this.quickestMs, MAX_CHANGING);
  }

  /** Later results for endpoints with rejected results wait too, so that each endpoint's results stay in order. */
  private moveRefused(endpointIds: Iterable<string>): void {
    const { refused, written } = this.writer;
    if (refused.queue.size === 0) return;
    const now = this.clock.monotonic();
    for (const id of endpointIds)
      if (refused.queue.has(id, now)) for (const entry of this.pending.extract(id)) refused.queue.add(entry, written);
  }

  /** Finds the endpoints whose rows are locked, so that the others can be written without them. */
  private async lockOut(endpointIds: readonly string[]): Promise<ReadonlySet<string>> {
    const locked = await this.writer.lockedOf(endpointIds);
    if (locked.size === 0) return locked;
    this.logger.error(`Another session keeps the rows of ${locked.size} endpoints locked; their results are waiting.`);
    this.lockedOut = new Set([...this.lockedOut, ...locked]);
    return locked;
  }

  private async recheckLockedOut(): Promise<void> {
    if (this.lockedOut.size === 0) return;
    const before = [...this.lockedOut];
    const locked = await this.writer.lockedOf(before);
    const free = before.filter((id) => !locked.has(id));
    this.lockedOut = new Set([...this.lockedOut].filter((id) => !free.includes(id)));
    this.pending.release(free);
  }
}
