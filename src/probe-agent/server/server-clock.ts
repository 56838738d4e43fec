import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock';
import { offsetAfter } from '../../platform/time/clock-offset';
import { MINUTE_MS } from '../../platform/time/time-units';

/** A wall clock with a larger error can't be used to decide whether a certificate is valid. */
const MOST_OFF_MS = MINUTE_MS;

/**
 * The time of the service's database, derived from its responses and continued by the local monotonic clock. It is used
 * for slots, leases, and result times. The local wall clock may be wrong or jump, and is only reported.
 */
@Injectable()
export class ServerClock {
  /**
   * The difference between the server's time since the epoch and monotonic milliseconds. `null` before the first
   * response.
   */
  private offsetMs: number | null = null;

  constructor(private readonly clock: Clock) {}

  /**
   * Synchronizes with `nowMs` from a response. The request was sent at `before` and completed at `after`, in monotonic
   * milliseconds.
   */
  synchronize(nowMs: number, before: number, after: number): void {
    this.offsetMs = offsetAfter(this.offsetMs, nowMs, before, after);
  }

  /** Returns milliseconds since the epoch. Before the first response, this is the local wall clock. */
  now(): number {
    return this.clock.monotonic() + this.offset;
  }

  /** Returns the local monotonic time at which the server's clock shows `serverMs`. */
  monotonicAt(serverMs: number): number {
    return serverMs - this.offset;
  }

  /** How far the local wall clock is ahead of the server's clock, in milliseconds. Negative if it is behind. */
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
