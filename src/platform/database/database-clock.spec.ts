import { Logger } from '@nestjs/common';
import { Clock } from '../time/clock';
import type { WorkerDatabase } from './database';
import { DatabaseClock } from './database-clock';

const HOUR = 3_600_000;
/** The database's time at which the monotonic clock is 0. */
const EPOCH = Date.UTC(2026, 10, 20);

class MovableClock extends Clock {
  elapsedMs = 0;
  movedMs = 0;

  override now(): Date {
    return new Date(Date.now() + this.movedMs);
  }

  override monotonic(): number {
    return this.elapsedMs;
  }
}

describe('DatabaseClock', () => {
  let clock: MovableClock;
  let databaseClock: DatabaseClock;
  /** How far the database's clock is offset, and how long each reply takes. */
  let database: { setMs: number; replyMs: number; meanwhile?: () => void };

  beforeEach(() => {
    // A test's clock shift is the difference between two readings, so no real time may pass between them.
    jest.spyOn(Date, 'now').mockReturnValue(EPOCH);
    clock = new MovableClock();
    database = { setMs: 0, replyMs: 0 };
    const query = () => {
      const now = EPOCH + clock.elapsedMs + database.setMs;
      clock.elapsedMs += database.replyMs;
      database.meanwhile?.();
      delete database.meanwhile;
      return Promise.resolve([{ now }]);
    };
    databaseClock = new DatabaseClock(clock, { query } as unknown as WorkerDatabase);
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  });
  afterEach(() => jest.restoreAllMocks());

  it('advances the database time with the monotonic clock', async () => {
    await databaseClock.readNow();
    clock.elapsedMs += 90_000;
    expect(databaseClock.now()).toEqual(new Date(EPOCH + 90_000));
    expect(databaseClock.monotonicAt(EPOCH + 100_000)).toBe(100_000);
  });

  it('does not make a slot early when a frozen database replies late', async () => {
    await databaseClock.readNow();
    const due = databaseClock.monotonicAt(EPOCH + HOUR);
    database.replyMs = 20_000;
    await databaseClock.readNow();
    expect(databaseClock.monotonicAt(EPOCH + HOUR)).toBe(due);
    expect(databaseClock.setBackAt).toBeNull();
  });

  it('notices that the database’s clock was set back, and follows it', async () => {
    await databaseClock.readNow();
    clock.elapsedMs = 5_000;
    database.setMs = -HOUR;
    await databaseClock.readNow();
    expect(databaseClock.setBackAt).toBe(5_000);
    expect(databaseClock.now()).toEqual(new Date(EPOCH + 5_000 - HOUR));
  });

  it('follows a database’s clock that was set ahead without calling it a set-back', async () => {
    await databaseClock.readNow();
    database.setMs = HOUR;
    await databaseClock.readNow();
    expect(databaseClock.setBackAt).toBeNull();
    expect(databaseClock.now()).toEqual(new Date(EPOCH + HOUR));
  });

  it('moves with a Clock that a test moves', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(EPOCH);
    clock.movedMs = HOUR;
    await databaseClock.readNow();
    expect(databaseClock.now()).toEqual(new Date(EPOCH + HOUR));
  });

  it.each(['between two replies', 'while a reply was under way'])(
    'moves as far as a test moves both clocks of the service %s, and does not treat it as a set-back of the database',
    async (when) => {
      jest.spyOn(Date, 'now').mockReturnValue(EPOCH);
      await databaseClock.readNow();
      const move = (): void => {
        clock.movedMs += HOUR;
        clock.elapsedMs += HOUR;
        // Sets the database's clock back, so that it differs from the process's clock.
        database.setMs -= HOUR;
      };
      if (when === 'between two replies') move();
      else database.meanwhile = move;
      await databaseClock.readNow();
      await databaseClock.readNow();
      expect(databaseClock.now()).toEqual(new Date(EPOCH + HOUR));
      expect(databaseClock.setBackAt).toBeNull();
      expect(databaseClock.monotonicAt(EPOCH + 1000)).toBe(HOUR + 1000);
    },
  );

  it('uses the wall clock of the service until the database has responded', () => {
    jest.spyOn(Date, 'now').mockReturnValue(EPOCH - 1000);
    clock.elapsedMs = 500;
    expect(databaseClock.now()).toEqual(new Date(EPOCH - 1000));
    expect(databaseClock.monotonicAt(EPOCH)).toBe(1500);
  });
});
