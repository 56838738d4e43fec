import type { INestApplicationContext } from '@nestjs/common';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import { Clock } from '../../../src/platform/time/clock';

/**
 * Moves time forward for one running application, both the wall clock and the monotonic clock, so that tests don't wait
 * for real time.
 */
export class MovingClock {
  private constructor(
    clock: Clock,
    private movedMs: number,
    isFrozen: boolean,
  ) {
    const [now, monotonic] = isFrozen ? frozen(clock) : [clock.now.bind(clock), clock.monotonic.bind(clock)];
    clock.now = () => new Date(now().getTime() + this.movedMs);
    clock.monotonic = () => monotonic() + this.movedMs;
  }

  /** `movedMs` is the initial offset, for an application that continues after a restart. */
  static of(app: INestApplicationContext, movedMs = 0): MovingClock {
    return new MovingClock(app.get(Clock), movedMs, false);
  }

  /**
   * Freezes the clock between moves. Even on a slow machine, only `advance` makes something due. The clock is no longer
   * synchronized with the database. Each sync would shift it by the round-trip time, possibly backward.
   */
  static frozenIn(app: INestApplicationContext, movedMs = 0): MovingClock {
    app.get(DatabaseClock).synchronize = () => {};
    return new MovingClock(app.get(Clock), movedMs, true);
  }

  get aheadMs(): number {
    return this.movedMs;
  }

  advance(ms: number): void {
    this.movedMs += ms;
  }
}

function frozen(clock: Clock): [now: () => Date, monotonic: () => number] {
  const [now, monotonic] = [clock.now(), clock.monotonic()];
  return [() => now, () => monotonic];
}
