import type { INestApplicationContext } from '@nestjs/common';
import { Clock } from '../../src/platform/time/clock';

/** Moves the time of one running application forward, wall clock and monotonic clock alike. Nothing waits for real. */
export class MovingClock {
  private constructor(
    clock: Clock,
    private movedMs: number,
  ) {
    const [now, monotonic] = [clock.now.bind(clock), clock.monotonic.bind(clock)];
    clock.now = () => new Date(now().getTime() + this.movedMs);
    clock.monotonic = () => monotonic() + this.movedMs;
  }

  /** `movedMs`: how far it is ahead from the start, for an application that goes on after another one. */
  static of(app: INestApplicationContext, movedMs = 0): MovingClock {
    return new MovingClock(app.get(Clock), movedMs);
  }

  get aheadMs(): number {
    return this.movedMs;
  }

  advance(ms: number): void {
    this.movedMs += ms;
  }
}
