import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { WorkerDatabase } from '../../platform/database/database';
import { isUnavailable } from '../../platform/database/postgres-errors';
import { Health, type HealthFinding } from '../../platform/observability/health';
import { Clock } from '../../platform/time/clock';
import { MonitoringMetrics } from '../monitoring.metrics';

const NOT_READY_MS = 15_000;
/** A scheduler that has claimed nothing for this long is stuck, and only a restart helps, unless it waits for the database. */
const STUCK_MS = 120_000;
/** A connection and a statement may take nearly as long without any clock being set. */
const JUMP_MS = 45_000;

/** `lagMs`: age of the last completed claim. `databaseIsAway`: that is why the newest one failed. */
export function schedulerFinding(lagMs: number, databaseIsAway: boolean): HealthFinding {
  const detail = `last claim ${Math.round(lagMs / 1000)} s ago`;
  return { ok: lagMs < NOT_READY_MS, fatal: lagMs > STUCK_MS && !databaseIsAway, detail };
}

/**
 * What to add to the monotonic clock to get the database's, once it has told its time `nowMs` somewhen between `before` and
 * `after`: what was believed, as far as that is possible. An answer that came late makes nothing early.
 */
export function offsetAfter(believedMs: number | null, nowMs: number, before: number, after: number): number {
  const least = nowMs - after;
  return Math.min(Math.max(believedMs ?? least, least), nowMs - before);
}

/**
 * The database's time seen from this process: slots are due by the database's clock, timers run on our monotonic one, and
 * a jump of either wall clock moves nothing that is already planned.
 */
@Injectable()
export class SchedulerClock {
  private readonly logger = new Logger(SchedulerClock.name);
  /** Add to monotonic milliseconds to get the database's milliseconds since the epoch. */
  private offsetMs: number | null = null;
  private lastClaim: number;
  private databaseIsAway = false;
  /** Monotonic; when this process last noticed that the database's clock had been set back. */
  setBackAt: number | null = null;

  constructor(
    private readonly config: Config,
    readonly database: WorkerDatabase,
    private readonly clock: Clock,
    metrics: MonitoringMetrics,
    health: Health,
  ) {
    this.lastClaim = clock.monotonic();
    health.register('scheduler', () => schedulerFinding(this.lagMs, this.databaseIsAway));
    metrics.watch(
      { name: 'uptime_scheduler_lag_seconds', help: 'Age of the last completed claim.' },
      () => this.lagMs / 1000,
    );
  }

  get runsChecks(): boolean {
    return this.config.role !== 'api';
  }

  /** Milliseconds since the last completed claim. */
  get lagMs(): number {
    return this.runsChecks ? this.clock.monotonic() - this.lastClaim : 0;
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  /** A statement begun at `before` (monotonic) was answered with the database's time `nowMs`. */
  synchronize(nowMs: number, before: number): void {
    const now = this.clock.monotonic();
    const offsetMs = offsetAfter(this.offsetMs, nowMs, before, now);
    if (this.offsetMs !== null && offsetMs < this.offsetMs - JUMP_MS) {
      const seconds = Math.round((this.offsetMs - offsetMs) / 1000);
      this.logger.warn(`The database's clock was set back by ${seconds} s; checks are planned anew.`);
      this.setBackAt = now;
    }
    this.offsetMs = offsetMs;
  }

  claimed(): void {
    this.lastClaim = this.clock.monotonic();
    this.databaseIsAway = false;
  }

  notClaimed(error: unknown): void {
    this.databaseIsAway = isUnavailable(error);
  }

  /** When a slot is due on the monotonic clock. */
  monotonicAt(slotMs: number): number {
    return slotMs - (this.offsetMs ?? this.clock.now().getTime() - this.clock.monotonic());
  }

  /** The database's time now, to the millisecond. */
  async databaseNowMs(): Promise<number> {
    const before = this.clock.monotonic();
    const [row] = await this.database.query<{ now: number }>('SELECT extract(epoch FROM now())::float8 * 1000 AS now');
    if (!row) throw new Error('the database did not tell the time');
    this.synchronize(row.now, before);
    return Math.round(row.now);
  }
}
