import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Config } from '../platform/config/config';
import { WorkerDatabase } from '../platform/database/database';
import { earlierNow } from '../platform/database/database-clock';
import { BackgroundJobs } from '../platform/jobs/background-job';
import { Clock } from '../platform/time/clock';
import { DAY_MS } from '../platform/time/time-units';

/** Rows deleted by one statement, so that none holds its locks for long. */
const BATCH = 2000;

/** Both logs, and what identifies a row. */
const LOGS = [
  ['audit_log', 'org_id, id'],
  ['operator_audit_log', 'id'],
] as const;

/** Removes entries older than `ROLLUP_RETENTION_DAYS`: by this and with their organization, in no other way. */
@Injectable()
export class AuditRetention {
  private readonly job;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly config: Config,
    private readonly clock: Clock,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'audit-retention', run: () => this.removeOld() });
  }

  @Cron('20 17 * * * *')
  tick(): Promise<void> {
    return this.job.tick();
  }

  async removeOld(): Promise<void> {
    const now = await earlierNow(this.database, this.clock);
    const cutoff = new Date(now.getTime() - this.config.rollupRetentionDays * DAY_MS);
    for (const [table, key] of LOGS) {
      let removed = BATCH;
      while (removed === BATCH && !this.job.isStopping) removed = await this.removeBatch(table, key, cutoff);
    }
  }

  /** The trigger on the table lets rows go that are older than `uptime.audit_cutoff`. */
  private removeBatch(table: string, key: string, cutoff: Date): Promise<number> {
    return this.database.transaction(async (tx) => {
      await tx.query(`SELECT set_config('uptime.audit_cutoff', $1, true)`, [cutoff.toISOString()]);
      const rows = await tx.query(
        `DELETE FROM ${table} WHERE (${key}) IN (
           SELECT ${key} FROM ${table} WHERE created_at < $1 ORDER BY created_at LIMIT ${BATCH}) RETURNING 1`,
        [cutoff],
      );
      return rows.length;
    });
  }
}
