const SECOND_MS = 1000;
const SECONDS = 4;

/** How often something happened per second, over the last four seconds. Times are monotonic milliseconds. */
export class RecentRate {
  /** One more than is asked for: the second that is not over yet. */
  private readonly counts = new Map<number, number>();

  add(count: number, now: number): void {
    const second = this.secondOf(now);
    this.counts.set(second, (this.counts.get(second) ?? 0) + count);
  }

  /** Of the seconds that are over, so that it does not fall at the start of each. */
  perSecond(now: number): number {
    const current = this.counts.get(this.secondOf(now)) ?? 0;
    return ([...this.counts.values()].reduce((sum, count) => sum + count, 0) - current) / SECONDS;
  }

  /** The second of `now`; forgets those that are over for too long. */
  private secondOf(now: number): number {
    const second = Math.floor(now / SECOND_MS);
    for (const known of this.counts.keys()) if (known < second - SECONDS) this.counts.delete(known);
    return second;
  }
}
