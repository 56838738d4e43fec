import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { type BackgroundJob, BackgroundJobs } from '../../platform/jobs/background-job';
import { DatabaseServer } from '../../platform/database/database-server';
import { Clock } from '../../platform/time/clock';
import { HistoryMetrics } from '../history.metrics';
import { MAX_NEW_ENDPOINTS } from './new-endpoints';
import { RollupSteps, type StepResult } from './rollup-steps';
import { SECOND_MS } from '../../platform/time/time-units';

/**
 * The limits for one kind of step: the number of endpoints (or late hours) per portion, and the duration of a step and
 * a run.
 */
export interface StepLimits {
  /** The number of endpoints in the first step. Later portions depend on the measured time. */
  first: number;
  min: number;
  max: number;
  /** The target range for the duration of a step, in milliseconds. */
  lowMs: number;
  highMs: number;
  /** A run starts no more steps after this many milliseconds. The rest is done in the next minute. */
  runMs: number;
}

/** The embedded database can't run other queries during a step. */
const SHORT_STEPS: StepLimits = { first: 100, min: 16, max: 5000, lowMs: 75, highMs: 250, runMs: Infinity };

/**
 * A database server can run other queries during a step. If endpoints are rarely checked, a step of any size costs a
 * pass over the whole hour, so few large steps are better. A step takes far less than the statement timeout (30 s), and
 * the shutdown waits for it.
 */
const LONG_STEPS: StepLimits = { first: 400, min: 16, max: 100_000, lowMs: 1500, highMs: 5000, runMs: Infinity };

/** The p95 for new endpoints is an optimization. Until it exists, the overview reads individual checks. */
const NEW_ENDPOINTS: StepLimits = { ...SHORT_STEPS, max: MAX_NEW_ENDPOINTS, runMs: 2 * SECOND_MS };

/** Returns the size of the next portion: doubled after a fast full step, halved after a slow one. */
export function nextPortion(portion: number, elapsedMs: number, full: boolean, limits: StepLimits): number {
  if (elapsedMs > limits.highMs) return Math.max(Math.floor(portion / 2), limits.min);
  if (elapsedMs < limits.lowMs && full) return Math.min(portion * 2, limits.max);
  return portion;
}

/**
 * Builds all hourly and daily stats that are due, once a minute. Catches up if no process ran for days. Runs in every
 * worker process, but the steps' lock lets only one of them make progress.
 */
@Injectable()
export class RollupJob {
  private readonly job: BackgroundJob;
  private readonly hourLimits: StepLimits;

  constructor(
    private readonly steps: RollupSteps,
    private readonly clock: Clock,
    private readonly metrics: HistoryMetrics,
    jobs: BackgroundJobs,
    server: DatabaseServer,
  ) {
    this.hourLimits = server.isEmbedded ? SHORT_STEPS : LONG_STEPS;
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

  /** Builds everything that is due now. At shutdown, stops after the current step. */
  async run(): Promise<void> {
    await this.repeat((portion) => this.steps.closeHour(portion), this.hourLimits);
    await this.repeat((portion) => this.steps.correctLate(portion), SHORT_STEPS);
    await this.repeat((portion) => this.steps.closeDay(portion), SHORT_STEPS);
    await this.repeat((portion) => this.steps.noteNew(portion), NEW_ENDPOINTS);
    await this.repeat((portion) => this.steps.summarizeNew(portion), NEW_ENDPOINTS);
    this.metrics.rolledUpUntil.set((await this.steps.hoursUntil()).getTime() / SECOND_MS);
  }

  private async repeat(step: (portion: number) => Promise<StepResult>, limits: StepLimits): Promise<void> {
    const until = this.clock.monotonic() + limits.runMs;
    let portion = limits.first;
    while (!this.job.isStopping) {
      const started = this.clock.monotonic();
      const { more, full } = await step(portion);
      const ended = this.clock.monotonic();
      if (!more || ended >= until) return;
      portion = nextPortion(portion, ended - started, full, limits);
      await nextTurn();
    }
  }
}
