import { Injectable } from '@nestjs/common';
import type { FinishedCheck } from '../../engine/finished-check';
import { type PendingCheck, PendingChecks } from '../../engine/queue/pending-checks';
import { WriteUrgency } from '../../engine/queue/write-urgency';
import { ResultSink } from '../../engine/result-sink';
import { MAX_RESULTS, type SentResult } from '../../probe-protocol/protocol';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS, SECOND_MS } from '../../platform/time/time-units';
import { Assignments } from '../slots/assignments';
import { type Asked, bytesOf, toSentResult } from './sent-result';

/** How long a failure and the successful results after it wait before they are sent. */
const URGENT_AGE_MS = 200;
/** How long other results wait, unless there are this many. */
const MAX_AGE_MS = 5 * SECOND_MS;
const ENOUGH = 500;
/** Results older than this were kept because the service was unavailable or rejected them. */
const KEPT_FOR_MS = 2 * MAX_AGE_MS;

/**
 * The limits on results that are kept while the service is unavailable. The first limit that is reached applies. The
 * oldest results that change nothing are dropped first.
 */
const KEPT = { ms: 15 * MINUTE_MS, results: 100_000, bytes: 64 * 1024 * 1024 } as const;
/**
 * The fraction and maximum number of results to drop at a time. It is a fraction, because a few results may be large.
 */
const GIVEN_UP = { part: 1 / 16, most: 500 };
/** The maximum JSON size of one request. The service's limit is 512 KiB. */
const MOST_SENT_BYTES = 448 * 1024;

export interface Batch {
  readonly entries: readonly PendingCheck[];
  readonly results: readonly SentResult[];
  /**
   * Whether the batch only contains results that may change something, together with their endpoints' earlier results.
   */
  readonly isAlone: boolean;
}

/**
 * Holds results until the service has them. Results for one endpoint are kept in order. Results that may change
 * something go first.
 */
@Injectable()
export class ResultBuffer extends ResultSink {
  protected readonly kept: Readonly<Record<keyof typeof KEPT, number>> = KEPT;
  private readonly pending = new PendingChecks();
  private readonly urgency = new WriteUrgency();
  private readonly asked = new WeakMap<FinishedCheck, Asked>();
  private heldBytes = 0;
  private underWay = 0;
  private dropped = 0;
  /**
   * Whether the previous batch only contained results that may change something. If so, the next batch includes all
   * results.
   */
  private isTurnOfAll = false;
  /** When results that change nothing may be sent again after the service rejected them, in monotonic milliseconds. */
  private othersFrom = -Infinity;
  private nextAt = Infinity;
  private added: () => void = () => {};

  constructor(
    private readonly assignments: Assignments,
    private readonly clock: Clock,
  ) {
    super();
  }

  get backlog(): number {
    return this.pending.size + this.underWay;
  }

  /** Checks aren't slowed down while the service is unavailable. The waiting results have separate limits. */
  get lagMs(): number {
    return 0;
  }

  get recordedPerSecond(): number {
    return 0;
  }

  get lost(): number {
    return this.dropped;
  }

  /** The approximate memory use of the results in bytes. */
  get bytes(): number {
    return this.heldBytes;
  }

  /** The age of the oldest waiting result in milliseconds, or 0 if there is none. */
  get oldestMs(): number {
    const { oldestAt } = this.pending;
    return oldestAt === null ? 0 : this.clock.monotonic() - oldestAt;
  }

  /** When the next request is due, in monotonic milliseconds, or Infinity if nothing is waiting. */
  get dueAt(): number {
    const dueAt = this.pending.ready >= ENOUGH ? -Infinity : this.nextAt;
    return this.pending.changing > 0 ? dueAt : Math.max(dueAt, this.othersFrom);
  }

  /** Calls `listener` when a result was added. Only one listener is supported. */
  onAdded(listener: () => void): void {
    this.added = listener;
  }

  add(check: FinishedCheck, settled?: () => void): void {
    this.note(check);
    const urgency = this.urgency.of(check);
    this.push(check, urgency === 'urgent' ? URGENT_AGE_MS : MAX_AGE_MS, urgency !== 'quiet', settled);
  }

  /** Adds the result of a check that a caller is waiting for. It is sent immediately. */
  addAsked(check: FinishedCheck, asked: Asked): void {
    if (!asked.isTryOut) this.note(check);
    this.asked.set(check, asked);
    this.push(check, 0, true);
  }

  /** Returns the next batch. Pass it to `settle` or `putBack` afterwards. `most` can lower the maximum batch size. */
  take(most: number = MAX_RESULTS): Batch {
    this.expire();
    // After an outage, a batch limited to results that may change something is small and doesn't have to wait for the
    // backlog. This only applies to every other batch. Otherwise, frequent changes would block the rest forever.
    const { ready, changing } = this.pending;
    const isBehind = ready > MAX_RESULTS || this.oldestMs > KEPT_FOR_MS;
    const mayBeAlone = this.othersFrom > this.clock.monotonic() || (isBehind && !this.isTurnOfAll);
    const isAlone = mayBeAlone && changing > 0;
    const entries = this.pending.take(Math.min(most, isAlone ? changing : MAX_RESULTS, MAX_RESULTS));
    const results: SentResult[] = [];
    let bytes = 0;
    for (const { check } of entries) {
      const result = toSentResult(check, this.asked.get(check));
      bytes += JSON.stringify(result).length + 1;
      if (bytes > MOST_SENT_BYTES && results.length > 0) break;
      results.push(result);
    }
    const [sent, left] = [entries.slice(0, results.length), entries.slice(results.length)];
    this.pending.putBack(left);
    const sentIds = new Set(sent.map(({ check }) => check.endpointId));
    this.pending.release(left.map(({ check }) => check.endpointId).filter((id) => !sentIds.has(id)));
    this.underWay = sent.length;
    this.nextAt =
      isAlone && this.pending.ready > 0 ? -Infinity : this.clock.monotonic() + (this.pending.shortestAgeMs ?? Infinity);
    return { entries: sent, results, isAlone };
  }

  /** Removes a batch that the service has accepted or will never accept. */
  settle({ entries, isAlone }: Batch): void {
    this.isTurnOfAll = isAlone;
    this.forget(entries);
    this.release(entries);
    for (const { check, resolve } of entries) resolve?.('recorded', check);
  }

  /**
   * Puts a batch back, to be sent before its endpoints' later results. Results in it that change nothing wait for
   * `othersMs`.
   */
  putBack({ entries, isAlone }: Batch, othersMs: number = 0): void {
    if (!isAlone) this.othersFrom = this.clock.monotonic() + othersMs;
    this.isTurnOfAll = false;
    this.pending.putBack(entries);
    this.release(entries);
    this.nextAt = -Infinity;
    this.expire();
  }

  /** Drops one result that the service can't parse and would reject again. */
  giveUp(batch: Batch): void {
    this.dropped += batch.entries.length;
    this.settle(batch);
  }

  private push(check: FinishedCheck, maxAgeMs: number, affectsState: boolean, settled?: () => void): void {
    const addedAt = this.clock.monotonic();
    this.pending.add({ check, addedAt, maxAgeMs, affectsState, resolve: settled });
    this.nextAt = Math.min(this.nextAt, addedAt + maxAgeMs);
    this.heldBytes += bytesOf(check);
    while (this.pending.size > 0 && (this.heldBytes > this.kept.bytes || this.pending.size > this.kept.results))
      this.drop(this.pending.giveUp(Math.min(GIVEN_UP.most, Math.ceil(GIVEN_UP.part * this.pending.size))));
    this.added();
  }

  private expire(): void {
    if (this.oldestMs > this.kept.ms) this.drop(this.pending.expire(this.clock.monotonic() - this.kept.ms));
  }

  private drop(entries: readonly PendingCheck[]): void {
    this.forget(entries);
    this.dropped += entries.length;
    for (const { check, resolve } of entries) resolve?.('given_up', check);
  }

  private forget(entries: readonly PendingCheck[]): void {
    for (const { check } of entries) this.heldBytes -= bytesOf(check);
  }

  private release(entries: readonly PendingCheck[]): void {
    this.underWay = 0;
    this.pending.release(new Set(entries.map(({ check }) => check.endpointId)));
    this.nextAt = Math.min(this.nextAt, this.clock.monotonic() + (this.pending.shortestAgeMs ?? Infinity));
  }

  private note({ endpointId, result }: FinishedCheck): void {
    const assigned = this.assignments.get(endpointId);
    if (!assigned || result.outcome === 'unknown') return;
    assigned.failures = result.outcome === 'down' ? assigned.failures + 1 : 0;
  }
}
