import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { isUnavailable } from '../../platform/database/postgres-errors';
import { Health, type HealthFinding } from '../../platform/observability/health';
import { Clock } from '../../platform/time/clock';
import { MonitoringMetrics } from '../monitoring.metrics';

const NOT_READY_MS = 15_000;
/** A scheduler that has claimed nothing for this long is stuck and needs a restart, unless the database is unavailable. */
const STUCK_MS = 120_000;

/** `lagMs`: age of the last completed claim. `databaseIsAway`: that is why the newest one failed. */
export function schedulerFinding(lagMs: number, databaseIsAway: boolean): HealthFinding {
  const detail = `last claim ${Math.round(lagMs / 1000)} s ago`;
  return { ok: lagMs < NOT_READY_MS, fatal: lagMs > STUCK_MS && !databaseIsAway, detail };
}

/** Whether this process claims what falls due: a part of its health, and a metric. */
@Injectable()
export class SchedulerHealth {
  private lastClaim: number;
  private databaseIsAway = false;

  constructor(
    private readonly config: Config,
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

  /** False with ROLE=api: such a process checks nothing on its own. */
  get runsChecks(): boolean {
    return this.config.role !== 'api';
  }

  /** Milliseconds since the last completed claim. */
  get lagMs(): number {
    return this.runsChecks ? this.clock.monotonic() - this.lastClaim : 0;
  }

  claimed(): void {
    this.lastClaim = this.clock.monotonic();
    this.databaseIsAway = false;
  }

  notClaimed(error: unknown): void {
    this.databaseIsAway = isUnavailable(error);
  }
}
