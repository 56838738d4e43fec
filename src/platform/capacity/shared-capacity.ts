import { ByOwner, type Owner } from './by-owner';

/** What makes an owner large, in averages; of more than so many only the largest count. */
const LARGE = 1.5;
const MOST_LARGE = 8;

/**
 * A capacity whose shares follow what is free: each owner may take a unit while it uses fewer than are free. So a lone owner
 * holds at most half, of `n` that want all they can get each holds 1 / (n + 1), and a part is always left for whoever comes
 * next, however long the others keep theirs.
 */
export class SharedCapacity extends ByOwner {
  /** False while there is only one owner in the world: then nobody else can come, and it may take every place. */
  isShared = true;

  /**
   * So many places may be handed out at once to owners that are not known yet: no more than the share of one who holds
   * none, and few enough that hardly anybody who holds some is near the limit (`ownersNearLimit`).
   */
  get share(): number {
    return this.isShared ? Math.ceil(this.free / 4) : this.free;
  }

  override hasShareFor(owner: Owner, units = 1): boolean {
    return !this.isShared || this.usedBy(owner) + units <= this.free;
  }

  /** How many places the owner may take one after the other, if nobody else takes or returns one. */
  availableTo(owner: Owner): number {
    return this.isShared ? Math.max(0, Math.ceil((this.free - this.usedBy(owner)) / 2)) : this.free;
  }

  /**
   * Those that hold half as much again as the average of all that hold something, the largest first, at most a few. While
   * more is wanted than there is, the others come before them. Takes time for each owner.
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

  /** The owners that may take fewer than `count` more, those first that hold the least. Takes time for each owner. */
  ownersNearLimit(count: number): string[] {
    if (!this.isShared) return [];
    return this.active()
      .filter(([owner]) => this.availableTo(owner) < count)
      .sort(([, a], [, b]) => a - b)
      .map(([owner]) => owner);
  }

  /** Organizations that hold something, and how much. */
  private active(): [owner: string, units: number][] {
    const active: [string, number][] = [];
    for (const [owner, { units }] of this.holders) if (owner !== null && units > 0) active.push([owner, units]);
    return active;
  }
}
