import { ByOwner, type Owner } from './by-owner';
import { InTurns } from './in-turns';

export interface FairLimits {
  /** The maximum number of slots held by all owners together. */
  size: number;
  /**
   * The maximum number of slots held by one owner. Less than `size`, so that a later owner finds a free slot
   * immediately.
   */
  share: number;
  /** The maximum number of waiters per owner. Additional waiters are rejected. */
  waiting: number;
}

/** A semaphore that serves owners in turn, and each owner's waiters in order. */
export class FairSemaphore {
  private readonly places: ByOwner;
  private readonly queue = new InTurns<() => void>();

  constructor(private readonly limits: FairLimits) {
    this.places = new ByOwner(limits.size, limits.share);
  }

  get waiting(): number {
    return this.queue.size;
  }

  /**
   * Resolves with a function that releases the slot. Resolves with `null` if the signal aborts first or if this owner
   * already has too many waiters. An aborted waiter leaves the queue immediately.
   */
  take(owner: Owner, signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return Promise.resolve(null);
    if (this.places.hasCapacityFor(owner)) return Promise.resolve(this.hold(owner));
    if (this.queue.sizeOf(owner) >= this.limits.waiting) return Promise.resolve(null);
    return new Promise((resolve) => {
      const leave = () => {
        this.queue.remove(owner, admit);
        resolve(null);
      };
      const admit = () => {
        signal.removeEventListener('abort', leave);
        resolve(this.hold(owner));
      };
      signal.addEventListener('abort', leave, { once: true });
      this.queue.push(owner, admit);
    });
  }

  private hold(owner: Owner): () => void {
    this.places.take(owner);
    return () => {
      this.places.release(owner);
      this.queue.take((next) => this.places.hasCapacityFor(next))?.();
    };
  }
}
