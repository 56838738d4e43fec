import { ByOwner, type Owner } from './by-owner';

/** An owner is large if it holds this multiple of the average. Only the largest ones count, up to `MOST_LARGE`. */
const LARGE = 1.5;
const MOST_LARGE = 8;

/**
 * A capacity whose shares depend on how much is free. An owner may take a unit while it holds fewer units than are
 * free. A single owner therefore holds at most half. If `n` owners want as much as possible, each holds 1 / (n + 1).
 * Some capacity is always left for the next owner, however long the others keep theirs.
 */
export class SharedCapacity extends ByOwner {
  /** False while only one owner exists. No other owner can arrive in that case, so this one may take every slot. */
  isShared = true;

  /**
   * The number of slots that may be given to unknown owners at the same time. It is at most the share of an owner that
   * holds nothing. It is small enough that hardly any owner that holds slots is near its limit (`ownersNearLimit`).
   */
  get share(): number {
    return this.isShared ? Math.ceil(this.free / 4) : this.free;
  }

  override hasShareFor(owner: Owner, units = 1): boolean {
    return !this.isShared || this.usedBy(owner) + units <= this.free;
  }

  /** Returns how many slots the owner may take in a row, if no other owner takes or releases one. */
  availableTo(owner: Owner): number {
    return this.isShared ? Math.max(0, Math.ceil((this.free - this.usedBy(owner)) / 2)) : this.free;
  }

  /**
   * Owners that hold at least 1.5 times the average of all holders, largest first, limited to a few. While demand
   * exceeds supply, other owners are served before them. Cost: linear in the number of owners.
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
   * Returns the owners that may take fewer than `count` more units, starting with the owners that hold the fewest.
   * Cost: linear in the number of owners.
   */
  ownersNearLimit(count: number): string[] {
    if (!this.isShared) return [];
    return this.active()
      .filter(([owner]) => this.availableTo(owner) < count)
      .sort(([, a], [, b]) => a - b)
      .map(([owner]) => owner);
  }

  /** Returns the organizations that hold units, and how many. */
  private active(): [owner: string, units: number][] {
    const active: [string, number][] = [];
    for (const [owner, { units }] of this.holders) if (owner !== null && units > 0) active.push([owner, units]);
    return active;
  }
}
