import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { type BackgroundJob, BackgroundJobs } from '../../platform/jobs/background-job';
import { Partitions } from '../write/partitions';
import { HistoryRetention } from './history-retention';

/** Every minute, purges deleted endpoints. Every hour, creates partitions ahead of time and removes old history. */
@Injectable()
export class HistoryRetentionJob {
  private readonly purge: BackgroundJob;
  private readonly retention: BackgroundJob;
  private previous: Promise<void> = Promise.resolve();

  constructor(partitions: Partitions, history: HistoryRetention, jobs: BackgroundJobs) {
    this.purge = jobs.create({
      name: 'history-purge',
      run: () => this.inTurn(() => history.removeDeletedEndpoints(() => this.purge.isStopping)),
    });
    this.retention = jobs.create({
      name: 'history-retention',
      run: () =>
        this.inTurn(async () => {
          await partitions.createAhead();
          await history.removeOld(() => this.retention.isStopping);
        }),
    });
  }

  @Cron('40 * * * * *')
  everyMinute(): Promise<void> {
    return this.purge.tick();
  }

  @Cron('50 7 * * * *')
  everyHour(): Promise<void> {
    return this.retention.tick();
  }

  /** The purge deletes rows from the partitions that retention drops, so the two must not run at the same time. */
  private async inTurn(work: () => Promise<void>): Promise<void> {
    const run = this.previous.then(work);
    this.previous = run.catch(() => {});
    await run;
  }
}
