import { ByOwner, type Owner } from './by-owner';

/** An owner is large if it holds this multiple of the average. Only the largest of them count, at most `MOST_LARGE`. */
const LARGE = 1.5;
const MOST_LARGE = 8;

/**
 * A capacity whose shares depend on what is free. Each owner may take a unit while it uses fewer than are free. So a
 * lone owner holds at most half. If `n` owners want as much as possible, each holds 1 / (n + 1). Some capacity is
 * always left for the next owner, however long the others keep theirs.
 */
export class SharedCapacity extends ByOwner {
  /** False while only one owner exists. No other can arrive then, so it may take every place. */
  isShared = true;

  /**
   * How many places may be given to unknown owners at once. This is at most the share of an owner without places. It is
   * small enough that hardly any owner with places is near the limit (`ownersNearLimit`).
   */
  get share(): number {
    return this.isShared ? Math.ceil(this.free / 4) : this.free;
  }

  override hasShareFor(owner: Owner, units = 1): boolean {
    return !this.isShared || this.usedBy(owner) + units <= this.free;
  }

  /** Returns how many places the owner may take in a row, if no other owner takes or returns one. */
  availableTo(owner: Owner): number {
    return this.isShared ? Math.max(0, Math.ceil((this.free - this.usedBy(owner)) / 2)) : this.free;
  }

  /**
   * Owners that hold at least half as much again as the average of all holders, the largest first, limited to a few.
   * While demand exceeds supply, other owners come before them. Cost: linear in the number of owners.
   */
  get largeOwners(): string[] {
    if (!this.isShared) return [];
    const active = this.active();
    return active
      .filter(([, units]) => units * active.length > LARGE * this.used)
      .sort(([, a], [, b]) => b - a)
      .slice(0, MOST_LARGE)
      .map(([owner]) => owner);
  }

  /**
   * Returns the owners that may take fewer than `count` more, the ones that hold the least first. Cost: linear in the
   * number of owners.
   */
  ownersNearLimit(count: number): string[] {
    if (!this.isShared) return [];
    return this.active()
      .filter(([owner]) => this.availableTo(owner) < count)
      .sort(([, a], [, b]) => a - b)
      .map(([owner]) => owner);
  }

  /** Returns the organizations that hold something, with their units. */
  private active(): [owner: string, units: number][] {
    const active: [string, number][] = [];
    for (const [owner, { units }] of this.holders) if (owner !== null && units > 0) active.push([owner, units]);
    return active;
  }
}
