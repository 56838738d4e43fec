import { InTurns } from './in-turns';

export interface KnownFirstLimits {
  /** Holders at once. */
  size: number;
  /** Waiters of both lanes together; what comes beyond them is refused. */
  waiting: number;
  /** So many strangers keep their place in a full queue when somebody comes who is known. */
  strangersKept: number;
}

/** Who waits: `owner` takes turns with the others of the same lane. */
export interface Arrival {
  owner: string;
  isKnown: boolean;
}

type Admit = (release: (() => void) | null) => void;

/**
 * Places that are waited for in two lanes: who is known comes before strangers, and in each lane the owners are served in turn. In a full
 * queue a stranger makes room for who is known, and the owner with the most waiters for one with fewer: a crowd waits for itself.
 */
export class KnownFirst {
  private held = 0;
  private readonly known = new InTurns<Admit, string>();
  private readonly strangers = new InTurns<Admit, string>();

  constructor(private readonly limits: KnownFirstLimits) {}

  get waiting(): number {
    return this.known.size + this.strangers.size;
  }

  /** Resolves with the function that gives the place back; with `null` for who is refused, at once or later in favour of another. */
  take({ owner, isKnown }: Arrival): Promise<(() => void) | null> {
    if (this.held < this.limits.size) return Promise.resolve(this.hold());
    const lane = isKnown ? this.known : this.strangers;
    if (this.waiting >= this.limits.waiting && !this.makeRoom(lane, owner)) return Promise.resolve(null);
    return new Promise((resolve) => lane.push(owner, resolve));
  }

  /** Refuses somebody else who waits; false when the newcomer is the one to be refused. */
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

/** Refuses the newest waiter of the owner with the most, if these are more than `most`. */
function refuseNewest(lane: InTurns<Admit, string>, most: number): boolean {
  const newest = lane.takeNewestOfLargest(most);
  newest?.(null);
  return newest !== undefined;
}
