import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { BackgroundJobs } from '../platform/jobs/background-job';
import { InstanceRegistry } from './instance-registry';
import { CheckRecorder } from './record/check-recorder';
import { CheckDispatcher } from '../engine/dispatch/check-dispatcher';
import { SchedulerHealth } from './source/scheduled/scheduler-health';
import { SlotClaimer } from './source/scheduled/slot-claimer';

const DRAIN_MS = 18_000;
const FLUSH_MS = 4000;

/** Drives scheduled checks. Every second it claims the slots that are due next and passes them to the dispatcher. */
@Injectable()
export class MonitoringService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(MonitoringService.name);
  private readonly heartbeat;
  private ticking: Promise<void> | null = null;
  private stopped = false;

  constructor(
    private readonly instances: InstanceRegistry,
    private readonly claimer: SlotClaimer,
    private readonly dispatcher: CheckDispatcher,
    private readonly recorder: CheckRecorder,
    private readonly health: SchedulerHealth,
    jobs: BackgroundJobs,
  ) {
    this.heartbeat = jobs.create({ name: 'instance-heartbeat', run: () => this.beatOnce() });
  }

  /** With `ROLE=api`, the process runs no scheduled checks. It only runs and records checks that clients request. */
  private get checks(): boolean {
    return this.health.runsChecks;
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.checks) return;
    await this.instances.register();
    await this.tick();
  }

  /** Does nothing while the previous tick is still claiming. */
  @Interval(1000)
  async tick(): Promise<void> {
    if (!this.checks || this.stopped || this.ticking) return;
    this.ticking = this.claimDue().catch((error: unknown) => {
      this.health.notClaimed(error);
      this.logger.warn(`Could not claim checks: ${String(error)}`);
    });
    await this.ticking;
    this.ticking = null;
  }

  @Interval(5000)
  beat(): Promise<void> {
    return this.heartbeat.tick();
  }

  /**
   * Stops claiming and gives back slots that haven't started. Then waits for running checks to finish and writes their
   * results.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.claimer.stop();
    await this.ticking;
    const unbegun = this.dispatcher.stop();
    await this.dispatcher.drain(DRAIN_MS);
    await this.recorder.drain(FLUSH_MS);
    if (!this.checks) return;
    try {
      // A heartbeat sent after leaving would register this instance again.
      await this.heartbeat.stop();
      if (this.instances.id !== null) await this.claimer.giveBack(this.instances.id, unbegun);
      await this.instances.leave();
    } catch (error) {
      this.logger.warn(`Could not give back claims, which will expire: ${String(error)}`);
    }
  }

  private async claimDue(): Promise<void> {
    const instance = this.instances.id;
    if (instance === null) return;
    await this.claimer.claimDue(instance);
  }

  private async beatOnce(): Promise<void> {
    if (this.instances.id !== null) await this.instances.beat(this.health.load);
  }
}
