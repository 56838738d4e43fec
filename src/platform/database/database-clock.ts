import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../time/clock';
import { offsetAfter } from '../time/clock-offset';
import { type Sql, WorkerDatabase } from './database';
import { epochMs } from './epoch-ms';

/** Monotonic clocks drift by seconds a day; the database is asked again long before that matters. */
const READ_EVERY_MS = 600_000;
/** A connection and a statement may take nearly as long without any clock having been set. */
const SET_BACK_MS = 45_000;

/** The database's time, milliseconds since the epoch. */
export async function readDatabaseTime(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ now: number }>(`SELECT ${epochMs('clock_timestamp()')} AS now`);
  if (!row) throw new Error('the database did not report its time');
  return row.now;
}

/**
 * The earlier of this process's time and the database's: for deciding what is old enough to be deleted, so that one wrong
 * clock cannot make everything old. Asks the database.
 */
export async function earlierNow(sql: Sql, clock: Clock): Promise<Date> {
  return new Date(Math.min(clock.now().getTime(), Math.round(await readDatabaseTime(sql))));
}

/**
 * The database's time, counted on by our monotonic clock. Slots, due times and leases are compared between instances, so
 * all take them from here and none from its own wall clock, which may be wrong or jump: that moves nothing that is
 * already planned. Passed to SQL as a parameter. A test that moves `Clock` moves this one with it.
 */
@Injectable()
export class DatabaseClock implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(DatabaseClock.name);
  /** Add to monotonic milliseconds to get the database's milliseconds since the epoch. */
  private offsetMs: number | null = null;
  /** How far a test has moved our wall clock; 0 outside of tests. */
  private movedMs = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Monotonic; when this process last noticed that the database's clock had been set back. */
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

  /** What the database's clock showed, or will, at a moment of the monotonic clock. */
  dateAt(monotonicMs: number): Date {
    return new Date(Math.round(monotonicMs + this.offset + this.movedMs));
  }

  /** Milliseconds for measuring and for leases of our own: never jumps, also not when the estimate changes. */
  monotonic(): number {
    return this.clock.monotonic();
  }

  /** The moment on the monotonic clock at which the database's clock shows `databaseMs`. */
  monotonicAt(databaseMs: number): number {
    return databaseMs - this.offset;
  }

  /** A statement begun at `before` (monotonic) has just returned the database's time `nowMs`. */
  synchronize(nowMs: number, before: number): void {
    const after = this.clock.monotonic();
    const movedMs = this.clock.now().getTime() - Date.now();
    // What a test has moved is in our monotonic clock and not in the database's: it is no news of the database.
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

  /** Asks the database for its time now, to the millisecond. */
  async readNow(): Promise<number> {
    const before = this.clock.monotonic();
    const nowMs = await readDatabaseTime(this.database);
    this.synchronize(nowMs, before);
    return Math.round(nowMs);
  }

  /** Our own wall clock stands in until the database was asked for the first time. */
  private get offset(): number {
    return this.offsetMs ?? this.clock.now().getTime() - this.clock.monotonic();
  }
}
