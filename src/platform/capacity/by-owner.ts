/** The owner of work: an organization's UUID or a client's address, or `null` for the operator. */
export type Owner = string | null;

/** Above this number of owners, the ones that hold nothing are removed. */
const MOST_KEPT = 1000;

/**
 * A capacity of `size` units (places or bytes), counted by owner. No owner holds more than `most`. That share is fixed,
 * because units can't be taken back, so it does not grow while others are idle. Every operation takes constant time.
 */
export class ByOwner {
  /**
   * Entries are changed in place and kept for owners that come back soon. New entries would cost a check 0.1 µs more.
   */
  protected readonly holders = new Map<Owner, { units: number }>();
  private taken = 0;

  /** `size` may change at any time. Units that are held beyond it stay held. */
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

  take(owner: Owner, units = 1): void {
    const holder = this.holders.get(owner);
    if (holder) holder.units += units;
    else this.holders.set(owner, { units });
    this.taken += units;
  }

  /** Takes units if they are available to this owner. Otherwise takes nothing and returns false. */
  tryTake(owner: Owner, units = 1): boolean {
    const hasCapacity = this.hasCapacityFor(owner, units);
    if (hasCapacity) this.take(owner, units);
    return hasCapacity;
  }

  /** Releases at most the units that the owner holds. */
  release(owner: Owner, units = 1): void {
    const holder = this.holders.get(owner);
    if (!holder || holder.units === 0) return;
    const released = Math.min(units, holder.units);
    holder.units -= released;
    this.taken -= released;
    if (holder.units === 0 && this.holders.size > MOST_KEPT) this.holders.delete(owner);
  }
}

/** Divides `size` fairly: no one gets more than another who wants more. */
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
