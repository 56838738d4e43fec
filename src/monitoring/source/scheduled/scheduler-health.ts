import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config';
import { isUnavailable } from '../../../platform/database/postgres-errors';
import { Health, type HealthFinding } from '../../../platform/observability/health';
import { Metrics } from '../../../platform/observability/metrics';
import { Clock } from '../../../platform/time/clock';
import { describe, Overload, type OverloadState, type SkipReason } from '../../../engine/dispatch/overload';
import type { Load } from '../../../engine/dispatch/overload-state';

const NOT_READY_MS = 15_000;
/** A scheduler that has claimed nothing for this long is stuck and needs a restart, unless the database is unavailable. */
const STUCK_MS = 120_000;

/**
 * `lagMs`: age of the last completed claim. `databaseIsAway`: that is why the newest one failed. Overload is told and is
 * no fault: all that can be done is done, and elsewhere no more of it would be.
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

/** Whether this process claims what falls due: a part of its health, and a metric. */
@Injectable()
export class SchedulerHealth {
  private lastClaim: number;
  private isAway = false;
  /** When the database responded again after it had been away; monotonic. */
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

  /** False with ROLE=api: such a process checks nothing on its own. */
  get runsChecks(): boolean {
    return this.config.role !== 'api';
  }

  /** Milliseconds since the last completed claim. */
  get lagMs(): number {
    return this.runsChecks ? this.clock.monotonic() - this.lastClaim : 0;
  }

  /** What this process does now. */
  get load(): Load {
    return this.overload.load;
  }

  /** The newest claim failed, because the database was away. */
  get databaseIsAway(): boolean {
    return this.isAway;
  }

  /** A claim was made, maybe of nothing: whoever works off a backlog is alive. */
  claimed(): void {
    this.lastClaim = this.clock.monotonic();
    if (this.isAway) this.databaseBackAt = this.lastClaim;
    this.isAway = false;
  }

  /** Once a second; see `Overload.tick`. */
  ticked(lateMs: number | null): void {
    this.overload.tick(lateMs);
  }

  /** Slots that were skipped instead of claimed. */
  skipped(slots: number): void {
    this.overload.skipped('overload', slots);
  }

  /** Counts slots that fell due while the database was away and are not run anymore. */
  missed(slots: number): void {
    this.overload.skipped('database', slots);
  }

  /** Why slots are skipped of which the first fell due at this time: not for want of room, if the database was away by then. */
  whySkippedSince(fireAt: number): SkipReason {
    return this.isAway || fireAt < this.databaseBackAt ? 'database' : 'overload';
  }

  notClaimed(error: unknown): void {
    this.isAway = isUnavailable(error);
  }
}
