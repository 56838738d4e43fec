import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { WorkerDatabase } from '../platform/database/database';
import { earlierNow } from '../platform/database/database-clock';
import { firstUuidAt } from '../platform/ids/id';
import { type BackgroundJob, BackgroundJobs } from '../platform/jobs/background-job';
import { Clock } from '../platform/time/clock';
import { DAY_MS } from '../platform/time/time-units';

/** Finished deliveries are listed this long. */
const KEEP_DAYS = 90;
/** Another config can revive a failed delivery for a day; its snapshot of a config goes after that. */
const KEEP_SNAPSHOT_MS = DAY_MS;
const BATCH = 1000;

// One that fails keeps its state while a contact notifies there: since when is shown with the contact. At most 1,000 contacts
// of an organization are looked at for each of them.
const REMOVE_IDLE = `
  DELETE FROM notification_destination d
   WHERE due_at IS NULL AND tokens_at < $1 AND (blocked_until IS NULL OR blocked_until < $1)
     AND (failing_since IS NULL
       OR NOT EXISTS (SELECT FROM contact c WHERE c.org_id = d.org_id AND c.destination = d.destination))`;

/**
 * Removes what is needed no more, in small steps: old deliveries, snapshots of configs, the state of idle destinations. Old
 * is what both our clock and the database's call old.
 */
@Injectable()
export class DeliveryRetentionJob {
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'delivery-retention', run: () => this.run() });
  }

  @Cron(CronExpression.EVERY_HOUR)
  tick(): Promise<void> {
    return this.job.tick();
  }

  async run(): Promise<void> {
    const now = (await earlierNow(this.database, this.clock)).getTime();
    await this.database.query(
      `UPDATE notification SET config = NULL WHERE config IS NOT NULL AND state <> 'pending' AND finished_at < $1
         AND id >= $2`,
      [new Date(now - KEEP_SNAPSHOT_MS), firstUuidAt(new Date(now - 10 * DAY_MS))],
    );
    const horizon = new Date(now - KEEP_DAYS * DAY_MS);
    for (let removed = BATCH; removed === BATCH && !this.job.isStopping;) removed = await this.removeBatch(horizon);
    await this.database.query(REMOVE_IDLE, [new Date(now - DAY_MS)]);
  }

  /** Ids are in the order of their creation: the oldest rows are the first of the primary key. */
  private async removeBatch(horizon: Date): Promise<number> {
    const rows = await this.database.query(
      `DELETE FROM notification WHERE id IN (
         SELECT id FROM notification WHERE id < $1 AND state <> 'pending' AND finished_at < $2 ORDER BY id LIMIT ${BATCH})
       RETURNING 1`,
      [firstUuidAt(horizon), horizon],
    );
    return rows.length;
  }
}
