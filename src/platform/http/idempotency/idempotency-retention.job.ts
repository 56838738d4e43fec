import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { BoundedMap } from '../../cache/bounded-map';
import { WorkerDatabase } from '../../database/database';
import { type BackgroundJob, BackgroundJobs } from '../../jobs/background-job';
import { MINUTE_MS, SECOND_MS } from '../../time/time-units';

/** What one organization may have stored: beyond it the oldest are forgotten before their 24 hours are over. */
export const MOST_KEYS = 10_000;
export const MOST_BYTES = 64 * 1024 * 1024;
/** After so many new ones of an organization, counted by each process, its old ones are looked through. */
const KEYS_BETWEEN = 500;
const BYTES_BETWEEN = 4 * 1024 * 1024;
const MOST_ORGANIZATIONS = 10_000;

const TICK_MS = 5 * SECOND_MS;
const REST_MS = 10 * MINUTE_MS;
/** Rows deleted by one statement, so that none holds its locks for long. */
const BATCH = 1000;

const EXPIRED = `DELETE FROM idempotency_key WHERE id IN (
  SELECT id FROM idempotency_key WHERE expires_at <= now() ORDER BY expires_at LIMIT ${BATCH}) RETURNING 1`;

const TOO_MANY = `DELETE FROM idempotency_key WHERE id IN (
  SELECT id FROM (
    SELECT id, row_number() OVER newest AS keys, sum(bytes) OVER newest AS bytes
      FROM idempotency_key WHERE org_id = $1 WINDOW newest AS (ORDER BY expires_at DESC, id DESC)) kept
   WHERE keys > $2 OR bytes > $3 LIMIT ${BATCH}) RETURNING 1`;

/**
 * Removes stored responses whose time is over, and the oldest of an organization that has too many. In every process:
 * those with `ROLE=api` store them.
 */
@Injectable()
export class IdempotencyRetention {
  private readonly job: BackgroundJob;
  /** What was stored here of each organization since it was last looked through. */
  private readonly stored = new BoundedMap<string, { keys: number; bytes: number }>(MOST_ORGANIZATIONS);
  private readonly full = new Set<string>();

  constructor(
    private readonly database: WorkerDatabase,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'idempotency-retention', run: () => this.run(), restMs: REST_MS, role: 'any' });
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  noteStored(orgId: string, bytes: number): void {
    const before = this.stored.get(orgId) ?? { keys: 0, bytes: 0 };
    const now = { keys: before.keys + 1, bytes: before.bytes + bytes };
    if (now.keys < KEYS_BETWEEN && now.bytes < BYTES_BETWEEN) return void this.stored.set(orgId, now);
    this.stored.delete(orgId);
    this.full.add(orgId);
    this.job.wake();
  }

  async run(): Promise<void> {
    this.job.rest();
    await this.remove(EXPIRED, []);
    for (const orgId of this.full) {
      await this.forgetOldest(orgId);
      this.full.delete(orgId);
    }
  }

  /** Keeps the newest keys of an organization. */
  forgetOldest(orgId: string, keys = MOST_KEYS, bytes = MOST_BYTES): Promise<void> {
    return this.remove(TOO_MANY, [orgId, keys, bytes]);
  }

  private async remove(statement: string, parameters: readonly unknown[]): Promise<void> {
    let removed = BATCH;
    while (removed === BATCH && !this.job.isStopping)
      removed = (await this.database.query(statement, parameters)).length;
  }
}
