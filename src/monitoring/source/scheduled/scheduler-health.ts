import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config';
import { isUnavailable } from '../../../platform/database/postgres-errors';
import { Health, type HealthFinding } from '../../../platform/observability/health';
import { Metrics } from '../../../platform/observability/metrics';
import { Clock } from '../../../platform/time/clock';
import { describe, Overload, type OverloadState, type SkipReason } from '../../../engine/dispatch/overload';
import type { Load } from '../../../engine/dispatch/overload-state';

const NOT_READY_MS = 15_000;
/**
 * A scheduler that has claimed nothing for this long is stuck and needs a restart, unless the database is unavailable.
 */
const STUCK_MS = 120_000;

/**
 * Returns the scheduler's health finding. `lagMs` is the time since the last completed claim. `databaseIsAway` means
 * that the newest claim failed because of the database. Overload is reported but isn't a failure, because neither a
 * restart nor another instance would help.
 */
export function schedulerFinding(
  lagMs: number,
  databaseIsAway: boolean,
  overload: OverloadState | null = null,
): HealthFinding {
  const since = `last claim ${Math.round(lagMs / 1000)} s ago`;
  const detail =
    overload === null
      ? since
      : `${since}; overloaded for ${Math.round(overload.lastedMs / 1000)} s: ${describe(overload)}`;
  return { ok: lagMs < NOT_READY_MS, fatal: lagMs > STUCK_MS && !databaseIsAway, detail };
}

/** Tracks whether this process claims due slots, for its health and a metric. */
@Injectable()
export class SchedulerHealth {
  private lastClaim: number;
  private isAway = false;
  /** When the database became available again after an outage, on the monotonic clock. */
  private databaseBackAt = -Infinity;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    metrics: Metrics,
    health: Health,
    private readonly overload: Overload,
  ) {
    this.lastClaim = clock.monotonic();
    health.register('scheduler', () => schedulerFinding(this.lagMs, this.isAway, overload.state));
    metrics.watch(
      { name: 'uptime_scheduler_lag_seconds', help: 'Age of the last completed claim.' },
      () => this.lagMs / 1000,
    );
  }

  /** False with `ROLE=api`, because such a process runs no scheduled checks. */
  get runsChecks(): boolean {
    return this.config.role !== 'api';
  }

  /** The time since the last completed claim, in milliseconds. */
  get lagMs(): number {
    return this.runsChecks ? this.clock.monotonic() - this.lastClaim : 0;
  }

  get load(): Load {
    return this.overload.load;
  }

  /** Whether the newest claim failed because the database was unavailable. */
  get databaseIsAway(): boolean {
    return this.isAway;
  }

  /** Records that a claim completed, even if it was empty. A process that is working through a backlog is alive. */
  claimed(): void {
    this.lastClaim = this.clock.monotonic();
    if (this.isAway) this.databaseBackAt = this.lastClaim;
    this.isAway = false;
  }

  /** Call this once a second. See `Overload.tick`. */
  ticked(lateMs: number | null): void {
    this.overload.tick(lateMs);
  }

  /** Counts slots that were skipped instead of claimed. The first of them became due at this time. */
  skipped(slots: number, fireAt: number): void {
    this.overload.skipped(this.whySkippedSince(fireAt), slots);
  }

  /** Counts slots that became due while the database was unavailable and won't run anymore. */
  missed(slots: number): void {
    this.overload.skipped('database', slots);
  }

  /**
   * Returns why slots are skipped if the first of them became due at this time. If the database was unavailable then,
   * overload isn't the reason.
   */
  whySkippedSince(fireAt: number): SkipReason {
    return this.isAway || fireAt < this.databaseBackAt ? 'database' : 'overload';
  }

  notClaimed(error: unknown): void {
    this.isAway = isUnavailable(error);
  }
}
