import { BoundedMap } from '../../platform/cache/bounded-map';
import type { PendingCheck } from '../../engine/queue/pending-checks';
import type { WriteFailure } from '../../history/write/write-failure';

/** A result that may yet be written is refused this often, a second apart, before it is given up. */
const REFUSALS = 3;
const RETRY_MS = 1000;
/** An endpoint with a result that was given up stays apart for this long: it spoils one batch in that time. */
const QUARANTINE_MS = 600_000;
const MAX_QUARANTINED = 100_000;

interface Queue {
  waiting: PendingCheck[];
  /** How often the first of them was refused. */
  refusals: number;
  /** Monotonic milliseconds. */
  notBefore: number;
  /** Batches that had been written when this endpoint's queue began. */
  writtenBefore: number;
}

/**
 * Endpoints whose results seem to be refused by the database. Theirs are written apart from those of all others, one by one
 * when several at once are refused. One that is refused is given up once something else was written meanwhile; until then the
 * database itself may be at fault, and everything is kept.
 */
export class RefusedQueue {
  /** By endpoint; the one that waits longest for its turn comes first. */
  private readonly queues = new Map<string, Queue>();
  /** Endpoint → until when it stays apart, monotonic milliseconds. */
  private readonly quarantine = new BoundedMap<string, number>(MAX_QUARANTINED);
  private count = 0;

  /** Results that wait. */
  get size(): number {
    return this.count;
  }

  /** Nearly always there are none: then it costs nothing. */
  has(endpointId: string, now: number): boolean {
    if (this.count === 0 && this.quarantine.size === 0) return false;
    return this.queues.has(endpointId) || (this.quarantine.get(endpointId) ?? -Infinity) > now;
  }

  /** `written`: how many batches have been written so far. */
  add(entry: PendingCheck, written: number): void {
    const { endpointId } = entry.check;
    const queue = this.queues.get(endpointId);
    if (queue) queue.waiting.push(entry);
    else this.queues.set(endpointId, { waiting: [entry], refusals: 0, notBefore: 0, writtenBefore: written });
    this.count++;
  }

  /** The results to try now, at most `count`; they stay first of their endpoints until `written` or `refused` is called. */
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

  /** True when the result is given up. */
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

  /** Gives up the oldest result of the endpoint whose turn is next, of those endpoints whose oldest result `may` go. */
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
