import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DatabaseServer } from '../database/database-server';
import { EmbeddedMaintenance } from '../database/embedded/embedded-maintenance';
import { Clock } from '../time/clock';
import { HOUR_MS, MINUTE_MS } from '../time/time-units';
import { type BackgroundJob, BackgroundJobs } from './background-job';

const HOT_VACUUM_EVERY_MS = 3 * MINUTE_MS;
const FULL_VACUUM_EVERY_MS = HOUR_MS;

/**
 * Schedules maintenance for the embedded database, one step at a time. A PostgreSQL server maintains itself and doesn't
 * need this job.
 */
@Injectable()
export class EmbeddedMaintenanceJob {
  private readonly job: BackgroundJob | null;
  private hotVacuumAt: number;
  private fullVacuumAt: number;

  constructor(
    server: DatabaseServer,
    private readonly maintenance: EmbeddedMaintenance,
    private readonly clock: Clock,
    jobs: BackgroundJobs,
  ) {
    const now = clock.monotonic();
    this.hotVacuumAt = now + HOT_VACUUM_EVERY_MS;
    this.fullVacuumAt = now + FULL_VACUUM_EVERY_MS;
    this.job = server.isEmbedded
      ? jobs.create({ name: 'embedded-maintenance', run: () => this.run(), role: 'any' })
      : null;
  }

  @Interval(MINUTE_MS)
  async tick(): Promise<void> {
    await this.job?.tick();
  }

  /** If a step fails, it is due again at the next tick. */
  private async run(): Promise<void> {
    await this.maintenance.checkpoint();
    const now = this.clock.monotonic();
    if (now >= this.hotVacuumAt) {
      await this.maintenance.vacuumHotTables();
      this.hotVacuumAt = now + HOT_VACUUM_EVERY_MS;
    }
    if (now >= this.fullVacuumAt) {
      await this.maintenance.vacuumAll();
      this.fullVacuumAt = now + FULL_VACUUM_EVERY_MS;
    }
  }
}
