import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Config } from '../../platform/config/config';
import { DatabaseClock } from '../../platform/database/database-clock';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { failpoint } from '../../platform/observability/failpoints';
import { Health, type HealthFinding } from '../../platform/observability/health';
import { within } from '../../platform/net/deadline';
import { DeliveriesEnqueued } from '../delivery-events';
import type { Attempt } from './attempt';
import { DeliveryClaim } from './claim';
import { ConcurrencyLimits } from './concurrency-limits';
import type { Busy } from './destination-queries';
import { DeliverySender } from './sender';

/**
 * Finds deliveries that become due without a commit by this process: retries, and deliveries enqueued by other
 * instances.
 */
const WAKE_EVERY_MS = 1000;
/** The interval while nothing can become due without a commit by this process, which would wake the loop. */
const REST_MS = 10_000;
/**
 * How long attempts in flight may continue at shutdown. After that, their connections are closed and their outcome is
 * unknown.
 */
const DRAIN_MS = 20_000;
const AFTER_ABORT_MS = 2000;
/** A loop that has not finished a pass for this long is stuck. Only a restart helps. */
const STUCK_MS = 90_000;
/** A loop whose passes all fail sends no notifications, so it counts as failing after this time. */
const FAILING_MS = 30_000;
/** Each query in a pass receives the destinations that the pass has already seen, up to this number. */
const MOST_SEEN = 500;

/**
 * Sends the deliveries. Every second, and after every commit that enqueues a delivery, the loop claims what may be
 * sent, sends it outside any transaction, and has the outcome written. It waits longer while nothing is pending in an
 * embedded database. It has a separate concurrency limit, so slow providers don't slow down checks.
 */
@Injectable()
export class DeliveryLoop implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveryLoop.name);
  private readonly limits = new ConcurrencyLimits();
  private readonly attempts = new Set<Promise<void>>();
  private readonly shutdown = new AbortController();
  private stopping = false;
  private passing: Promise<void> | null = null;
  private again = false;
  private databaseAway = false;
  /** On the monotonic clock. */
  private lastPassAt = 0;
  private lastGoodPassAt = 0;
  private restUntil = -Infinity;

  constructor(
    private readonly config: Config,
    private readonly events: TransactionEvents,
    private readonly claim: DeliveryClaim,
    private readonly sender: DeliverySender,
    private readonly clock: DatabaseClock,
    private readonly health: Health,
  ) {}

  onModuleInit(): void {
    this.lastPassAt = this.lastGoodPassAt = this.clock.monotonic();
    this.events.on(DeliveriesEnqueued, async (_, tx) => tx.afterCommit(() => this.wake()));
    if (this.config.role !== 'api') this.health.register('deliveries', () => this.finding());
  }

  @Interval(WAKE_EVERY_MS)
  tick(): void {
    if (this.clock.monotonic() >= this.restUntil) this.wake();
  }

  /**
   * Starts a pass. If one is running, another follows it immediately. Does nothing in a role that only serves requests.
   */
  wake(): void {
    void this.pass();
  }

  /** Sends everything that may be sent now and waits until nothing is in flight. */
  async drain(): Promise<void> {
    do {
      await this.pass();
      await Promise.all(this.attempts);
    } while (this.passing !== null || this.attempts.size > 0);
  }

  get inFlight(): number {
    return this.attempts.size;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await within(DRAIN_MS, this.allSettled());
    this.shutdown.abort(new Error('the service is shutting down'));
    await within(AFTER_ABORT_MS, this.allSettled());
  }

  /** Also waits for the attempts that a running pass has yet to start. */
  private async allSettled(): Promise<void> {
    await this.passing;
    await Promise.all(this.attempts);
  }

  private pass(): Promise<void> {
    if (this.stopping || this.config.role === 'api') return Promise.resolve();
    this.again = this.passing !== null;
    this.passing ??= this.passes().finally(() => {
      this.passing = null;
      if (this.again) this.wake();
    });
    return this.passing;
  }

  private async passes(): Promise<void> {
    this.restUntil = -Infinity;
    try {
      do {
        this.again = false;
        await this.dispatch();
        if (this.attempts.size === 0 && (await this.claim.isAtRest()))
          this.restUntil = this.clock.monotonic() + REST_MS;
        this.lastPassAt = this.lastGoodPassAt = this.clock.monotonic();
      } while (this.again);
      this.databaseAway = false;
    } catch (error) {
      if (!this.databaseAway) this.logger.error(`pausing deliveries: ${String(error)}`);
      this.databaseAway = true;
      this.lastPassAt = this.clock.monotonic();
    }
  }

  private finding(): HealthFinding {
    const silentMs = this.clock.monotonic() - this.lastPassAt;
    const failingMs = this.lastPassAt - this.lastGoodPassAt;
    const failing = failingMs >= FAILING_MS ? `, all passes have failed for ${Math.round(failingMs / 1000)} s` : '';
    const detail = `${this.attempts.size} in flight, last pass ${Math.round(silentMs / 1000)} s ago${failing}`;
    return { ok: silentMs < STUCK_MS && failingMs < FAILING_MS, fatal: silentMs >= STUCK_MS, detail };
  }

  /**
   * Starts attempts, one destination after another, until nothing is due or the limit on attempts is reached. A pass
   * never visits a destination twice. If it has visited very many and found something to send, another pass follows.
   */
  private async dispatch(): Promise<void> {
    const seen: Busy['destinations'][number][] = [];
    let started = 0;
    while (!this.stopping && this.limits.free > 0) {
      if (seen.length >= MOST_SEEN) {
        this.again ||= started > 0;
        return;
      }
      const busy = this.limits.busy();
      const destinations = await this.claim.due(this.limits.free, {
        ...busy,
        destinations: [...busy.destinations, ...seen],
      });
      if (destinations.length === 0) return;
      await failpoint('outbox.before_claim');
      for (const destination of destinations) {
        seen.push({ orgId: destination.orgId, key: destination.destination });
        const free = this.limits.freeAt(destination);
        if (free <= 0 || this.stopping) continue;
        const attempts = await this.claim.claim(destination, free);
        for (const attempt of attempts) this.start(attempt);
        started += attempts.length;
      }
    }
  }

  private start(attempt: Attempt): void {
    this.limits.take(attempt);
    const running = this.runAttempt(attempt).finally(() => {
      this.limits.release(attempt);
      this.attempts.delete(running);
      this.wake();
    });
    this.attempts.add(running);
  }

  private async runAttempt(attempt: Attempt): Promise<void> {
    try {
      await failpoint('outbox.after_claim');
      await this.sender.send(attempt, this.shutdown.signal);
    } catch (error) {
      this.logger.error(`a ${attempt.channelType} delivery stays pending until its lease expires: ${String(error)}`);
    }
  }
}
