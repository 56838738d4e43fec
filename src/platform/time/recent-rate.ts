const SECOND_MS = 1000;
const SECONDS = 4;

/** The number of events per second over the last four seconds. Times are in monotonic milliseconds. */
export class RecentRate {
  /** Contains one more second than is reported: the current one. */
  private readonly counts = new Map<number, number>();

  add(count: number, now: number): void {
    const second = this.secondOf(now);
    this.counts.set(second, (this.counts.get(second) ?? 0) + count);
  }

  /** Returns the rate over complete seconds, so that it doesn't drop at the start of each second. */
  perSecond(now: number): number {
    const current = this.counts.get(this.secondOf(now)) ?? 0;
    return ([...this.counts.values()].reduce((sum, count) => sum + count, 0) - current) / SECONDS;
  }

  /** Returns the second that contains `now`, and removes the seconds that are too old. */
  private secondOf(now: number): number {
    const second = Math.floor(now / SECOND_MS);
    for (const known of this.counts.keys()) if (known < second - SECONDS) this.counts.delete(known);
    return second;
  }
}
