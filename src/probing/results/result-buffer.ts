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

/** A failure, and the good results after it, wait so long … */
const URGENT_AGE_MS = 200;
/** … and others so long, or until there are this many. */
const MAX_AGE_MS = 5 * SECOND_MS;
const ENOUGH = 500;
/** What has waited for longer was kept while the service was away or refused it. */
const KEPT_FOR_MS = 2 * MAX_AGE_MS;

/** What is kept while the service is away, whichever is least; then the oldest go first, of those that change nothing. */
const KEPT = { ms: 15 * MINUTE_MS, results: 100_000, bytes: 64 * 1024 * 1024 } as const;
/** Given up at once: a part of what waits, for few may be large, and no more than so many. */
const GIVEN_UP = { part: 1 / 16, most: 500 };
/** Of the JSON of one request: below what the service takes, which is 512 KiB. */
const MOST_SENT_BYTES = 448 * 1024;

/** Results that are being sent. */
export interface Batch {
  readonly entries: readonly PendingCheck[];
  readonly results: readonly SentResult[];
  /** What may change something, with the earlier results of its endpoints, and nothing else. */
  readonly isAlone: boolean;
}

/** Holds results until the service has them: those of one endpoint in their order, what may change something first. */
@Injectable()
export class ResultBuffer extends ResultSink {
  protected readonly kept: Readonly<Record<keyof typeof KEPT, number>> = KEPT;
  private readonly pending = new PendingChecks();
  private readonly urgency = new WriteUrgency();
  private readonly asked = new WeakMap<FinishedCheck, Asked>();
  private heldBytes = 0;
  private underWay = 0;
  private dropped = 0;
  /** The batch before was of what may change something alone: now all has its turn. */
  private isTurnOfAll = false;
  /** The service has refused what changes nothing: it is not sent before this, monotonic. */
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

  /** A service that is away limits nothing that is checked here: what waits for it has bounds of its own. */
  get lagMs(): number {
    return 0;
  }

  get recordedPerSecond(): number {
    return 0;
  }

  get lost(): number {
    return this.dropped;
  }

  /** About what is held in memory. */
  get bytes(): number {
    return this.heldBytes;
  }

  /** Age of the oldest result that waits to be sent, milliseconds; 0 without one. */
  get oldestMs(): number {
    const { oldestAt } = this.pending;
    return oldestAt === null ? 0 : this.clock.monotonic() - oldestAt;
  }

  /** When the next request is to be sent, monotonic milliseconds; Infinity while nothing waits. */
  get dueAt(): number {
    const dueAt = this.pending.ready >= ENOUGH ? -Infinity : this.nextAt;
    return this.pending.changing > 0 ? dueAt : Math.max(dueAt, this.othersFrom);
  }

  /** `listener` is called when something was added. Only one is supported. */
  onAdded(listener: () => void): void {
    this.added = listener;
  }

  add(check: FinishedCheck, settled?: () => void): void {
    this.note(check);
    const urgency = this.urgency.of(check);
    this.push(check, urgency === 'urgent' ? URGENT_AGE_MS : MAX_AGE_MS, urgency !== 'quiet', settled);
  }

  /** The result of a check that somebody waits for: sent at once. */
  addAsked(check: FinishedCheck, asked: Asked): void {
    if (!asked.isTryOut) this.note(check);
    this.asked.set(check, asked);
    this.push(check, 0, true);
  }

  /** Takes what is sent next; each is to be given to `settle` or `putBack`. `most`: fewer than a request may have. */
  take(most: number = MAX_RESULTS): Batch {
    this.expire();
    // After an absence a batch of what may change something alone is small: it does not wait with all that is kept, neither
    // here nor at the service. Every other batch at most, or what changes all the time would hold up the rest for ever.
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

  /** The service has them, or will never take them. */
  settle({ entries, isAlone }: Batch): void {
    this.isTurnOfAll = isAlone;
    this.forget(entries);
    this.release(entries);
    for (const { resolve } of entries) resolve?.('recorded');
  }

  /** They are sent again, before later ones of their endpoints; what changes nothing not before `othersMs`, if it was among them. */
  putBack({ entries, isAlone }: Batch, othersMs: number = 0): void {
    if (!isAlone) this.othersFrom = this.clock.monotonic() + othersMs;
    this.isTurnOfAll = false;
    this.pending.putBack(entries);
    this.release(entries);
    this.nextAt = -Infinity;
    this.expire();
  }

  /** One result that the service cannot read: it would refuse it again. */
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
    for (const { resolve } of entries) resolve?.('given_up');
  }

  private forget(entries: readonly PendingCheck[]): void {
    for (const { check } of entries) this.heldBytes -= bytesOf(check);
  }

  private release(entries: readonly PendingCheck[]): void {
    this.underWay = 0;
    this.pending.release(new Set(entries.map(({ check }) => check.endpointId)));
    this.nextAt = Math.min(this.nextAt, this.clock.monotonic() + (this.pending.shortestAgeMs ?? Infinity));
  }

  /** The streak that the endpoint has here. */
  private note({ endpointId, result }: FinishedCheck): void {
    const assigned = this.assignments.get(endpointId);
    if (!assigned || result.outcome === 'unknown') return;
    assigned.failures = result.outcome === 'down' ? assigned.failures + 1 : 0;
  }
}
