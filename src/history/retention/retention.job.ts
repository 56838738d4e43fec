import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { HistoryRetention } from './history-retention';
import { Partitions } from '../write/partitions';
import { Config } from '../../platform/config/config';

/** When history is prepared and cleared: partitions ahead of their day, deleted endpoints soon, old days by and by. */
@Injectable()
export class HistoryRetentionJob implements BeforeApplicationShutdown {
  private readonly logger = new Logger(HistoryRetentionJob.name);
  private current: Promise<void> = Promise.resolve();

  constructor(
    private readonly partitions: Partitions,
    private readonly history: HistoryRetention,
    private readonly config: Config,
  ) {}

  @Cron('40 * * * * *', { waitForCompletion: true })
  everyMinute(): Promise<void> {
    return this.run('Removing the history of deleted endpoints', () => this.history.removeDeletedEndpoints());
  }

  @Cron('50 7 * * * *', { waitForCompletion: true })
  everyHour(): Promise<void> {
    return this.run('Preparing partitions and removing old history', async () => {
      await this.partitions.createAhead();
      await this.history.removeOld();
    });
  }

  /** Lets the statement in flight end before the database closes. */
  async beforeApplicationShutdown(): Promise<void> {
    this.history.stop();
    await this.current;
  }

  private async run(what: string, work: () => Promise<void>): Promise<void> {
    if (this.config.role === 'api') return;
    const before = this.current;
    this.current = before
      .then(work)
      .catch((error: unknown) => this.logger.error(`${what} failed; it will be repeated`, error));
    await this.current;
  }
}
