/** Enough for two details of each of 100,000 endpoints; about 30 MB when full. */
const CAPACITY = 200_000;

/**
 * Which details this process knows to be stored, and until which day they are marked as seen. Bounded: the ones not
 * asked for longest are forgotten, which costs one needless write each.
 */
export class DetailCache {
  private readonly days = new Map<string, number>();

  constructor(private readonly capacity: number = CAPACITY) {}

  /** Whether the detail is stored and marked as seen on `day` (days since 1970) or later. */
  knows(endpointKey: string, hash: string, day: number): boolean {
    const key = `${endpointKey}/${hash}`;
    const known = this.days.get(key);
    if (known === undefined) return false;
    this.days.delete(key);
    this.days.set(key, known);
    return known >= day;
  }

  /** To be called after the commit only: a rolled-back detail is not stored. */
  remember(endpointKey: string, hash: string, day: number): void {
    const key = `${endpointKey}/${hash}`;
    this.days.delete(key);
    this.days.set(key, day);
    if (this.days.size <= this.capacity) return;
    const oldest = this.days.keys().next();
    if (!oldest.done) this.days.delete(oldest.value);
  }
}
