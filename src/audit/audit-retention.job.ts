import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Config } from '../platform/config/config';
import { WorkerDatabase } from '../platform/database/database';
import { Clock } from '../platform/time/clock';

const DAY_MS = 86_400_000;
/** Rows deleted by one statement, so that none holds its locks for long. */
const PORTION = 2000;

/** Both logs, and what identifies a row. */
const LOGS = [
  ['audit_log', 'org_id, id'],
  ['operator_audit_log', 'id'],
] as const;

/** Removes entries older than `ROLLUP_RETENTION_DAYS`, as the only one who can. */
@Injectable()
export class AuditRetention implements BeforeApplicationShutdown {
  private readonly logger = new Logger(AuditRetention.name);
  private current: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: WorkerDatabase,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  @Cron('20 17 * * * *', { waitForCompletion: true })
  async everyHour(): Promise<void> {
    if (this.config.role === 'api') return;
    this.current = this.removeOld().catch((error: unknown) =>
      this.logger.warn(`old entries of the audit log could not be removed; it will be repeated: ${String(error)}`),
    );
    await this.current;
  }

  /** Lets the statement in flight end before the database closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.current;
  }

  async removeOld(): Promise<void> {
    const cutoff = new Date(this.clock.now().getTime() - this.config.rollupRetentionDays * DAY_MS);
    for (const [table, key] of LOGS) {
      for (let removed = PORTION; removed === PORTION;) removed = await this.removePortion(table, key, cutoff);
    }
  }

  private removePortion(table: string, key: string, cutoff: Date): Promise<number> {
    return this.database.transaction(async (tx) => {
      await tx.query(`SELECT set_config('uptime.audit_cutoff', $1, true)`, [cutoff.toISOString()]);
      const rows = await tx.query(
        `DELETE FROM ${table} WHERE (${key}) IN (
           SELECT ${key} FROM ${table} WHERE created_at < $1 ORDER BY created_at LIMIT ${PORTION}) RETURNING 1`,
        [cutoff],
      );
      return rows.length;
    });
  }
}
