import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock';
import { offsetAfter } from '../../platform/time/clock-offset';
import { MINUTE_MS } from '../../platform/time/time-units';

/** A wall clock that is further off cannot tell whether a certificate is valid. */
const MOST_OFF_MS = MINUTE_MS;

/**
 * The time of the service's database, counted on by our monotonic clock from what its responses say. Slots, leases and the
 * times of results are all of it; our own wall clock, which may be wrong or jump, is only reported.
 */
@Injectable()
export class ServerClock {
  /** Add to monotonic milliseconds to get the server's since the epoch; `null` before the first response. */
  private offsetMs: number | null = null;

  constructor(private readonly clock: Clock) {}

  /** A request sent at `before` and answered by `after` (monotonic) was told `nowMs`. */
  synchronize(nowMs: number, before: number, after: number): void {
    this.offsetMs = offsetAfter(this.offsetMs, nowMs, before, after);
  }

  /** Milliseconds since the epoch. Before the first response our wall clock stands in. */
  now(): number {
    return this.clock.monotonic() + this.offset;
  }

  /** The moment of our monotonic clock at which the server's shows `serverMs`. */
  monotonicAt(serverMs: number): number {
    return serverMs - this.offset;
  }

  /** How far our wall clock is ahead of the server's, milliseconds; negative when it is behind. */
  get wallAheadMs(): number {
    return this.clock.now().getTime() - this.now();
  }

  get isWallClockOff(): boolean {
    return Math.abs(this.wallAheadMs) > MOST_OFF_MS;
  }

  private get offset(): number {
    return this.offsetMs ?? this.clock.now().getTime() - this.clock.monotonic();
  }
}
