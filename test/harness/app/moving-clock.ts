import type { INestApplicationContext } from '@nestjs/common';
import { Clock } from '../../../src/platform/time/clock';

/** Moves the time of one running application forward, wall clock and monotonic clock alike. Nothing waits for real. */
export class MovingClock {
  private constructor(
    clock: Clock,
    private movedMs: number,
    stands: boolean,
  ) {
    const [now, monotonic] = stands ? standing(clock) : [clock.now.bind(clock), clock.monotonic.bind(clock)];
    clock.now = () => new Date(now().getTime() + this.movedMs);
    clock.monotonic = () => monotonic() + this.movedMs;
  }

  /** `movedMs`: how far it is ahead from the start, for an application that goes on after another one. */
  static of(app: INestApplicationContext, movedMs = 0): MovingClock {
    return new MovingClock(app.get(Clock), movedMs, false);
  }

  /** Stands still between the moves: however slow the machine is, nothing falls due but by `advance`. */
  static standingIn(app: INestApplicationContext, movedMs = 0): MovingClock {
    return new MovingClock(app.get(Clock), movedMs, true);
  }

  get aheadMs(): number {
    return this.movedMs;
  }

  advance(ms: number): void {
    this.movedMs += ms;
  }
}

function standing(clock: Clock): [now: () => Date, monotonic: () => number] {
  const [now, monotonic] = [clock.now(), clock.monotonic()];
  return [() => now, () => monotonic];
}
