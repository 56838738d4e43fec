import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { removeSomeEntries } from '../../audit/audit-log';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { removeSomeKeys } from '../../platform/http/idempotency/idempotency-keys';
import { formatId } from '../../platform/ids/id';
import { type BackgroundJob, BackgroundJobs } from '../../platform/jobs/background-job';
import { eachInTurn } from '../../platform/jobs/each-in-turn';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS, SECOND_MS } from '../../platform/time/time-units';
import { OrganizationPurge } from './organization-events';

const TICK_MS = 5 * SECOND_MS;
/** The maximum time until another process picks up a removal whose process was killed. */
const REST_MS = MINUTE_MS;
/** Rows removed per statement, so that no statement holds its locks for long. */
const BATCH = 1000;
/** How long to wait for a row that another session has locked. The next run tries again. */
const LIMITS = { lockMs: 2 * SECOND_MS };

/**
 * The identity module's rows that belong to an organization, children before parents, because deleting a key deletes
 * its sessions. Afterwards, people's sessions belong to no organization. `person-retention` finds people who have no
 * other organization.
 */
const OWNED = [
  `WITH gone AS (
     DELETE FROM membership WHERE (person_id, org_id) IN (
       SELECT person_id, org_id FROM membership WHERE org_id = $1 ORDER BY created_at, person_id LIMIT ${BATCH}) RETURNING person_id),
   left_behind AS (
     UPDATE session s SET org_id = NULL FROM gone WHERE s.person_id = gone.person_id AND s.org_id = $1)
   SELECT FROM gone`,
  `DELETE FROM invitation WHERE id IN (SELECT id FROM invitation WHERE org_id = $1 ORDER BY id LIMIT ${BATCH}) RETURNING 1`,
  `DELETE FROM session WHERE hash IN (
     SELECT s.hash FROM session s JOIN api_key k ON k.id = s.key_id WHERE k.org_id = $1 LIMIT ${BATCH}) RETURNING 1`,
  `DELETE FROM api_key WHERE id IN (SELECT id FROM api_key WHERE org_id = $1 ORDER BY id LIMIT ${BATCH}) RETURNING 1`,
];

/** Removes deleted organizations in steps, each a short transaction. Continues after a restart. */
@Injectable()
export class OrganizationPurgeJob {
  private readonly logger = new Logger(OrganizationPurgeJob.name);
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly events: TransactionEvents,
    private readonly clock: Clock,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'organization-purge', run: () => this.run(), restMs: REST_MS });
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  async run(): Promise<void> {
    const deleted = await this.database.query<{ id: string }>(
      'SELECT id FROM organization WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 100',
    );
    if (deleted.length === 0) this.job.rest();
    await eachInTurn(deleted, ({ id }) => this.purge(id, Infinity));
  }

  /** Continues the removal of one organization within a request. If this fails, the job takes over. */
  async help(orgId: string, budgetMs: number): Promise<void> {
    await this.purge(orgId, budgetMs).catch((error: unknown) =>
      this.logger.warn(
        `Could not remove ${formatId('organization', orgId)} completely, continuing in the background: ${String(error)}`,
      ),
    );
    this.job.wake();
  }

  /**
   * Removes rows of one organization until this many milliseconds have passed or nothing is left. Takes at least one
   * step. The job does the rest.
   */
  async purge(orgId: string, budgetMs: number): Promise<void> {
    const end = this.clock.monotonic() + budgetMs;
    let hasMore = true;
    while (hasMore && !this.job.isStopping) hasMore = (await this.step(orgId)) && this.clock.monotonic() < end;
  }

  /**
   * Returns true if there may be more to remove. The row lock ensures that only one process at a time works on an
   * organization.
   */
  private step(orgId: string): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const [row] = await tx.query(
        'SELECT 1 FROM organization WHERE id = $1 AND deleted_at IS NOT NULL FOR NO KEY UPDATE',
        [orgId],
      );
      if (!row) return false;
      const step = new OrganizationPurge(orgId);
      await this.events.emit(step, tx);
      if (!step.hasMore) await removeOwn(tx, step);
      if (step.hasMore) return true;
      await tx.query('DELETE FROM organization WHERE id = $1', [orgId]);
      tx.afterCommit(() => this.logger.log(`Organization ${formatId('organization', orgId)} is completely removed`));
      return false;
    }, LIMITS);
  }
}

async function removeOwn(tx: Tx, step: OrganizationPurge): Promise<void> {
  for (const statement of OWNED) {
    const removed = await tx.query(statement, [step.orgId]);
    if (removed.length === BATCH) return step.leave();
  }
  if ((await removeSomeKeys(tx, step.orgId, BATCH)) === BATCH) return step.leave();
  if ((await removeSomeEntries(tx, step.orgId, BATCH)) === BATCH) step.leave();
}
