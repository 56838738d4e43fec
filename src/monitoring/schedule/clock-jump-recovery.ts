import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { EndpointSchedule } from '../../endpoint/endpoint-schedule';
import { EndpointStateStore } from '../record/endpoint-state-store';
import { SchedulerClock } from './scheduler-health';

const LOOK_EVERY_MS = 5000;
/** The clock may have been set while no process looked. */
const AFTER_START_MS = 2 * LOOK_EVERY_MS;
/** Results of checks that began before the jump come in until then: two runs of the longest timeout. */
const LATE_RESULTS_MS = 10 * 60_000;

/** After the database's clock was set back, what was planned by the old time is due soon instead of in the far future. */
@Injectable()
export class ClockJumpRecovery {
  private readonly logger = new Logger(ClockJumpRecovery.name);
  private readonly startedAt: number;

  constructor(
    private readonly clock: SchedulerClock,
    private readonly schedule: EndpointSchedule,
    private readonly states: EndpointStateStore,
  ) {
    this.startedAt = clock.monotonic();
  }

  @Interval(LOOK_EVERY_MS)
  async look(): Promise<void> {
    if (!this.clock.runsChecks) return;
    try {
      await this.clock.databaseNowMs();
      if (!this.isDue()) return;
      await this.clock.database.transaction(async (tx) => {
        await this.states.forgetFuture(tx);
        await this.schedule.bringForward(tx);
      });
    } catch (error) {
      this.logger.warn(`The database's clock could not be looked at: ${String(error)}`);
    }
  }

  private isDue(): boolean {
    const now = this.clock.monotonic();
    const { setBackAt } = this.clock;
    return now < this.startedAt + AFTER_START_MS || (setBackAt !== null && now < setBackAt + LATE_RESULTS_MS);
  }
}
