import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { BoundedMap } from '../../cache/bounded-map';
import { WorkerDatabase } from '../../database/database';
import { type BackgroundJob, BackgroundJobs } from '../../jobs/background-job';
import { MINUTE_MS, SECOND_MS } from '../../time/time-units';

/**
 * The limits on stored responses per organization. Above them, the oldest responses are deleted even if they are less
 * than 24 hours old.
 */
export const MOST_KEYS = 10_000;
export const MOST_BYTES = 64 * 1024 * 1024;
/**
 * After this many new keys or bytes in this process, an organization's stored responses are checked against the limits.
 */
const KEYS_BETWEEN = 500;
const BYTES_BETWEEN = 4 * 1024 * 1024;
const MOST_ORGANIZATIONS = 10_000;

const TICK_MS = 5 * SECOND_MS;
const REST_MS = 10 * MINUTE_MS;
/** Rows deleted per statement, so that no statement holds its locks for long. */
const BATCH = 1000;

const EXPIRED = `DELETE FROM idempotency_key WHERE id IN (
  SELECT id FROM idempotency_key WHERE expires_at <= now() ORDER BY expires_at LIMIT ${BATCH}) RETURNING 1`;

const TOO_MANY = `DELETE FROM idempotency_key WHERE id IN (
  SELECT id FROM (
    SELECT id, row_number() OVER newest AS keys, sum(bytes) OVER newest AS bytes
      FROM idempotency_key WHERE org_id = $1 WINDOW newest AS (ORDER BY expires_at DESC, id DESC)) kept
   WHERE keys > $2 OR bytes > $3 LIMIT ${BATCH}) RETURNING 1`;

/**
 * Removes expired responses, and the oldest responses of organizations above the limit. Runs in every process, because
 * processes with `ROLE=api` store responses too.
 */
@Injectable()
export class IdempotencyRetention {
  private readonly job: BackgroundJob;
  /** How much this process has stored per organization since the last check. */
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

  /** Keeps an organization's newest keys and deletes the rest. */
  forgetOldest(orgId: string, keys = MOST_KEYS, bytes = MOST_BYTES): Promise<void> {
    return this.remove(TOO_MANY, [orgId, keys, bytes]);
  }

  private async remove(statement: string, parameters: readonly unknown[]): Promise<void> {
    let removed = BATCH;
    while (removed === BATCH && !this.job.isStopping)
      removed = (await this.database.query(statement, parameters)).length;
  }
}
