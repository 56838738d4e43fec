import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../time/clock';
import { offsetAfter } from '../time/clock-offset';
import { type Sql, WorkerDatabase } from './database';
import { epochMs } from './epoch-ms';

/** Monotonic clocks drift by seconds per day. The database's time is read again long before that matters. */
const READ_EVERY_MS = 600_000;
/** A connection and a statement can take nearly this long even if the clock wasn't changed. */
const SET_BACK_MS = 45_000;

/** Returns the database's time in milliseconds since the epoch. */
export async function readDatabaseTime(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ now: number }>(`SELECT ${epochMs('clock_timestamp()')} AS now`);
  if (!row) throw new Error('the database did not report its time');
  return row.now;
}

/**
 * Returns the earlier of this process's time and the database's time. Use it to decide what is old enough to delete, so
 * that a single wrong clock can't make all data look old. Cost: one statement.
 */
export async function earlierNow(sql: Sql, clock: Clock): Promise<Date> {
  return new Date(Math.min(clock.now().getTime(), Math.round(await readDatabaseTime(sql))));
}

/**
 * The database's time, advanced by this process's monotonic clock. Instances compare slots, due times, and leases, so
 * all of them use this clock. No instance uses its own wall clock, which may be wrong or jump. A jump doesn't move
 * anything that is already scheduled. The time is passed to SQL as a parameter. A test that moves `Clock` moves this
 * clock as well.
 */
@Injectable()
export class DatabaseClock implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(DatabaseClock.name);
  /** The offset from monotonic milliseconds to the database's milliseconds since the epoch. */
  private offsetMs: number | null = null;
  /** How far a test has moved the wall clock. 0 outside tests. */
  private movedMs = 0;
  private timer: NodeJS.Timeout | undefined;
  /** When this process last noticed that the database's clock was set back, as a monotonic time. */
  setBackAt: number | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly database: WorkerDatabase,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.readNow();
    this.timer = setInterval(() => void this.readNow().catch(() => {}), READ_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  now(): Date {
    return this.dateAt(this.clock.monotonic());
  }

  /** Returns the database's time for a monotonic time. */
  dateAt(monotonicMs: number): Date {
    return new Date(Math.round(monotonicMs + this.offset + this.movedMs));
  }

  /** Returns milliseconds for measurements and local leases. Never jumps, even if the estimate changes. */
  monotonic(): number {
    return this.clock.monotonic();
  }

  /** Returns the monotonic time at which the database's clock shows `databaseMs`. */
  monotonicAt(databaseMs: number): number {
    return databaseMs - this.offset;
  }

  /**
   * Updates the offset after a statement that started at `before` (monotonic) and returned the database's time `nowMs`.
   */
  synchronize(nowMs: number, before: number): void {
    const after = this.clock.monotonic();
    const movedMs = this.clock.now().getTime() - Date.now();
    // A test moves this process's monotonic clock but not the database's clock, so the shift doesn't count as a change
    // to the database's clock.
    const estimateMs = this.offsetMs === null ? null : this.offsetMs - (movedMs - this.movedMs);
    const offsetMs = offsetAfter(estimateMs, nowMs, before, after);
    if (estimateMs !== null && offsetMs < estimateMs - SET_BACK_MS) {
      const seconds = Math.round((estimateMs - offsetMs) / 1000);
      this.logger.warn(`The clock of the database was set back by ${seconds} s; checks are rescheduled.`);
      this.setBackAt = after;
    }
    this.offsetMs = offsetMs;
    this.movedMs = movedMs;
  }

  /** Reads the database's current time, to the millisecond. */
  async readNow(): Promise<number> {
    const before = this.clock.monotonic();
    const nowMs = await readDatabaseTime(this.database);
    this.synchronize(nowMs, before);
    return Math.round(nowMs);
  }

  /** Uses this process's wall clock until the database's time has been read for the first time. */
  private get offset(): number {
    return this.offsetMs ?? this.clock.now().getTime() - this.clock.monotonic();
  }
}
