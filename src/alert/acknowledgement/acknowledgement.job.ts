import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { WorkerDatabase } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { IncidentAcknowledgementService } from './incident-acknowledgement.service';
import { type BackgroundJob, BackgroundJobs } from '../../platform/jobs/background-job';

/**
 * Removes acknowledgements whose time is over; nobody reads them from then on, but whoever follows the stream is told so. What
 * a process that died left of an incident's is finished.
 */
@Injectable()
export class AcknowledgementJob {
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
    private readonly incidents: IncidentAcknowledgementService,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'acknowledgements', run: () => this.run() });
  }

  @Cron('*/5 * * * * *')
  tick(): Promise<void> {
    return this.job.tick();
  }

  /** What one look does. */
  async run(): Promise<void> {
    await this.removeOver();
    await this.incidents.finishAll();
  }

  /** Rows that somebody has locked are left for the next time. Cost: a scan of a table that holds what is open now. */
  async removeOver(): Promise<void> {
    await this.database.query(
      `DELETE FROM acknowledgement WHERE endpoint_id IN (
         SELECT endpoint_id FROM acknowledgement WHERE until <= $1 FOR UPDATE SKIP LOCKED)`,
      [this.clock.now()],
    );
  }
}
