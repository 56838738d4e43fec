import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { WorkerDatabase } from './database';
import { Clock } from '../time/clock';

/** Monotonic clocks drift by seconds a day; the database is asked again long before that matters. */
const COMPARE_EVERY_MS = 600_000;

/**
 * The database's time, counted on by our monotonic clock. Due times and leases are compared between instances, so all
 * take them from here and none from its own wall clock, which may be wrong or jump. Read from the database rarely, and
 * passed to SQL as a parameter. A test that moves `Clock` moves this one with it.
 */
@Injectable()
export class DatabaseClock implements OnModuleInit, OnModuleDestroy {
  private databaseMs = 0;
  private monotonicMs = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly database: WorkerDatabase,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.compare();
    this.timer = setInterval(() => void this.compare().catch(() => {}), COMPARE_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  now(): Date {
    return new Date(Math.round(this.databaseMs + this.clock.monotonic() - this.monotonicMs));
  }

  /** For lease checks of our own: never jumps, also not when the database's time is read anew. */
  monotonic(): number {
    return this.clock.monotonic();
  }

  private async compare(): Promise<void> {
    const asked = this.clock.monotonic();
    const [row] = await this.database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    if (!row) throw new Error('the database did not tell the time');
    const moved = this.clock.now().getTime() - Date.now();
    const answered = this.clock.monotonic();
    this.databaseMs = row.now.getTime() + moved;
    this.monotonicMs = (asked + answered) / 2;
  }
}
