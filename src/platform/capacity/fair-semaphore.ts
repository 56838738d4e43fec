/** Whose work it is: an organization's uuid, `null` for the operator. */
export type Owner = string | null;

export interface FairLimits {
  /** Holders at once, of all owners together. */
  size: number;
  /** Of them for one owner: less than `size`, so that whoever comes later finds room at once. */
  share: number;
  /** One owner's waiters: what comes beyond them is refused. */
  waiting: number;
}

/**
 * At most `size` holders at once, `share` of one owner. That share is hard, because nobody can take a place back: it does
 * not grow when nobody else waits. Beyond it one waits, the owners in turn and each owner's own in order.
 */
export class FairSemaphore {
  private readonly held = new Map<Owner, number>();
  /** In the order of their turns. */
  private readonly waiting = new Map<Owner, Set<() => void>>();
  private holders = 0;

  constructor(private readonly limits: FairLimits) {}

  /**
   * Resolves with the function that gives the place back; with `null` when the signal aborts first, which leaves the queue
   * at once, or when too many of this owner wait already.
   */
  take(owner: Owner, signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return Promise.resolve(null);
    if (this.holders < this.limits.size && this.mayHold(owner)) return Promise.resolve(this.hold(owner));
    const queue = this.waiting.get(owner) ?? new Set();
    if (queue.size >= this.limits.waiting) return Promise.resolve(null);
    this.waiting.set(owner, queue);
    return new Promise((resolve) => {
      const onAbort = () => {
        this.leave(owner, admit);
        resolve(null);
      };
      const admit = () => {
        signal.removeEventListener('abort', onAbort);
        this.leave(owner, admit);
        resolve(this.hold(owner));
      };
      signal.addEventListener('abort', onAbort, { once: true });
      queue.add(admit);
    });
  }

  private mayHold(owner: Owner): boolean {
    return (this.held.get(owner) ?? 0) < this.limits.share;
  }

  private hold(owner: Owner): () => void {
    this.holders += 1;
    this.held.set(owner, (this.held.get(owner) ?? 0) + 1);
    return () => {
      this.holders -= 1;
      const left = (this.held.get(owner) ?? 0) - 1;
      if (left > 0) this.held.set(owner, left);
      else this.held.delete(owner);
      this.admitNext();
    };
  }

  private admitNext(): void {
    for (const [owner, queue] of this.waiting) {
      if (!this.mayHold(owner)) continue;
      // Its next turn is after the others'.
      this.waiting.delete(owner);
      this.waiting.set(owner, queue);
      const [admit] = queue;
      return admit?.();
    }
  }

  private leave(owner: Owner, admit: () => void): void {
    const queue = this.waiting.get(owner);
    queue?.delete(admit);
    if (queue?.size === 0) this.waiting.delete(owner);
  }
}
