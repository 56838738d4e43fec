import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { meterChanges } from '../../audit/changed-bytes';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Database, WorkerDatabase } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { BackgroundJobs } from '../../platform/jobs/background-job';
import { SECOND_MS } from '../../platform/time/time-units';

const WRITE_EVERY_MS = 5 * SECOND_MS;
/** The maximum delay until writes by other instances are known here. */
const KNOWN_MS = 5 * SECOND_MS;
const MAX_KNOWN = 10_000;

// Cost: one row by key for each organization with changes in the last few seconds. The order keeps instances from
// blocking each other. Deleted organizations are skipped.
const WRITE = `
  INSERT INTO organization_change (org_id, day, bytes)
  SELECT o.id, $1::date, n.bytes
    FROM unnest($2::uuid[], $3::bigint[]) AS n (org_id, bytes) JOIN organization o ON o.id = n.org_id ORDER BY o.id
      ON CONFLICT (org_id) DO UPDATE
     SET bytes = excluded.bytes + CASE WHEN organization_change.day = excluded.day THEN organization_change.bytes ELSE 0 END,
         day = excluded.day`;

const READ = 'SELECT bytes::float8 AS bytes FROM organization_change WHERE org_id = $1 AND day = $2::date';

/**
 * Counts how much data each organization's changes have added on the current UTC day, by the database's clock. Changes
 * are counted in memory after each commit. The counts are added to the database every five seconds and when the process
 * exits. A killed process loses up to five seconds of counts. Counts from other instances are known here five seconds
 * later.
 */
@Injectable()
export class ChangedBytes implements OnModuleInit, BeforeApplicationShutdown {
  private pending = new Map<string, number>();
  private writing: ReadonlyMap<string, number> = new Map();
  private readonly known = new BoundedMap<string, { at: number; day: string; bytes: number }>(MAX_KNOWN);
  private readonly job;

  constructor(
    private readonly database: Database,
    private readonly worker: WorkerDatabase,
    private readonly clock: DatabaseClock,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'changed-bytes', role: 'any', run: () => this.write() });
  }

  onModuleInit(): void {
    for (const database of [this.database, this.worker])
      meterChanges(database, (orgId, bytes) => this.note(orgId, bytes));
  }

  @Interval(WRITE_EVERY_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.write();
  }

  /**
   * Returns how many bytes the organization's changes have added today, including bytes that this process has not
   * written yet.
   */
  async today(orgId: string): Promise<number> {
    const [day, now] = [this.day(), this.clock.monotonic()];
    let known = this.known.get(orgId);
    if (!known || known.day !== day || now - known.at >= KNOWN_MS) {
      const [row] = await this.database.query<{ bytes: number }>(READ, [orgId, day]);
      known = { at: now, day, bytes: row?.bytes ?? 0 };
      this.known.set(orgId, known);
    }
    return known.bytes + (this.writing.get(orgId) ?? 0) + (this.pending.get(orgId) ?? 0);
  }

  untilTomorrow(): number {
    const now = this.clock.now();
    const tomorrow = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
    return Math.ceil((tomorrow - now.getTime()) / SECOND_MS);
  }

  /** Writes the pending counts. If the write fails, they become pending again. */
  async write(): Promise<void> {
    if (this.pending.size === 0 || this.writing.size > 0) return;
    [this.writing, this.pending] = [this.pending, new Map()];
    const written = this.writing;
    try {
      const bytes = [...written.values()].map(Math.round);
      await this.worker.query(WRITE, [this.day(), [...written.keys()], bytes]);
      for (const orgId of written.keys()) this.known.delete(orgId);
    } catch (error) {
      written.forEach((bytes, orgId) => this.note(orgId, bytes));
      throw error;
    } finally {
      this.writing = new Map();
    }
  }

  private note(orgId: string, bytes: number): void {
    this.pending.set(orgId, (this.pending.get(orgId) ?? 0) + bytes);
  }

  private day(): string {
    return this.clock.now().toISOString().slice(0, 10);
  }
}
