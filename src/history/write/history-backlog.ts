import { randomInt } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { FinishedCheck } from '../../engine/finished-check';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { Health } from '../../platform/observability/health';
import { Metrics } from '../../platform/observability/metrics';
import { Clock } from '../../platform/time/clock';
import {
  byEndpointKey,
  HistoryFailure,
  type HistoryPart,
  portionOf,
  togetherOf,
  type WaitingHistory,
} from './history-part';
import { HistoryWriter } from './history-writer';
import { LossLog } from './loss-log';
import { reasonOf, writeFailureOf } from './write-failure';

/**
 * The maximum number of waiting checks. This equals half a minute at 4,000 checks per second. Their estimated memory is
 * limited too.
 */
const MAX_WAITING = 100_000;
const MAX_BYTES = 128 * 1024 * 1024;
/**
 * The maximum number of checks per transaction. The limit is lower after a transaction that failed because of its
 * content.
 */
const MAX_PORTION = 1000;
const RETRY_MS = 1000;
/**
 * These limits are short. On a database server, only history waits in the meantime. With the embedded database,
 * everything waits.
 */
const LIMITS = { lockMs: 500, statementMs: 2000 };
/** A part is dropped after it was rejected this often on its own while others were written. */
const REFUSALS = 3;

/**
 * Keeps history that could not be written with its batch, because alerts must not wait for history. While history is
 * unavailable (a full tablespace, a missing node, a lock on its tables), batches are committed without it. The backlog
 * writes it later, in order and in separate transactions. Waiting history is only in memory, so it is lost if the
 * process is killed.
 */
@Injectable()
export class HistoryBacklog {
  private readonly logger = new Logger(HistoryBacklog.name);
  maxWaiting = MAX_WAITING;
  private waiting: WaitingHistory[] = [];
  private count = 0;
  private bytes = 0;
  /** The number of waiting parts that are being written. These parts are not dropped in the meantime. */
  private beingWritten = 0;
  private portionSize = MAX_PORTION;
  /** True after a failed transaction. It may have been committed anyway, so existing rows must be skipped. */
  private isUncertain = false;
  /**
   * Each transaction takes this lock. If a connection is lost, its transaction may still be committing, and the next
   * transaction waits for it.
   */
  private readonly lock = randomInt(2 ** 32, 2 ** 47);
  private since: number | null = null;
  private followed = 0;
  private working: Promise<boolean> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private reason = '';
  /** Per endpoint: how often its part was rejected on its own, and how much had been written before. */
  private readonly refusals = new Map<string, { times: number; followedBefore: number }>();
  private readonly listeners = new Map<FinishedCheck, (isWritten: boolean) => void>();
  private readonly lost;
  private readonly losses = new LossLog(
    (line) => this.logger.error(line),
    ({ count, organizations }, why) =>
      `Gave up the history of ${count} checks of ${organizations} organizations: ${why}`,
  );

  constructor(
    private readonly history: HistoryWriter,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    metrics: Metrics,
    health: Health,
  ) {
    metrics.watch(
      {
        name: 'uptime_history_waiting',
        help: 'Recorded checks whose history could not be written yet.',
      },
      () => this.count,
    );
    this.lost = metrics.counter({
      name: 'uptime_history_lost_total',
      help: 'Recorded checks whose history was given up because it could not be written for too long.',
    });
    health.register('history', () =>
      this.since === null
        ? { ok: true }
        : { ok: true, detail: `${this.count} checks have been waiting to be written for ${this.seconds} s` },
    );
  }

  /** While true, batches add their history to this backlog. */
  get isLagging(): boolean {
    return this.waiting.length > 0;
  }

  /** The number of waiting checks. */
  get size(): number {
    return this.count;
  }

  /**
   * Writes this part of a batch in the batch's transaction. If `later` is set or history is lagging, the part is
   * written after the commit and the call resolves to false. Throws: `HistoryFailure` if only history may be the cause.
   */
  async write(tx: Tx, part: HistoryPart, later: boolean): Promise<boolean> {
    if (part.checks.length === 0) return true;
    if (later || this.isLagging) {
      tx.afterCommit(() => this.keep(part));
      return false;
    }
    try {
      await this.history.write(tx, part.checks);
      await this.history.outages(tx, part.opened, part.closed);
      return true;
    } catch (error) {
      throw new HistoryFailure(error);
    }
  }

  /** Sets the reason why the next part that is added could not be written, for the log. */
  because(error: unknown): void {
    this.reason = reasonOf(error);
  }

  /** Calls `listener` when the history of a waiting check was written or dropped. */
  onWritten(check: FinishedCheck, listener: (isWritten: boolean) => void): void {
    this.listeners.set(check, listener);
  }

  /** Tries to write all waiting history, for at most `limitMs`. Used at shutdown. */
  async drain(limitMs: number): Promise<void> {
    const until = this.clock.monotonic() + limitMs;
    while (this.isLagging && this.clock.monotonic() < until)
      if (!(await this.work())) await new Promise((resolve) => setTimeout(resolve, 100));
    if (this.timer) clearTimeout(this.timer);
    this.losses.end();
    if (this.isLagging) this.logger.error(`Could not write the history of ${this.count} checks before the shutdown`);
  }

  private get seconds(): number {
    return Math.round((this.clock.monotonic() - (this.since ?? 0)) / 1000);
  }

  private keep(part: HistoryPart): void {
    if (this.since === null) {
      this.since = this.clock.monotonic();
      this.logger.error(`Could not write history, will try again. Alerts do not wait for it: ${this.reason}`);
    }
    for (const waiting of byEndpointKey(part)) {
      this.waiting.push(waiting);
      this.count += waiting.checks.length;
      this.bytes += waiting.bytes;
    }
    if (this.count > this.maxWaiting || this.bytes > MAX_BYTES) this.giveUpOldest();
    this.workSoon(RETRY_MS);
  }

  private workSoon(afterMs: number): void {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.work().then((goesOn) => this.isLagging && this.workSoon(goesOn ? 0 : RETRY_MS));
    }, afterMs);
  }

  /** Writes one portion. Only one call runs at a time. Resolves to true if the next portion may follow immediately. */
  private work(): Promise<boolean> {
    this.working ??= this.workOnce().finally(() => (this.working = null));
    return this.working;
  }

  private async workOnce(): Promise<boolean> {
    const portion = portionOf(this.waiting, this.portionSize);
    if (portion.length === 0) return true;
    this.beingWritten = portion.length;
    try {
      await this.database.transaction((tx) => this.writePortion(tx, portion), LIMITS);
      this.isUncertain = false;
      this.portionSize = Math.min(MAX_PORTION, 2 * this.portionSize);
      this.remove(portion.length, true);
      return true;
    } catch (error) {
      this.isUncertain = true;
      return this.refused(portion, error);
    } finally {
      this.beingWritten = 0;
    }
  }

  private async writePortion(tx: Tx, portion: readonly WaitingHistory[]): Promise<void> {
    const { checks, opened, closed } = togetherOf(portion);
    await tx.query('SELECT pg_advisory_xact_lock($1)', [this.lock]);
    await this.history.write(tx, this.isUncertain ? await this.history.missing(tx, checks) : checks);
    await this.history.outages(tx, opened, closed);
  }

  /** A part that may itself be the cause is retried in smaller portions, then on its own, and is finally dropped. */
  private refused(portion: readonly WaitingHistory[], error: unknown): boolean {
    const failure = writeFailureOf(error);
    this.reason = reasonOf(error);
    if (failure === 'away' || failure === 'locked') return false;
    const [first] = portion;
    if (!first || portion.length > 1) {
      this.portionSize = Math.max(1, togetherOf(portion).checks.length >> 1);
      return failure === 'content';
    }
    const known = this.refusals.get(first.endpointKey) ?? { times: 0, followedBefore: this.followed };
    known.times++;
    this.refusals.set(first.endpointKey, known);
    if (failure !== 'content' && (known.times < REFUSALS || this.followed === known.followedBefore)) {
      // Moves this endpoint behind all others. Its parts stay in order.
      const isIts = ({ endpointKey }: WaitingHistory) => endpointKey === first.endpointKey;
      this.waiting = [...this.waiting.filter((part) => !isIts(part)), ...this.waiting.filter(isIts)];
      return false;
    }
    this.refusals.delete(first.endpointKey);
    this.counted(first.checks, `the database rejects it: ${this.reason}`);
    this.remove(1, false);
    return true;
  }

  /** Removes the first `count` parts, which were written or dropped. */
  private remove(count: number, isWritten: boolean): void {
    for (const { checks, bytes } of this.waiting.splice(0, count)) {
      this.count -= checks.length;
      this.bytes -= bytes;
      if (isWritten) this.followed += checks.length;
      this.settle(checks, isWritten);
    }
    if (this.isLagging) return;
    this.logger.log(`History is complete again: ${this.followed} checks were written late, within ${this.seconds} s`);
    this.since = null;
    this.followed = 0;
    this.refusals.clear();
  }

  /**
   * Drops a tenth of the maximum at once, so that this rarely happens. Keeps outages, because an outage would never end
   * if its end were lost.
   */
  private giveUpOldest(): void {
    const given: FinishedCheck[] = [];
    for (const part of this.waiting.slice(this.beingWritten)) {
      if (this.count <= 0.9 * this.maxWaiting && this.bytes <= 0.9 * MAX_BYTES) break;
      given.push(...part.checks);
      this.count -= part.checks.length;
      this.bytes -= part.bytes;
      part.checks = [];
      part.bytes = 0;
    }
    const isOfUse = ({ checks, opened, closed }: WaitingHistory) => checks.length + opened.length + closed.length > 0;
    this.waiting = this.waiting.filter((part, index) => index < this.beingWritten || isOfUse(part));
    this.counted(given, `more than ${this.count} checks were waiting: ${this.reason}`);
    this.settle(given, false);
  }

  private counted(checks: readonly FinishedCheck[], why: string): void {
    if (checks.length === 0) return;
    this.lost.inc(checks.length);
    this.losses.add(new Set(checks.map(({ orgId }) => orgId)), checks.length, why);
  }

  private settle(checks: readonly FinishedCheck[], isWritten: boolean): void {
    if (this.listeners.size === 0) return;
    for (const check of checks) {
      this.listeners.get(check)?.(isWritten);
      this.listeners.delete(check);
    }
  }
}
