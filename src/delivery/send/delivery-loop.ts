import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Config } from '../../platform/config/config';
import { Health, type HealthFinding } from '../../platform/observability/health';
import { failpoint } from '../../platform/observability/failpoints';
import { within } from '../../platform/time/within';
import { DatabaseClock } from '../../platform/database/database-clock';
import { ConcurrencyLimits } from './concurrency-limits';
import { DeliveryClaim } from './claim';
import { Outbox } from '../outbox';
import { DeliverySender } from './sender';
import type { Attempt } from './attempt';

/** What may leave without a commit of this process: retries, and what other instances owe. */
const LOOK_EVERY_MS = 1000;
/** Messages in flight get this long at shutdown; then their connections are cut and their outcome is unknown. */
const DRAIN_MS = 20_000;
const AFTER_CUT_MS = 2000;
/** A loop that has not finished a look for this long is stuck: only a restart helps. */
const STUCK_MS = 90_000;

/**
 * Delivers what alerts owe: looks every second and after every commit that owes something, claims what may leave, sends
 * it outside any transaction, and writes what became of it. Its slots are its own: slow providers touch no check.
 */
@Injectable()
export class DeliveryLoop implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveryLoop.name);
  private readonly slots = new ConcurrencyLimits();
  private readonly flights = new Set<Promise<void>>();
  private readonly cut = new AbortController();
  private stopping = false;
  private looking: Promise<void> | null = null;
  private again = false;
  private databaseAway = false;
  private lookedAt = 0;

  constructor(
    private readonly config: Config,
    private readonly outbox: Outbox,
    private readonly claim: DeliveryClaim,
    private readonly sender: DeliverySender,
    private readonly clock: DatabaseClock,
    private readonly health: Health,
  ) {}

  onModuleInit(): void {
    this.lookedAt = this.clock.monotonic();
    this.outbox.onEnqueued(() => this.wake());
    if (this.config.role !== 'api') this.health.register('deliveries', () => this.finding());
  }

  /** A role that serves requests only leaves deliveries to the workers. */
  @Interval(LOOK_EVERY_MS)
  wake(): void {
    void this.look();
  }

  /** Sends everything that may leave now and waits for it. For tests and for whoever needs to know that all is told. */
  async deliverDue(): Promise<void> {
    do {
      await this.look();
      await Promise.all(this.flights);
    } while (this.looking !== null || this.flights.size > 0);
  }

  /** Messages in flight. */
  get inFlight(): number {
    return this.flights.size;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await within(DRAIN_MS, this.landed());
    this.cut.abort(new Error('the service is shutting down'));
    await within(AFTER_CUT_MS, this.landed());
  }

  /** What a look that is going on still starts is waited for as well. */
  private async landed(): Promise<void> {
    await this.looking;
    await Promise.all(this.flights);
  }

  /** One look at a time; whoever asks meanwhile gets another one right after. */
  private look(): Promise<void> {
    if (this.stopping || this.config.role === 'api') return Promise.resolve();
    this.again = this.looking !== null;
    this.looking ??= this.lookOften().finally(() => {
      this.looking = null;
      if (this.again) this.wake();
    });
    return this.looking;
  }

  private async lookOften(): Promise<void> {
    try {
      do {
        this.again = false;
        await this.dispatch();
        this.lookedAt = this.clock.monotonic();
      } while (this.again);
      this.databaseAway = false;
    } catch (error) {
      if (!this.databaseAway) this.logger.error(`deliveries pause: ${String(error)}`);
      this.databaseAway = true;
      this.lookedAt = this.clock.monotonic();
    }
  }

  private finding(): HealthFinding {
    const silentMs = this.clock.monotonic() - this.lookedAt;
    const detail = `${this.flights.size} in flight, last look ${Math.round(silentMs / 1000)} s ago`;
    return { ok: silentMs < STUCK_MS, fatal: silentMs >= STUCK_MS, detail };
  }

  /** Starts what may leave, destination by destination, until nothing is due or no slot is free. */
  private async dispatch(): Promise<void> {
    const seen = new Set<string>();
    while (!this.stopping && this.slots.free > 0) {
      const busy = this.slots.busy();
      const places = await this.claim.due(this.slots.free, {
        ...busy,
        destinations: [...busy.destinations, ...seen],
      });
      if (places.length === 0) return;
      await failpoint('outbox.before_claim');
      for (const place of places) {
        seen.add(place.destination);
        const slots = this.slots.freeAt(place.orgId, place.destination);
        if (slots <= 0 || this.stopping) continue;
        const shipments = await this.claim.claim(place, slots);
        for (const shipment of shipments) this.start(shipment);
      }
    }
  }

  private start(shipment: Attempt): void {
    this.slots.take(shipment);
    const flight = this.fly(shipment).finally(() => {
      this.slots.release(shipment);
      this.flights.delete(flight);
      this.wake();
    });
    this.flights.add(flight);
  }

  private async fly(shipment: Attempt): Promise<void> {
    try {
      await failpoint('outbox.after_claim');
      await this.sender.send(shipment, this.cut.signal);
    } catch (error) {
      this.logger.error(`a ${shipment.channelType} message is left to its lease: ${String(error)}`);
    }
  }
}
