import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Config } from '../config/config';
import { WorkerDatabase } from '../database/database';
import { earlierNow } from '../database/database-clock';
import { Clock } from '../time/clock';
import { DAY_MS } from '../time/time-units';
import { type BackgroundJob, BackgroundJobs, type JobOptions } from './background-job';

/** Rows deleted per statement, so that no statement holds its locks for long. */
export const RETENTION_BATCH = 1000;

export interface Removal {
  database: WorkerDatabase;
  /**
   * Rows older than this are deleted. Computed from the earlier of the process's clock and the database's clock, so
   * that a single wrong clock can't make all rows look old.
   */
  cutoff: Date;
  /** Called between two statements. If it returns `true`, the run stops early. */
  isStopping: () => boolean;
}

/** How long rows of one kind are kept, and how expired rows are removed. */
export interface KeptRows {
  days: number | ((config: Config) => number);
  remove: (removal: Removal) => Promise<void>;
}

/** A module's retention: its entry in the list of retention, and the job with that name. */
export interface Retention extends Pick<JobOptions, 'name' | 'role'> {
  /** Rows are removed in this order. */
  rows: readonly KeptRows[];
  /** How long the job rests after a run without errors. Default: 0, which means that it runs every hour. */
  restMs?: number;
}

/**
 * Repeats a statement that deletes and returns up to `RETENTION_BATCH` rows until it returns fewer. By default, `$1` is
 * the cutoff.
 */
export const inBatches =
  (statement: string, parametersOf: (cutoff: Date) => readonly unknown[] = (cutoff) => [cutoff]): KeptRows['remove'] =>
  async ({ database, cutoff, isStopping }) => {
    let removed = RETENTION_BATCH;
    while (removed === RETENTION_BATCH && !isStopping())
      removed = (await database.query(statement, parametersOf(cutoff))).length;
  };

/** Removes all modules' expired rows every hour, one `Retention` at a time. A failure does not stop the others. */
@Injectable()
export class RetentionJob {
  private readonly jobs: BackgroundJob[] = [];

  constructor(
    private readonly database: WorkerDatabase,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly background: BackgroundJobs,
  ) {}

  /** Call this once, in the constructor of the module that owns the tables. */
  add(retention: Retention): void {
    const { name, role, restMs } = retention;
    const run = async (): Promise<void> => {
      await this.run(retention, () => job.isStopping);
      job.rest();
    };
    const job = this.background.create({ name, role, restMs, run });
    this.jobs.push(job);
  }

  @Cron('20 17 * * * *')
  async tick(): Promise<void> {
    for (const job of this.jobs) await job.tick();
  }

  async run({ rows }: Retention, isStopping: () => boolean = () => false): Promise<void> {
    const now = (await earlierNow(this.database, this.clock)).getTime();
    for (const { days, remove } of rows) {
      const kept = typeof days === 'number' ? days : days(this.config);
      await remove({ database: this.database, cutoff: new Date(now - kept * DAY_MS), isStopping });
    }
  }
}
