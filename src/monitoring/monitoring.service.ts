import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Cron, Interval } from '@nestjs/schedule';
import { CheckDefinitions } from '../endpoint/check-definition';
import { type ClaimedSlot, EndpointSchedule } from '../endpoint/endpoint-schedule';
import { CheckDispatcher, type PlannedSlot } from './schedule/check-dispatcher';
import { CheckRecorder } from './record/check-recorder';
import { SchedulerClock } from './schedule/scheduler-health';
import { InstanceRegistry } from './instance-registry';

/** Slots are claimed this long before they are due: a tick, a slow claim and some air. */
const AHEAD_SECONDS = 2;
/** Slots per claim: small enough that several instances share evenly and that no statement is long. */
const CLAIM_SIZE = 250;
/** Definitions kept in memory, about 1 KB each. */
const DEFINITIONS = 100_000;
/** What fell behind while nobody could run it is looked for at the start, after a pause, and this often. */
const OVERDUE_EVERY_MS = 5000;
const DRAIN_MS = 18_000;
const FLUSH_MS = 4000;

/** Drives the checks: every second it claims what falls due next and hands it to the dispatcher. */
@Injectable()
export class MonitoringService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(MonitoringService.name);
  private ticking: Promise<void> | null = null;
  private stopped = false;
  private noneOverdueAt = -Infinity;

  constructor(
    private readonly instances: InstanceRegistry,
    private readonly schedule: EndpointSchedule,
    private readonly definitions: CheckDefinitions,
    private readonly dispatcher: CheckDispatcher,
    private readonly recorder: CheckRecorder,
    private readonly clock: SchedulerClock,
  ) {}

  /** ROLE=api checks nothing on its own; it only runs and records what is asked for. */
  private get checks(): boolean {
    return this.clock.runsChecks;
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.checks) return;
    await this.instances.register();
    await this.tick();
  }

  /** Claims and plans. A tick that finds the one before still at work does nothing. */
  @Cron('* * * * * *')
  async tick(): Promise<void> {
    if (!this.checks || this.stopped || this.ticking) return;
    this.ticking = this.claimDue().catch((error: unknown) => {
      this.clock.notClaimed(error);
      this.logger.warn(`Nothing was claimed: ${String(error)}`);
    });
    await this.ticking;
    this.ticking = null;
  }

  @Interval(5000)
  async beat(): Promise<void> {
    if (!this.checks || this.stopped || this.instances.id === null) return;
    await this.instances.beat().catch((error: unknown) => this.logger.warn(`No heartbeat: ${String(error)}`));
  }

  /** Stops claiming, gives back what has not begun, lets the rest finish and writes it. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.ticking;
    const unbegun = this.dispatcher.stop();
    await this.dispatcher.drain(DRAIN_MS);
    await this.recorder.drain(FLUSH_MS);
    if (!this.checks) return;
    try {
      if (unbegun.length > 0) await this.schedule.giveBack(this.clock.database, unbegun);
      await this.instances.leave();
    } catch (error) {
      this.logger.warn(`Claims could not be given back and will expire: ${String(error)}`);
    }
  }

  private async claimDue(): Promise<void> {
    const instance = this.instances.id;
    if (instance === null) return;
    await this.spreadOverdue();
    const crowding = this.dispatcher.crowding;
    if (crowding.length > 0) await this.claimFor(instance, crowding);
    await this.claimFor(instance, []);
    this.clock.claimed();
  }

  private async spreadOverdue(): Promise<void> {
    const now = this.clock.monotonic();
    if (now - this.noneOverdueAt < OVERDUE_EVERY_MS) return;
    if ((await this.schedule.spreadOverdue(this.clock.database)) === 0) this.noneOverdueAt = now;
  }

  /** Claims while there is room and something is due. `without`: organizations that have to wait for the others. */
  private async claimFor(instance: number, without: readonly string[]): Promise<void> {
    for (let free = this.dispatcher.free; free > 0 && !this.stopped; free = this.dispatcher.free) {
      const limit = Math.min(free, CLAIM_SIZE);
      const before = this.clock.monotonic();
      const slots = await this.schedule.claim(this.clock.database, instance, limit, AHEAD_SECONDS, without);
      const [first] = slots;
      if (first) this.clock.synchronize(first.nowMs, before);
      this.dispatcher.plan(await this.withDefinitions(slots));
      if (slots.length < limit) break;
    }
  }

  private async withDefinitions(slots: readonly ClaimedSlot[]): Promise<PlannedSlot[]> {
    const definitions = await this.definitions.load(this.clock.database, slots, DEFINITIONS);
    return slots.flatMap((slot) => {
      const definition = definitions.get(slot.endpointId);
      return definition ? [{ slot, definition, fireAt: this.clock.monotonicAt(slot.slotMs) }] : [];
    });
  }
}
