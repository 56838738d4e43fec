import { InTurns } from './in-turns';

export interface KnownFirstLimits {
  size: number;
  /** The maximum number of waiters in both lanes together. Additional waiters are rejected. */
  waiting: number;
  /** The number of strangers who keep their position in a full queue when a known owner arrives. */
  strangersKept: number;
}

/** A waiter. Each `owner` takes turns with the other owners in the same lane. */
export interface Arrival {
  owner: string;
  isKnown: boolean;
}

type Admit = (release: (() => void) | null) => void;

/**
 * A semaphore with two lanes. Known owners come before strangers, and within a lane, owners are served in turn. In a
 * full queue, a stranger is removed in favor of a known owner. Within a lane, the owner with the most waiters loses one
 * in favor of an owner with fewer. This way, an owner with many waiters delays only itself.
 */
export class KnownFirst {
  private held = 0;
  private readonly known = new InTurns<Admit, string>();
  private readonly strangers = new InTurns<Admit, string>();

  constructor(private readonly limits: KnownFirstLimits) {}

  get waiting(): number {
    return this.known.size + this.strangers.size;
  }

  /**
   * Resolves with a function that releases the slot. Resolves with `null` if the waiter is rejected, either immediately
   * or later in favor of another one.
   */
  take({ owner, isKnown }: Arrival): Promise<(() => void) | null> {
    if (this.held < this.limits.size) return Promise.resolve(this.hold());
    const lane = isKnown ? this.known : this.strangers;
    if (this.waiting >= this.limits.waiting && !this.makeRoom(lane, owner)) return Promise.resolve(null);
    return new Promise((resolve) => lane.push(owner, resolve));
  }

  /** Rejects another waiter to make room. Returns false if the new waiter must be rejected instead. */
  private makeRoom(lane: InTurns<Admit, string>, owner: string): boolean {
    if (lane === this.known && this.strangers.size > this.limits.strangersKept) return refuseNewest(this.strangers, 0);
    return refuseNewest(lane, lane.sizeOf(owner) + 1);
  }

  private hold(): () => void {
    this.held++;
    return () => {
      this.held--;
      const next = this.known.take() ?? this.strangers.take();
      next?.(this.hold());
    };
  }
}

/** If the owner with the most waiters has more than `most`, rejects that owner's newest waiter. */
function refuseNewest(lane: InTurns<Admit, string>, most: number): boolean {
  const newest = lane.takeNewestOfLargest(most);
  newest?.(null);
  return newest !== undefined;
}
