import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { SuppressionEnded } from '../../endpoint/endpoint-events';
import { WorkerDatabase } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { type BackgroundJob, BackgroundJobs } from '../../platform/jobs/background-job';
import { IncidentAcknowledgementService } from './incident-acknowledgement.service';

const IS_ANY_OVER = 'SELECT FROM acknowledgement WHERE until <= $1 LIMIT 1';
const REMOVE_OVER = `
  DELETE FROM acknowledgement WHERE endpoint_id IN (
    SELECT endpoint_id FROM acknowledgement WHERE until <= $1 FOR UPDATE SKIP LOCKED)
  RETURNING endpoint_id AS id`;

/**
 * Removes expired acknowledgements and announces that in the live stream. They are ignored as soon as they expire
 * anyway. Also completes acknowledgements of incidents that a process left unfinished when it died.
 */
@Injectable()
export class AcknowledgementJob {
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
    private readonly events: TransactionEvents,
    private readonly incidents: IncidentAcknowledgementService,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'acknowledgements', run: () => this.run() });
  }

  @Cron('*/5 * * * * *')
  tick(): Promise<void> {
    return this.job.tick();
  }

  async run(): Promise<void> {
    await this.removeOver();
    await this.incidents.finishAll();
  }

  /**
   * Removes expired acknowledgements. Locked rows are left for the next run. Cost: a scan of a table that only contains
   * open acknowledgements.
   */
  async removeOver(): Promise<void> {
    const now = [this.clock.now()];
    if ((await this.database.query(IS_ANY_OVER, now)).length === 0) return;
    await this.database.transaction(async (tx) => {
      const over = await tx.query<{ id: string }>(REMOVE_OVER, now);
      await this.events.emit(new SuppressionEnded({ endpointIds: over.map(({ id }) => id) }), tx);
    });
  }
}
