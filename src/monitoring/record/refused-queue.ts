import { BoundedMap } from '../../platform/cache/bounded-map';
import type { PendingCheck } from '../../engine/queue/pending-checks';
import type { WriteFailure } from '../../history/write/write-failure';

/** How many times a result that might still be written may be rejected, one second apart, before it is dropped. */
const REFUSALS = 3;
const RETRY_MS = 1000;
/** How long an endpoint with a dropped result is kept apart, so that it spoils at most one batch in that time. */
const QUARANTINE_MS = 600_000;
const MAX_QUARANTINED = 100_000;

interface Queue {
  waiting: PendingCheck[];
  /** How many times the first result was rejected. */
  refusals: number;
  /** The time of the next attempt, in monotonic milliseconds. */
  notBefore: number;
  /** The number of batches that had been written when this queue was created. */
  writtenBefore: number;
}

/**
 * Queues for endpoints whose results the database seems to reject. Their results are written apart from all others, and
 * one by one if several are rejected together. A rejected result is dropped once something else was written in the
 * meantime. Until then, the database itself may have a problem, and everything is kept.
 */
export class RefusedQueue {
  /** The queues by endpoint. The queue that has waited longest for its turn comes first. */
  private readonly queues = new Map<string, Queue>();
  /** Maps each endpoint to the time until which it is kept apart, in monotonic milliseconds. */
  private readonly quarantine = new BoundedMap<string, number>(MAX_QUARANTINED);
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** The queue is nearly always empty, in which case this costs nothing. */
  has(endpointId: string, now: number): boolean {
    if (this.count === 0 && this.quarantine.size === 0) return false;
    return this.queues.has(endpointId) || (this.quarantine.get(endpointId) ?? -Infinity) > now;
  }

  /** Adds a result to its endpoint's queue. `written` is the number of batches written so far. */
  add(entry: PendingCheck, written: number): void {
    const { endpointId } = entry.check;
    const queue = this.queues.get(endpointId);
    if (queue) queue.waiting.push(entry);
    else this.queues.set(endpointId, { waiting: [entry], refusals: 0, notBefore: 0, writtenBefore: written });
    this.count++;
  }

  /**
   * Returns the results to try now, at most `count`. They remain first in their queues until `written` or `refused` is
   * called.
   */
  next(now: number, count: number): PendingCheck[] {
    const some: PendingCheck[] = [];
    for (const { waiting, notBefore } of this.queues.values()) {
      if (notBefore > now || some.length === count) break;
      some.push(...waiting.slice(0, count - some.length));
    }
    return some;
  }

  written({ check: { endpointId } }: PendingCheck): void {
    const queue = this.queues.get(endpointId);
    if (queue) this.dropFirst(endpointId, queue);
  }

  /** Returns true if the result is dropped. */
  refused({ check: { endpointId } }: PendingCheck, failure: WriteFailure, written: number, now: number): boolean {
    const queue = this.queues.get(endpointId);
    if (!queue) return false;
    queue.refusals++;
    const wasHere = this.quarantine.has(endpointId);
    const isItsOwn = failure === 'content' || wasHere || queue.refusals >= REFUSALS;
    if (isItsOwn && written > queue.writtenBefore) {
      this.quarantine.set(endpointId, now + QUARANTINE_MS);
      this.dropFirst(endpointId, queue);
      return true;
    }
    queue.notBefore = now + RETRY_MS;
    this.moveToEnd(endpointId, queue);
    return false;
  }

  /**
   * Drops the oldest result of the endpoint whose turn is next. Only endpoints whose oldest result passes `may` are
   * considered.
   */
  forgetOne(may: (entry: PendingCheck) => boolean): PendingCheck | undefined {
    for (const [endpointId, queue] of this.queues)
      if (queue.waiting[0] && may(queue.waiting[0])) return this.dropFirst(endpointId, queue);
    return undefined;
  }

  private dropFirst(endpointId: string, queue: Queue): PendingCheck | undefined {
    this.count--;
    queue.refusals = 0;
    const dropped = queue.waiting.shift();
    if (queue.waiting.length === 0) this.queues.delete(endpointId);
    else this.moveToEnd(endpointId, queue);
    return dropped;
  }

  private moveToEnd(endpointId: string, queue: Queue): void {
    this.queues.delete(endpointId);
    this.queues.set(endpointId, queue);
  }
}
