import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import type { OrganizationPurge } from '../identity/organization/organization-events';
import { type Sql, type Tx, WorkerDatabase } from '../platform/database/database';
import { earlierNow } from '../platform/database/database-clock';
import { type BackgroundJob, BackgroundJobs } from '../platform/jobs/background-job';
import { Clock } from '../platform/time/clock';
import { DAY_MS } from '../platform/time/time-units';

/** As long as days of uptime are kept: they say how much of them was planned. */
const KEPT_DAYS = 400;
/** Rows deleted by one statement, so that none holds its locks for long. */
const BATCH = 2000;

const OLD = [
  `DELETE FROM maintenance_occurrence WHERE (window_id, starts_at) IN (
     SELECT window_id, starts_at FROM maintenance_occurrence WHERE ends_at < $1 AND over ORDER BY ends_at LIMIT ${BATCH}) RETURNING 1`,
  `DELETE FROM maintenance_window WHERE id IN (
     SELECT id FROM maintenance_window WHERE ends_at < $1 AND planned_until = 'infinity' LIMIT ${BATCH}) RETURNING 1`,
];

// Cost: all scopes, each with a probe of two indexes. Once a day.
const UNUSED = `
  DELETE FROM maintenance_scope WHERE id IN (
    SELECT id FROM maintenance_scope s
     WHERE NOT EXISTS (SELECT FROM maintenance_window m WHERE m.scope_id = s.id)
       AND NOT EXISTS (SELECT FROM maintenance_occurrence o WHERE o.scope_id = s.id) LIMIT ${BATCH}) RETURNING 1`;

/** What an organization owns, children before parents. */
const OWNED = [
  `DELETE FROM maintenance_occurrence WHERE (window_id, starts_at) IN (
     SELECT window_id, starts_at FROM maintenance_occurrence WHERE org_id = $1 LIMIT ${BATCH}) RETURNING 1`,
  `DELETE FROM maintenance_window WHERE id IN (SELECT id FROM maintenance_window WHERE org_id = $1 LIMIT ${BATCH}) RETURNING 1`,
  `DELETE FROM maintenance_scope WHERE id IN (SELECT id FROM maintenance_scope WHERE org_id = $1 LIMIT ${BATCH}) RETURNING 1`,
];

/** Removes what ended more than 400 days ago, scopes that nothing has any more, and what a deleted organization owned. */
@Injectable()
export class MaintenanceRetention {
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'maintenance-retention', run: () => this.removeOld() });
  }

  @Cron('50 37 3 * * *')
  tick(): Promise<void> {
    return this.job.tick();
  }

  async removeOld(): Promise<void> {
    const now = await earlierNow(this.database, this.clock);
    const cutoff = new Date(now.getTime() - KEPT_DAYS * DAY_MS);
    for (const statement of OLD) await this.removeAll(statement, [cutoff]);
    await this.removeAll(UNUSED, []);
  }

  /** One step of removing a deleted organization. */
  async removeSome(tx: Tx, step: OrganizationPurge): Promise<void> {
    for (const statement of OWNED) {
      if ((await removed(tx, statement, [step.orgId])) < BATCH) continue;
      step.leave();
      return;
    }
  }

  private async removeAll(statement: string, parameters: readonly unknown[]): Promise<void> {
    while ((await removed(this.database, statement, parameters)) === BATCH && !this.job.isStopping);
  }
}

const removed = async (sql: Sql, statement: string, parameters: readonly unknown[]): Promise<number> =>
  (await sql.query(statement, parameters)).length;
