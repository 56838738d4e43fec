/** Whose work it is: an organization's uuid, a client's address; `null` for the operator. */
export type Owner = string | null;

/** Of more owners than this, those that hold nothing are forgotten. */
const MOST_KEPT = 1000;

/**
 * A capacity of `size` units, places or bytes, counted by owner: none holds more than `most` of them. That share is hard,
 * because nobody can take a unit back: it does not grow while nobody else asks. Every operation takes constant time.
 */
export class ByOwner {
  /** Changed in place, and kept for those that come back soon: new entries would cost a check 0.1 µs more. */
  protected readonly holders = new Map<Owner, { units: number }>();
  private taken = 0;

  /** `size` may change at any time: what is held beyond it stays held. */
  constructor(
    public size: number,
    private readonly most: number = size,
  ) {}

  get used(): number {
    return this.taken;
  }

  get free(): number {
    return Math.max(0, this.size - this.taken);
  }

  usedBy(owner: Owner): number {
    return this.holders.get(owner)?.units ?? 0;
  }

  hasShareFor(owner: Owner, units = 1): boolean {
    return this.usedBy(owner) + units <= this.most;
  }

  hasCapacityFor(owner: Owner, units = 1): boolean {
    return this.taken + units <= this.size && this.hasShareFor(owner, units);
  }

  /** Takes units, also those that `hasCapacityFor` would refuse. */
  take(owner: Owner, units = 1): void {
    const holder = this.holders.get(owner);
    if (holder) holder.units += units;
    else this.holders.set(owner, { units });
    this.taken += units;
  }

  /** False, and nothing is taken, when there is not so much for this owner. */
  tryTake(owner: Owner, units = 1): boolean {
    const hasCapacity = this.hasCapacityFor(owner, units);
    if (hasCapacity) this.take(owner, units);
    return hasCapacity;
  }

  /** No more than the owner holds. */
  release(owner: Owner, units = 1): void {
    const holder = this.holders.get(owner);
    if (!holder || holder.units === 0) return;
    const released = Math.min(units, holder.units);
    holder.units -= released;
    this.taken -= released;
    if (holder.units === 0 && this.holders.size > MOST_KEPT) this.holders.delete(owner);
  }
}

/** What each may have of `size` when nobody gets more than another who wants more. */
export function sharesOf<Key>(wanted: ReadonlyMap<Key, number>, size: number): Map<Key, number> {
  const shares = new Map<Key, number>();
  let left = size;
  const keys = [...wanted].sort(([, a], [, b]) => a - b);
  keys.forEach(([key, count], position) => {
    const share = Math.min(count, Math.ceil(left / (keys.length - position)));
    shares.set(key, share);
    left -= share;
  });
  return shares;
}
