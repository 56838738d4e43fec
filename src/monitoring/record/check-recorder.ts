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

/** A batch is written when its oldest urgent result is this old … */
const URGENT_AGE_MS = 200;
/** … or its oldest other result, at a fifth of the transactions (docs/decisions/0009-batch-age.md), or when this many wait. */
const MAX_AGE_MS = 1000;
const ENOUGH = 500;
/** A batch takes what waits up to this: the more wait, the fewer transactions each result costs. */
const MAX_BATCH = 2000;
/** Of it, results of endpoints where one may change something: what follows from them may be much. */
const MAX_CHANGING = 500;
/**
 * Results wait here while the database is unavailable or slower than the checks; beyond this many the oldest of the
 * organization that has most are given up, those that change nothing first, some at a time, which is counted.
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
/** How long results that were refused before are tried between two batches; all the time when there is no other work. */
const REFUSED_MS = 250;

/**
 * The batches that may be under way, one of each. The first also has what comes between batches: refused results, locked
 * endpoints, the canary. Under load it and the second are large and always busy; the express one has only endpoints where
 * something may change, so a failure need not wait for either.
 */
type Role = 'first' | 'second' | 'express';

/**
 * Decides when results are written and which together; `BatchWriter` writes them. The results of one endpoint are written
 * in the order in which they came. Those that may change something go before the others, and every organization gets its
 * turn. On a server several batches may be under way, never with the same endpoint.
 */
@Injectable()
export class CheckRecorder extends ResultSink {
  private readonly logger = new Logger(CheckRecorder.name);
  private readonly pending = new PendingChecks();
  private readonly urgency = new WriteUrgency();
  /** The embedded database has one session: a second batch would only wait for the first. */
  private readonly roles: readonly Role[];
  private timer: NodeJS.Timeout | null = null;
  /** When the timer fires, monotonic milliseconds. */
  private flushAt = Infinity;
  /** After a failed batch nothing is tried before this, unless a client asks for a check; monotonic milliseconds. */
  private pausedUntil = 0;
  private readonly writing = new Map<Promise<void>, Role>();
  /** The newest round did not succeed: one batch at a time. */
  private isFailing = false;
  private stopped = false;
  /** Endpoints whose rows another session keeps locked: their results wait, those of all others are written. */
  private lockedOut: ReadonlySet<string> = new Set();
  /** Monotonic: since when there is something to write. */
  private busySince: number | null = null;
  private mostChanging = MAX_CHANGING;
  /** Of the last batches; an old one counts for less and less. */
  private quickestMs = Infinity;
  /** Results were left over, for lack of room for their alerts or to be looked at again: the next batch is written at once. */
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

  /** Results that wait to be written. */
  get backlog(): number {
    return this.pending.size + this.writer.refused.queue.size;
  }

  /** Results recorded per second, over the last seconds. */
  get recordedPerSecond(): number {
    return this.writer.recordedPerSecond;
  }

  /** Age of the oldest result that waits to be written, milliseconds; 0 when none does. */
  get lagMs(): number {
    const { oldestAt } = this.pending;
    return oldestAt === null ? 0 : this.clock.monotonic() - oldestAt;
  }

  get lost(): number {
    return this.metrics.resultsLost.total;
  }

  /** Milliseconds for which results have waited while none at all could be written. */
  get stalledMs(): number {
    if (this.busySince === null) return 0;
    return this.clock.monotonic() - Math.max(this.busySince, this.writer.writtenAt);
  }

  /** Resolves when a transaction without results was committed in its turn between two batches; rejects when it failed. */
  pass(): Promise<void> {
    return new Promise((resolve) => {
      this.passing.push(resolve);
      this.flushSoon(0);
    });
  }

  /** Takes a result. One that may change a state is written within a quarter of a second, any other within about one. */
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

  /** Takes a result as `add` does; resolves when it is committed, its history as well. */
  take(check: FinishedCheck): Promise<Recorded> {
    return new Promise((resolve) => {
      const urgency = this.urgency.of(check);
      this.push({
        check,
        addedAt: this.clock.monotonic(),
        maxAgeMs: urgency === 'urgent' ? URGENT_AGE_MS : MAX_AGE_MS,
        affectsState: urgency !== 'quiet',
        isAwaited: true,
        resolve,
      });
    });
  }

  /** Writes a result at once; resolves when it is committed, its history as well. */
  record(check: FinishedCheck): Promise<Recorded> {
    return new Promise((resolve) => {
      this.pausedUntil = 0;
      const entry = { check, addedAt: this.clock.monotonic(), maxAgeMs: 0, affectsState: true, isAwaited: true };
      this.push({ ...entry, resolve });
    });
  }

  /** Writes what is waiting. Resolves when all is committed, or after `limitMs` when the database stays unavailable. */
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

  /** What the database refuses goes first, then what changes nothing; anything else only when nothing else waits. */
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
    for (const { resolve } of given) resolve?.('given_up');
  }

  private flushSoon(afterMs: number, now = this.clock.monotonic()): void {
    const at = Math.max(now + afterMs, this.pausedUntil);
    if (this.freeRole === null || at >= this.flushAt) return;
    if (this.timer) clearTimeout(this.timer);
    this.flushAt = at;
    this.timer = setTimeout(() => this.flush(), at - now);
  }

  /** What the next batch would be; `null` while as many are under way as may be. */
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

  /** False while all that waits is of endpoints whose earlier results are under way. */
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

  /** One batch; the first then tries for a moment what was refused before. Resolves to the pause before the next. */
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

  /** Writes one batch. What cannot be written returns to the front of what waits; resolves to the pause before the next. */
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

  /** What changes too many alerts for one transaction goes back at once, for the next batch. */
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

  /** Only what may change something can make a batch slow by what is in it. */
  private adapt(batch: readonly PendingCheck[], durationMs: number): void {
    this.quickestMs = Math.min(durationMs, this.quickestMs * FORGET);
    if (batch.some(({ affectsState }) => affectsState))
      this.mostChanging = nextBatchSize(this.mostChanging, durationMs, this.quickestMs, MAX_CHANGING);
  }

  /** Later results of endpoints with refused ones wait with these: the results of one endpoint keep their order. */
  private moveRefused(endpointIds: Iterable<string>): void {
    const { refused, written } = this.writer;
    if (refused.queue.size === 0) return;
    const now = this.clock.monotonic();
    for (const id of endpointIds)
      if (refused.queue.has(id, now)) for (const entry of this.pending.extract(id)) refused.queue.add(entry, written);
  }

  /** Finds the endpoints whose rows are locked: while there are some, the others can be written without them. */
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
