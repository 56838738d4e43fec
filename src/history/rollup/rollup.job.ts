import { setImmediate as breathe } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Config } from '../../platform/config/config';
import { Clock } from '../../platform/time/clock';
import { HistoryMetrics } from '../history.metrics';
import { RollupSteps, type StepResult } from './rollup-steps';
import { SECOND_MS } from '../../platform/time/time-units';

/** Endpoints (or notes) a first step takes on; then it follows the measured time. */
const FIRST_PORTION = 100;
const PORTION_BOUNDS = { min: 16, max: 5000 };

/** Milliseconds a step should take: the embedded database serves nobody else meanwhile. */
const STEP_MS = { low: 75, high: 250 };

/** Grows while steps are quick and shrinks while they are slow. */
export function nextPortion(portion: number, elapsedMs: number, full: boolean): number {
  if (elapsedMs > STEP_MS.high) return Math.max(Math.floor(portion / 2), PORTION_BOUNDS.min);
  if (elapsedMs < STEP_MS.low && full) return Math.min(portion * 2, PORTION_BOUNDS.max);
  return portion;
}

/**
 * Builds hourly and daily figures once a minute, all that are due: after a pause of days it catches up. Runs in every
 * process that works; the steps see to it that only one gets somewhere.
 */
@Injectable()
export class RollupJob implements BeforeApplicationShutdown {
  private readonly logger = new Logger(RollupJob.name);
  private stopping = false;
  private current: Promise<void> = Promise.resolve();

  constructor(
    private readonly steps: RollupSteps,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly metrics: HistoryMetrics,
  ) {}

  @Cron('20 * * * * *', { waitForCompletion: true })
  async tick(): Promise<void> {
    if (this.config.role === 'api' || this.stopping) return;
    this.current = this.run().catch((error: unknown) => {
      this.metrics.rollupFailures.inc();
      this.logger.error('A rollup failed and will be repeated', error);
    });
    await this.current;
  }

  /** Builds everything that is due now. */
  async run(): Promise<void> {
    await this.repeat((portion) => this.steps.closeHour(portion));
    await this.repeat((portion) => this.steps.correctLate(portion));
    await this.repeat((portion) => this.steps.closeDay(portion));
    await this.repeat((portion) => this.steps.summarizeYoung(portion));
    this.metrics.rolledUpUntil.set((await this.steps.hoursUntil()).getTime() / SECOND_MS);
  }

  /** Lets the step in flight end before the database closes. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.current;
  }

  private async repeat(step: (portion: number) => Promise<StepResult>): Promise<void> {
    let portion = FIRST_PORTION;
    while (!this.stopping) {
      const started = this.clock.monotonic();
      const { more, full } = await step(portion);
      if (!more) return;
      portion = nextPortion(portion, this.clock.monotonic() - started, full);
      await breathe();
    }
  }
}
