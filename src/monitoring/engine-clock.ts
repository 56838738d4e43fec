import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Config } from '../platform/config/config';
import { WorkerDatabase } from '../platform/database/database';
import { Health } from '../platform/observability/health';
import { Clock } from '../platform/time/clock';
import { MonitoringMetrics } from './monitoring.metrics';

/** A scheduler that has claimed nothing for this long is stuck: only a restart helps. */
const STUCK_MS = 120_000;
const LOOK_EVERY_MS = 5000;
/** A connection and a statement may take nearly as long without any clock being set. */
const JUMP_MS = 45_000;
/** Results of checks that began before the jump come in until then: two runs of the longest timeout. */
const LATE_RESULTS_MS = 10 * 60_000;

// No slot lies further ahead than one and a half intervals.
const BRING_FORWARD = `
  UPDATE endpoint_schedule
     SET next_check_at = now() + make_interval(secs => (phase_ms % (LEAST(interval_seconds, 30) * 1000)) / 1000.0), busy_until = NULL
   WHERE active AND next_check_at > now() + make_interval(secs => 2 * interval_seconds + 10)`;
// A slot before the newest one is taken for recorded.
const FORGET_FUTURE_SLOTS = `
  UPDATE endpoint_state SET last_slot_at = NULL, last_checked_at = LEAST(last_checked_at, now())
   WHERE last_slot_at > now() + interval '10 seconds'`;

/**
 * The database's time seen from this process: slots are due by the database's clock, timers run on our monotonic one, and
 * a jump of either wall clock moves nothing that is already planned.
 */
@Injectable()
export class EngineClock {
  private readonly logger = new Logger(EngineClock.name);
  /** Add to monotonic milliseconds to get the database's milliseconds since the epoch. */
  private offsetMs: number | null = null;
  private lastClaim: number;
  /** Monotonic; from the start on, because the clock may have been set while nobody looked. */
  private repairUntil: number;

  constructor(
    private readonly config: Config,
    readonly database: WorkerDatabase,
    private readonly clock: Clock,
    metrics: MonitoringMetrics,
    health: Health,
  ) {
    this.lastClaim = clock.monotonic();
    this.repairUntil = clock.monotonic() + 2 * LOOK_EVERY_MS;
    health.register('scheduler', () => this.finding());
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
    const offsetMs = nowMs - before;
    if (this.offsetMs !== null && offsetMs < this.offsetMs - JUMP_MS) {
      const seconds = Math.round((this.offsetMs - offsetMs) / 1000);
      this.logger.warn(`The database's clock was set back by ${seconds} s; checks are planned anew.`);
      this.repairUntil = this.clock.monotonic() + LATE_RESULTS_MS;
    }
    this.offsetMs = offsetMs;
  }

  claimed(): void {
    this.lastClaim = this.clock.monotonic();
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

  /** After the database's clock was set back, what was planned by the old time is due soon instead of in the far future. */
  @Interval(LOOK_EVERY_MS)
  async watchForJumps(): Promise<void> {
    if (!this.runsChecks) return;
    try {
      await this.databaseNowMs();
      if (this.clock.monotonic() > this.repairUntil) return;
      await this.database.transaction(async (tx) => {
        await tx.query(FORGET_FUTURE_SLOTS);
        await tx.query(BRING_FORWARD);
      });
    } catch (error) {
      this.logger.warn(`The database's clock could not be looked at: ${String(error)}`);
    }
  }

  private finding(): { ok: boolean; fatal?: boolean; detail: string } {
    const { lagMs } = this;
    return { ok: lagMs < 15_000, fatal: lagMs > STUCK_MS, detail: `last claim ${Math.round(lagMs / 1000)} s ago` };
  }
}
