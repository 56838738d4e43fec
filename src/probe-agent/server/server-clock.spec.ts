import { Clock } from '../../platform/time/clock';
import { ServerClock } from './server-clock';

const DAY = 86_400_000;
/** The server's time at monotonic 0. */
const EPOCH = Date.UTC(2026, 10, 26);

class SetClock extends Clock {
  elapsedMs = 0;
  wallOffMs = 0;

  override now(): Date {
    return new Date(EPOCH + this.elapsedMs + this.wallOffMs);
  }

  override monotonic(): number {
    return this.elapsedMs;
  }
}

describe('ServerClock', () => {
  let own: SetClock;
  let clock: ServerClock;
  beforeEach(() => {
    own = new SetClock();
    clock = new ServerClock(own);
  });
  /** Simulates a request with these durations in both directions. */
  const ask = (thereMs: number, backMs: number): void => {
    const before = own.elapsedMs;
    const now = EPOCH + before + thereMs;
    own.elapsedMs += thereMs + backMs;
    clock.synchronize(now, before, own.elapsedMs);
  };

  it.each([0, 5 * 60_000, -5 * 60_000, 400 * DAY, -400 * DAY])(
    'has the time of the server with a wall clock that is %i ms off, and reports the difference (Icinga #9790, #3274)',
    (wallOffMs) => {
      own.wallOffMs = wallOffMs;
      ask(5, 5);
      expect(clock.now()).toBeCloseTo(EPOCH + own.elapsedMs - 5, 3);
      expect(clock.monotonicAt(clock.now())).toBeCloseTo(own.elapsedMs, 3);
      expect(clock.wallAheadMs).toBeCloseTo(wallOffMs + 5, 3);
      expect(clock.isWallClockOff).toBe(Math.abs(wallOffMs) > 60_000);
    },
  );

  it('is never ahead, and is as precise as the quickest response allows', () => {
    for (const [there, back] of [
      [20, 400],
      [15_000, 80],
      [3, 12],
      [300, 900],
    ] as const)
      ask(there, back);
    expect(EPOCH + own.elapsedMs - clock.now()).toBeCloseTo(12, 3);
  });

  it('does not move with a wall clock that is set while it runs', () => {
    ask(1, 1);
    const before = clock.now();
    own.wallOffMs = -3_600_000;
    expect(clock.now()).toBe(before);
  });

  it('uses the wall clock of the probe until the server has responded', () => {
    own.wallOffMs = 1234;
    expect(clock.now()).toBe(EPOCH + 1234);
  });
});
