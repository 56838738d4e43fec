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
/** What another process began to remove and left behind, when it was killed, is found after this long at most. */
const REST_MS = MINUTE_MS;
/** Rows that one statement removes, so that none holds its locks for long. */
const BATCH = 1000;
/** A row that somebody else holds is waited for no longer: the next run tries again. */
const LIMITS = { lockMs: 2 * SECOND_MS };

/**
 * What the identity module keeps of an organization, children before parents: a key would take its sessions along. The sessions of
 * people stand for no organization then; `person-retention` finds those who are in no other one.
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

/** Removes deleted organizations in steps, each a short transaction; goes on after a restart. */
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

  /** Goes on with one organization for a request, which has done its part: what fails here is left to the job. */
  async help(orgId: string, budgetMs: number): Promise<void> {
    await this.purge(orgId, budgetMs).catch((error: unknown) =>
      this.logger.warn(
        `Could not remove ${formatId('organization', orgId)} completely, continuing in the background: ${String(error)}`,
      ),
    );
    this.job.wake();
  }

  /** Works on one organization for this many milliseconds, one step at least, or until nothing is left of it. The job does the rest. */
  async purge(orgId: string, budgetMs: number): Promise<void> {
    const end = this.clock.monotonic() + budgetMs;
    let hasMore = true;
    while (hasMore && !this.job.isStopping) hasMore = (await this.step(orgId)) && this.clock.monotonic() < end;
  }

  /** True when there may be more to remove. The row lock lets one process at a time work on an organization. */
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
