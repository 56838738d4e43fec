import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config';
import { Metrics } from '../observability/metrics';
import { Clock } from '../time/clock';
import { SECOND_MS } from '../time/time-units';

/** A periodic job's work, and the processes in which it runs. */
export interface JobOptions {
  /** The name used in logs and as the metric label, such as `audit-retention`. */
  name: string;
  run: () => Promise<void>;
  /** How long the job rests after a run that called `rest` without a time, in milliseconds. Default: 0. */
  restMs?: number;
  /** `worker` (default): in all processes except those with `ROLE=api`. `any`: in every process. */
  role?: 'worker' | 'any';
}

/**
 * Work that a timer repeats. If several runs in a row fail, only the first failure is logged, and the next tick tries
 * again. Create a job with `BackgroundJobs.create` and call `tick` from `@Cron` or `@Interval`.
 */
export class BackgroundJob {
  private current: Promise<void> | null = null;
  private isFailing = false;
  private stopping = false;
  /** A monotonic time. */
  private restUntil = -Infinity;
  /** Whether `wake` was called since the run started. In that case, the run may have missed new work. */
  private wasWoken = false;

  constructor(
    private readonly options: JobOptions,
    private readonly isEnabled: boolean,
    private readonly clock: Clock,
    private readonly onSuccess: () => void,
    private readonly logger: Logger,
  ) {}

  /** True as soon as the shutdown starts. A run with several steps should stop after the current step. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /**
   * Call this in a run that found nothing to do. Ticks do nothing for `forMs` milliseconds, unless `wake` was called
   * since the run started or is called later.
   */
  rest(forMs = this.options.restMs ?? 0): void {
    if (!this.wasWoken) this.restUntil = this.clock.monotonic() + forMs;
  }

  /** Records that there is work, so that the next tick runs. */
  wake(): void {
    this.wasWoken = true;
    this.restUntil = -Infinity;
  }

  /**
   * Runs the job unless it is already running, resting, stopping, or disabled for this process's role. Resolves after
   * the run. Never rejects.
   */
  async tick(): Promise<void> {
    if (!this.isEnabled || this.stopping || this.current || this.clock.monotonic() < this.restUntil) return;
    this.wasWoken = false;
    this.current = this.runOnce();
    await this.current;
    this.current = null;
  }

  /** Prevents new runs. Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.current;
  }

  private async runOnce(): Promise<void> {
    const { name, run } = this.options;
    try {
      await run();
      if (this.isFailing) this.logger.log(`${name} works again`);
      this.isFailing = false;
      this.onSuccess();
    } catch (error) {
      if (!this.isFailing) this.logger.error(`${name} failed, will try again: ${describe(error)}`);
      this.isFailing = true;
    }
  }
}

/**
 * Creates the process's periodic jobs, collects metrics about them, and lets running jobs finish before the database
 * closes.
 */
@Injectable()
export class BackgroundJobs implements BeforeApplicationShutdown {
  private readonly logger = new Logger(BackgroundJob.name);
  private readonly jobs: BackgroundJob[] = [];
  private readonly succeededAt;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.succeededAt = metrics.gauge({
      name: 'uptime_job_last_success_timestamp_seconds',
      help: 'When the periodic job last ended without an error, in seconds since the epoch.',
      labelNames: ['job'],
    });
  }

  /** Call this once per job, in the constructor of the class that has the timer. */
  create(options: JobOptions): BackgroundJob {
    const isEnabled = options.role === 'any' || this.config.role !== 'api';
    const onSuccess = () => this.succeededAt.set({ job: options.name }, this.clock.now().getTime() / SECOND_MS);
    const job = new BackgroundJob(options, isEnabled, this.clock, onSuccess, this.logger);
    this.jobs.push(job);
    return job;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.jobs.map((job) => job.stop()));
  }
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
