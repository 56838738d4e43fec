import { InTurns } from './in-turns';

export interface KnownFirstLimits {
  size: number;
  /** Maximum waiters of both lanes together. More are refused. */
  waiting: number;
  /** How many strangers keep their place in a full queue when a known owner arrives. */
  strangersKept: number;
}

/** A waiter. `owner` takes turns with the other owners of the same lane. */
export interface Arrival {
  owner: string;
  isKnown: boolean;
}

type Admit = (release: (() => void) | null) => void;

/**
 * A semaphore with two lanes. Known owners come before strangers, and within a lane owners are served in turn. In a
 * full queue, a stranger makes room for a known owner, and the owner with the most waiters for one with fewer. So a
 * crowd delays only itself.
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
   * Resolves with the function that returns the place, or with `null` if refused, at once or later in favor of another.
   */
  take({ owner, isKnown }: Arrival): Promise<(() => void) | null> {
    if (this.held < this.limits.size) return Promise.resolve(this.hold());
    const lane = isKnown ? this.known : this.strangers;
    if (this.waiting >= this.limits.waiting && !this.makeRoom(lane, owner)) return Promise.resolve(null);
    return new Promise((resolve) => lane.push(owner, resolve));
  }

  /** Refuses another waiter. Returns false if the newcomer must be refused instead. */
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

/** Refuses the newest waiter of the owner with the most waiters if there are more than `most`. */
function refuseNewest(lane: InTurns<Admit, string>, most: number): boolean {
  const newest = lane.takeNewestOfLargest(most);
  newest?.(null);
  return newest !== undefined;
}
