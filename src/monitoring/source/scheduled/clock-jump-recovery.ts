import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { EndpointSchedule } from '../../../endpoint/endpoint-schedule';
import { WorkerDatabase } from '../../../platform/database/database';
import { DatabaseClock } from '../../../platform/database/database-clock';
import { BackgroundJobs } from '../../../platform/jobs/background-job';
import { MINUTE_MS } from '../../../platform/time/time-units';
import { EndpointStateStore } from '../../record/endpoint-state-store';

const COMPARE_EVERY_MS = 5000;
/** The clock may have been changed while no instance was running. */
const AFTER_START_MS = 2 * COMPARE_EVERY_MS;
/**
 * Results of checks that started before the jump arrive within this time, which allows for two runs with the longest
 * timeout.
 */
const LATE_RESULTS_MS = 10 * MINUTE_MS;

/**
 * Recovers after the database's clock was set back. Slots that were planned with the old time become due soon instead
 * of in the distant future.
 */
@Injectable()
export class ClockJumpRecovery {
  private readonly job;
  private readonly startedAt: number;

  constructor(
    private readonly clock: DatabaseClock,
    private readonly database: WorkerDatabase,
    private readonly schedule: EndpointSchedule,
    private readonly states: EndpointStateStore,
    jobs: BackgroundJobs,
  ) {
    this.startedAt = clock.monotonic();
    this.job = jobs.create({ name: 'clock-jump-recovery', run: () => this.run() });
  }

  @Interval(COMPARE_EVERY_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  private async run(): Promise<void> {
    await this.clock.readNow();
    if (!this.isDue()) return;
    await this.database.transaction(async (tx) => {
      await this.states.forgetFuture(tx);
      await this.schedule.bringForward(tx);
    });
  }

  private isDue(): boolean {
    const now = this.clock.monotonic();
    const { setBackAt } = this.clock;
    return now < this.startedAt + AFTER_START_MS || (setBackAt !== null && now < setBackAt + LATE_RESULTS_MS);
  }
}
