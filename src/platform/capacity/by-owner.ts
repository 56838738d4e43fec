/** The owner of work: an organization's UUID, a client's address, or `null` for the operator. */
export type Owner = string | null;

/** If there are more owners than this, owners that hold nothing are removed. */
const MOST_KEPT = 1000;

/**
 * A capacity of `size` units (slots or bytes), counted per owner. No owner may hold more than `most`. This share is
 * fixed because units can't be taken back, so it doesn't grow while other owners are idle. Every operation takes
 * constant time.
 */
export class ByOwner {
  /**
   * Entries are changed in place and kept for owners that return soon. Creating new entries would add 0.1 µs to each
   * check.
   */
  protected readonly holders = new Map<Owner, { units: number }>();
  private taken = 0;

  /** `size` may change at any time. Units that exceed a smaller size continue to be held. */
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

  /** Takes units if they are available to this owner. Otherwise, takes nothing and returns false. */
  tryTake(owner: Owner, units = 1): boolean {
    const hasCapacity = this.hasCapacityFor(owner, units);
    if (hasCapacity) this.take(owner, units);
    return hasCapacity;
  }

  /** Releases the given number of units, limited to what the owner holds. */
  release(owner: Owner, units = 1): void {
    const holder = this.holders.get(owner);
    if (!holder || holder.units === 0) return;
    const released = Math.min(units, holder.units);
    holder.units -= released;
    this.taken -= released;
    if (holder.units === 0 && this.holders.size > MOST_KEPT) this.holders.delete(owner);
  }
}

/** Divides `size` fairly: an owner gets more than another only if the other wants no more. */
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
