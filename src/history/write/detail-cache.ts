import { BoundedMap } from '../../platform/cache/bounded-map';

/** Enough for two details of each of 100,000 endpoints; about 30 MB when full. */
const CAPACITY = 200_000;

/**
 * Which details this process knows to be stored, and until which day they are marked as seen. Bounded: the least recently
 * used ones are evicted, which costs one needless write each.
 */
export class DetailCache {
  private readonly days: BoundedMap<string, number>;

  constructor(capacity: number = CAPACITY) {
    this.days = new BoundedMap(capacity);
  }

  /** Whether the detail is stored and marked as seen on `day` (days since 1970) or later. */
  knows(endpointKey: string, hash: string, day: number): boolean {
    return (this.days.get(`${endpointKey}/${hash}`) ?? -Infinity) >= day;
  }

  /** Call it only after the commit: a rolled-back detail is not stored. */
  remember(endpointKey: string, hash: string, day: number): void {
    this.days.set(`${endpointKey}/${hash}`, day);
  }
}
