import { ByOwner, type Owner } from './by-owner';
import { InTurns } from './in-turns';

export interface FairLimits {
  /** Holders at once, of all owners together. */
  size: number;
  /** Of them for one owner: less than `size`, so that whoever comes later finds room at once. */
  share: number;
  /** One owner's waiters: what comes beyond them is refused. */
  waiting: number;
}

/** Places that are waited for: the owners in turn, and each owner's own in order. */
export class FairSemaphore {
  private readonly places: ByOwner;
  private readonly queue = new InTurns<() => void>();

  constructor(private readonly limits: FairLimits) {
    this.places = new ByOwner(limits.size, limits.share);
  }

  /** Waiters of all owners. */
  get waiting(): number {
    return this.queue.size;
  }

  /**
   * Resolves with the function that gives the place back; with `null` when the signal aborts first, which leaves the queue
   * at once, or when too many of this owner wait already.
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
