import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config';
import { Metrics } from '../observability/metrics';
import { Clock } from '../time/clock';
import { SECOND_MS } from '../time/time-units';

/** What a periodic job does, and in which processes. */
export interface JobOptions {
  /** In logs and as the label of its metric: `audit-retention`. */
  name: string;
  run: () => Promise<void>;
  /** After a run that called `rest` nothing is done for this long, unless it said how long. Milliseconds, default 0. */
  restMs?: number;
  /** `worker` (the default): everywhere but in processes with `ROLE=api`. `any`: in every process. */
  role?: 'worker' | 'any';
}

/**
 * Work that is repeated by a timer. A run that fails is logged, the first of a row only, and the next tick tries again.
 * Made by `BackgroundJobs.create`; call `tick` from `@Cron` or `@Interval`.
 */
export class BackgroundJob {
  private current: Promise<void> | null = null;
  private isFailing = false;
  private stopping = false;
  /** On the monotonic clock. */
  private restUntil = -Infinity;
  /** Since the run began: what it has found is no longer all there is. */
  private wasWoken = false;

  constructor(
    private readonly options: JobOptions,
    private readonly isEnabled: boolean,
    private readonly clock: Clock,
    private readonly onSuccess: () => void,
    private readonly logger: Logger,
  ) {}

  /** True from the start of the shutdown on: a run of several steps should end after the current one. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /** Called by a run that found nothing to do: the ticks of that time do nothing, unless `wake` was or is called. Milliseconds. */
  rest(forMs = this.options.restMs ?? 0): void {
    if (!this.wasWoken) this.restUntil = this.clock.monotonic() + forMs;
  }

  /** Something is to be done: the next tick runs. */
  wake(): void {
    this.wasWoken = true;
    this.restUntil = -Infinity;
  }

  /** Runs the job unless it is running, resting, stopping or not for this process's role. Resolves after the run; never rejects. */
  async tick(): Promise<void> {
    if (!this.isEnabled || this.stopping || this.current || this.clock.monotonic() < this.restUntil) return;
    this.wasWoken = false;
    this.current = this.runOnce();
    await this.current;
    this.current = null;
  }

  /** No new runs; resolves when the current one has ended. */
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

/** Makes the process's periodic jobs, measures them, and lets the running ones end before the database closes. */
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

  /** Call it once for each job, in the constructor of the class that has the timer. */
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
