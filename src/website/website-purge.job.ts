import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { OrganizationPurge } from '../identity/organization/organization-events';
import { type Tx, WorkerDatabase } from '../platform/database/database';
import { TransactionEvents } from '../platform/events/transaction-events';
import { formatId } from '../platform/ids/id';
import { type BackgroundJob, BackgroundJobs } from '../platform/jobs/background-job';
import { eachInTurn } from '../platform/jobs/each-in-turn';
import { Clock } from '../platform/time/clock';
import { MINUTE_MS, SECOND_MS } from '../platform/time/time-units';
import { WebsitePurge } from './website-events';

const TICK_MS = 5 * SECOND_MS;
/** The maximum time until the job finds a website that a killed process did not finish removing. */
const REST_MS = MINUTE_MS;
/** A locked row is skipped after this time, and the next run tries again. */
const LIMITS = { lockMs: 2 * SECOND_MS };

/** Removes deleted websites in steps, each of which is a short transaction. Continues after a restart. */
@Injectable()
export class WebsitePurgeJob {
  private readonly logger = new Logger(WebsitePurgeJob.name);
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly events: TransactionEvents,
    private readonly clock: Clock,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'website-purge', run: () => this.run(), restMs: REST_MS });
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  /** Websites of a deleted organization are removed together with it. */
  async run(): Promise<void> {
    const deleted = await this.database.query<{ id: string; orgId: string }>(
      `SELECT w.id, w.org_id AS "orgId" FROM website w JOIN organization o ON o.id = w.org_id
        WHERE w.deleted_at IS NOT NULL AND o.deleted_at IS NULL ORDER BY w.deleted_at LIMIT 100`,
    );
    if (deleted.length === 0) this.job.rest();
    await eachInTurn(deleted, ({ orgId, id }) => this.purge(orgId, id, Infinity));
  }

  /**
   * Continues removing a website on behalf of a request that has already succeeded. If this fails, the job takes over.
   */
  async help(orgId: string, id: string, budgetMs: number): Promise<void> {
    await this.purge(orgId, id, budgetMs).catch((error: unknown) =>
      this.logger.warn(
        `Could not remove ${formatId('website', id)} completely, continuing in the background: ${String(error)}`,
      ),
    );
    this.job.wake();
  }

  /**
   * Works on one website for this many milliseconds (at least one step) or until it is removed. The job does the rest.
   */
  async purge(orgId: string, id: string, budgetMs: number): Promise<void> {
    const end = this.clock.monotonic() + budgetMs;
    let hasMore = true;
    while (hasMore && !this.job.isStopping) {
      const left = await this.database.transaction((tx) => this.step(tx, orgId, id), LIMITS);
      hasMore = left && this.clock.monotonic() < end;
    }
  }

  /** Runs one step for a website of an organization that is being removed. */
  async purgeOf(tx: Tx, organization: OrganizationPurge): Promise<void> {
    const [website] = await tx.query<{ id: string }>('SELECT id FROM website WHERE org_id = $1 ORDER BY id LIMIT 1', [
      organization.orgId,
    ]);
    if (!website) return;
    await this.step(tx, organization.orgId, website.id);
    organization.leave();
  }

  /**
   * Returns true if there may be more to remove. The row lock ensures that one process at a time works on a website.
   */
  private async step(tx: Tx, orgId: string, id: string): Promise<boolean> {
    const [row] = await tx.query('SELECT 1 FROM website WHERE id = $1 FOR NO KEY UPDATE', [id]);
    if (!row) return false;
    const step = new WebsitePurge(orgId, id);
    await this.events.emit(step, tx);
    if (step.hasMore) return true;
    await tx.query('DELETE FROM website WHERE id = $1', [id]);
    return false;
  }
}
