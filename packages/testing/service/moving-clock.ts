import type { INestApplicationContext } from '@nestjs/common';
import { DatabaseClock } from '../../../src/platform/database/database-clock';
import { Clock } from '../../../src/platform/time/clock';

/**
 * Moves the time of one running application forward, both wall clock and monotonic clock. Tests do not wait for real
 * time.
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
   * synchronized with the database, because each reply would shift it by the time the reply took, possibly backwards.
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
