import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { type BackgroundJob, BackgroundJobs } from '../../platform/jobs/background-job';
import { Clock } from '../../platform/time/clock';
import { HistoryMetrics } from '../history.metrics';
import { RollupSteps, type StepResult } from './rollup-steps';
import { SECOND_MS } from '../../platform/time/time-units';

/** Endpoints (or late hours) in the first step; the portions after it depend on the measured time. */
const FIRST_PORTION = 100;
const PORTION_BOUNDS = { min: 16, max: 5000 };

/** Milliseconds a step should take: during it the embedded database serves no other query. */
const STEP_MS = { low: 75, high: 250 };

/** The size of the next portion: doubled after a quick full step, halved after a slow one. */
export function nextPortion(portion: number, elapsedMs: number, full: boolean): number {
  if (elapsedMs > STEP_MS.high) return Math.max(Math.floor(portion / 2), PORTION_BOUNDS.min);
  if (elapsedMs < STEP_MS.low && full) return Math.min(portion * 2, PORTION_BOUNDS.max);
  return portion;
}

/**
 * Builds all hourly and daily stats that are due, once a minute: after days without a process it catches up. Runs in every
 * worker process; the lock of the steps lets only one of them make progress.
 */
@Injectable()
export class RollupJob {
  private readonly job: BackgroundJob;

  constructor(
    private readonly steps: RollupSteps,
    private readonly clock: Clock,
    private readonly metrics: HistoryMetrics,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({
      name: 'history-rollup',
      run: () =>
        this.run().catch((error: unknown) => {
          this.metrics.rollupFailures.inc();
          throw error;
        }),
    });
  }

  @Cron('20 * * * * *')
  tick(): Promise<void> {
    return this.job.tick();
  }

  /** Builds everything that is due now; at shutdown it ends after the step in progress. */
  async run(): Promise<void> {
    await this.repeat((portion) => this.steps.closeHour(portion));
    await this.repeat((portion) => this.steps.correctLate(portion));
    await this.repeat((portion) => this.steps.closeDay(portion));
    await this.repeat((portion) => this.steps.summarizeNew(portion));
    this.metrics.rolledUpUntil.set((await this.steps.hoursUntil()).getTime() / SECOND_MS);
  }

  private async repeat(step: (portion: number) => Promise<StepResult>): Promise<void> {
    let portion = FIRST_PORTION;
    while (!this.job.isStopping) {
      const started = this.clock.monotonic();
      const { more, full } = await step(portion);
      if (!more) return;
      portion = nextPortion(portion, this.clock.monotonic() - started, full);
      await nextTurn();
    }
  }
}
