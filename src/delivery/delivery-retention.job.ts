import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Config } from '../platform/config/config';
import { WorkerDatabase } from '../platform/database/database';
import { firstUuidAt } from '../platform/ids/id';
import { DatabaseClock } from '../platform/database/database-clock';

const DAY_MS = 86_400_000;
/** Finished messages are shown this long. */
const KEEP_DAYS = 90;
/** A given-up message can be revived for a day; its snapshot of a config goes after that. */
const KEEP_SNAPSHOT_MS = DAY_MS;
const BATCH = 1000;

/** Removes what nobody needs any more, in small steps: old messages, snapshots of configs, idle destinations. */
@Injectable()
export class DeliveryRetention {
  private readonly logger = new Logger(DeliveryRetention.name);

  constructor(
    private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  async tick(): Promise<void> {
    if (this.config.role === 'api') return;
    try {
      await this.run();
    } catch (error) {
      this.logger.warn(`old messages could not be removed: ${String(error)}`);
    }
  }

  async run(): Promise<void> {
    const now = this.clock.now().getTime();
    await this.database.query(
      `UPDATE notification SET config = NULL WHERE config IS NOT NULL AND state <> 'pending' AND finished_at < $1
         AND id >= $2`,
      [new Date(now - KEEP_SNAPSHOT_MS), firstUuidAt(new Date(now - 10 * DAY_MS))],
    );
    const horizon = new Date(now - KEEP_DAYS * DAY_MS);
    for (let removed = BATCH; removed === BATCH;) removed = await this.removeSome(horizon);
    await this.database.query(
      `DELETE FROM notification_destination
       WHERE due_at IS NULL AND tokens_at < $1 AND (blocked_until IS NULL OR blocked_until < $1)`,
      [new Date(now - DAY_MS)],
    );
  }

  /** Ids are in the order of their creation: the oldest rows are the first of the primary key. */
  private async removeSome(horizon: Date): Promise<number> {
    const rows = await this.database.query(
      `DELETE FROM notification WHERE id IN (
         SELECT id FROM notification WHERE id < $1 AND state <> 'pending' AND finished_at < $2 ORDER BY id LIMIT ${BATCH})
       RETURNING 1`,
      [firstUuidAt(horizon), horizon],
    );
    return rows.length;
  }
}
