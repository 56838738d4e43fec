/** Of more owners than this, those that hold nothing are forgotten. */
const MOST_KEPT = 1000;

/** What makes an owner large, in averages; of more than so many only the largest count. */
const LARGE = 1.5;
const MOST_LARGE = 8;

/**
 * A capacity that owners share: each may take a unit while it uses fewer than are free. So a lone owner holds at most half, of
 * `n` that want all they can get each holds 1 / (n + 1), and a part is always left for whoever comes next, however long
 * the others keep theirs. Every operation takes constant time.
 */
export class SharedCapacity {
  /** Changed in place, and kept for those that come back soon: new entries would cost a check 0.1 µs more. */
  private readonly holders = new Map<string, { count: number }>();
  private taken = 0;

  /** False while there is only one owner in the world: then nobody else can come, and it may take every place. */
  isShared = true;

  /** `size` may change at any time: what is held beyond it stays held. */
  constructor(public size: number) {}

  get used(): number {
    return this.taken;
  }

  get free(): number {
    return Math.max(0, this.size - this.taken);
  }

  /**
   * So many places may be handed out at once to owners that are not known yet: no more than the share of one who holds
   * none, and few enough that hardly anybody who holds some is near the limit (`ownersNearLimit`).
   */
  get share(): number {
    return this.isShared ? Math.ceil(this.free / 4) : this.free;
  }

  usedBy(owner: string): number {
    return this.holders.get(owner)?.count ?? 0;
  }

  hasCapacityFor(owner: string): boolean {
    return this.taken < this.size && (!this.isShared || this.usedBy(owner) < this.free);
  }

  /** How many places the owner may take one after the other, if nobody else takes or returns one. */
  availableTo(owner: string): number {
    return this.isShared ? Math.max(0, Math.ceil((this.free - this.usedBy(owner)) / 2)) : this.free;
  }

  /** Takes a place, also one that `hasCapacityFor` would refuse. */
  take(owner: string): void {
    const holder = this.holders.get(owner);
    if (holder) holder.count++;
    else this.holders.set(owner, { count: 1 });
    this.taken++;
  }

  release(owner: string): void {
    const holder = this.holders.get(owner);
    if (!holder || holder.count === 0) return;
    if (--holder.count === 0 && this.holders.size > MOST_KEPT) this.holders.delete(owner);
    this.taken--;
  }

  /**
   * Those that hold half as much again as the average of all that hold something, the largest first, at most a few. While
   * more is wanted than there is, the others come before them. Takes time for each owner.
   */
  get largeOwners(): string[] {
    if (!this.isShared) return [];
    const active = [...this.holders].filter(([, { count }]) => count > 0);
    return active
      .filter(([, { count }]) => count * active.length > LARGE * this.taken)
      .sort(([, a], [, b]) => b.count - a.count)
      .slice(0, MOST_LARGE)
      .map(([owner]) => owner);
  }

  /** The owners that may take fewer than `count` more, those first that hold the least. Takes time for each owner. */
  ownersNearLimit(count: number): string[] {
    if (!this.isShared) return [];
    return [...this.holders]
      .filter(([owner, holder]) => holder.count > 0 && this.availableTo(owner) < count)
      .sort(([, a], [, b]) => a.count - b.count)
      .map(([owner]) => owner);
  }
}
