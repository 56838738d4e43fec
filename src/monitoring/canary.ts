import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Health, type HealthFinding } from '../platform/observability/health';
import { Metrics } from '../platform/observability/metrics';
import { Clock } from '../platform/time/clock';
import { CheckRecorder } from './record/check-recorder';
import { CheckDispatcher } from '../engine/dispatch/check-dispatcher';
import { SchedulerHealth } from './source/scheduled/scheduler-health';

const EVERY_MS = 5000;
/** Three intervals. A working stage never takes this long. */
const SILENT_MS = 15_000;

interface Stage {
  name: 'checks' | 'recorder';
  pass: () => Promise<void>;
  /** How long real work has been stuck in this stage, in milliseconds. */
  stuckMs: () => number;
  /** When the canary last passed through, on the monotonic clock. */
  passedAt: number;
  isPassing: boolean;
  problem: string | null;
}

/**
 * Returns the health finding of a stage. `silentMs` is the time since the canary last passed through. `stuckMs` is how
 * long real work has waited without any progress.
 */
export function canaryFinding(silentMs: number, stuckMs: number, problem: string | null): HealthFinding {
  const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
  if (stuckMs >= SILENT_MS)
    return { ok: false, detail: `results are waiting, and none has been written for ${seconds(stuckMs)}` };
  if (silentMs < SILENT_MS) return { ok: true, detail: `passed ${seconds(silentMs)} ago` };
  return {
    ok: false,
    detail: `the canary has not passed for ${seconds(silentMs)}${problem === null ? '' : `: ${problem}`}`,
  };
}

/**
 * Sends a canary through the dispatcher and the recorder every few seconds, along the same path as a real check. If it
 * doesn't come through, no check runs or is recorded, and the service isn't ready. This isn't a `BackgroundJob`,
 * because it must detect runs that hang: neither its next run nor the shutdown waits for a previous run.
 */
@Injectable()
export class Canary implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Canary.name);
  private readonly stages: Stage[];
  private isRunning = false;

  constructor(
    dispatcher: CheckDispatcher,
    recorder: CheckRecorder,
    private readonly scheduler: SchedulerHealth,
    private readonly clock: Clock,
    private readonly health: Health,
    private readonly metrics: Metrics,
  ) {
    const stage = { passedAt: 0, isPassing: false, problem: null };
    this.stages = [
      { ...stage, name: 'checks', pass: () => dispatcher.passThrough(), stuckMs: () => 0 },
      { ...stage, name: 'recorder', pass: () => recorder.pass(), stuckMs: () => recorder.stalledMs },
    ];
  }

  /** With `ROLE=api`, the process doesn't run scheduled checks, so there is nothing to watch. */
  onApplicationBootstrap(): void {
    if (!this.scheduler.runsChecks) return;
    this.isRunning = true;
    const { stages, clock } = this;
    for (const stage of stages) {
      stage.passedAt = clock.monotonic();
      this.health.register(stage.name, () =>
        canaryFinding(clock.monotonic() - stage.passedAt, stage.stuckMs(), stage.problem),
      );
    }
    this.metrics.gauge({
      name: 'uptime_canary_seconds',
      help: 'Age of the last canary that passed through a stage: checks, recorder. Above 15 s, the service is not ready.',
      labelNames: ['stage'],
      collect() {
        for (const { name, passedAt } of stages) this.set({ stage: name }, (clock.monotonic() - passedAt) / 1000);
      },
    });
    this.send();
  }

  @Interval(EVERY_MS)
  send(): void {
    if (!this.isRunning) return;
    for (const stage of this.stages) if (!stage.isPassing) void this.sendThrough(stage);
  }

  beforeApplicationShutdown(): void {
    this.isRunning = false;
  }

  private async sendThrough(stage: Stage): Promise<void> {
    stage.isPassing = true;
    try {
      await stage.pass();
      stage.passedAt = this.clock.monotonic();
      stage.problem = null;
    } catch (error) {
      const isNew = stage.problem === null && this.isRunning;
      if (isNew) this.logger.warn(`Canary failed at stage ${stage.name}: ${String(error)}`);
      // The finding is visible without an API key, so it only says that something failed. The log has the error.
      stage.problem = 'it fails, see the log';
    } finally {
      stage.isPassing = false;
    }
  }
}
