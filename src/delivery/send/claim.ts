import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ChannelAudience } from '../../channel/channel';
import { ChannelRegistry } from '../../channel/channel.registry';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { DatabaseServer } from '../../platform/database/database-server';
import { isHuman } from '../delivery';
import { DeliveryMetrics } from '../delivery.metrics';
import type { Destination } from '../destination';
import { attemptContents, type AttemptContents, type BatchPlan, planDestination } from '../plan/batch-plan';
import { foldReady } from '../plan/fold';
import type { Receiver } from '../plan/queue-plan';
import { digestDueAt, limitRate, tokensAt } from '../plan/rate-limit';
import { isOpen, maxAgeMs } from '../plan/retry-policy';
import { type Attempt, LEASE_MS } from './attempt';
import {
  dueDeliveries,
  endDeliveries,
  expireDeliveries,
  leaseDeliveries,
  lockPending,
  postponeDeliveries,
  readIncidents,
  recentTransitions,
} from './delivery-queries';
import {
  type Busy,
  type DestinationState,
  dueDestinations,
  isAnyPending,
  lockDestination,
  nextDue,
  saveChosen,
} from './destination-queries';

/** The maximum number of queues per claim. Others wait for the next digest. */
const MOST_HEADS = 5000;
/** Some queues are finished without a notification, so the claim reads a few more than it may send. */
const SPARE_HEADS = 20;

/**
 * Claims the deliveries to send now, one destination at a time, each in one short transaction that locks the
 * destination's row. One instance at a time decides about order, rate, digest, and circuit breaker, which all instances
 * share. Once it has that lock, it doesn't wait for any other lock, so it can't deadlock. It only leases deliveries and
 * doesn't send them.
 */
@Injectable()
export class DeliveryClaim {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly channels: ChannelRegistry,
    private readonly clock: DatabaseClock,
    private readonly metrics: DeliveryMetrics,
    private readonly server: DatabaseServer,
  ) {}

  /**
   * Returns true if nothing can become due before this process commits something: no delivery is waiting, and no other
   * process uses the database.
   */
  async isAtRest(): Promise<boolean> {
    return this.server.isEmbedded && !(await isAnyPending(this.database));
  }

  due(limit: number, busy: Busy): Promise<Destination[]> {
    return dueDestinations(this.database, this.clock.now(), limit, busy);
  }

  /**
   * Claims at most `free` attempts. Claims none if nothing may be sent, or if another instance is claiming from the
   * destination.
   */
  async claim(destination: Destination, free: number): Promise<Attempt[]> {
    const { channelType, attempts, ended } = await this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const state = await lockDestination(tx, destination, now);
      if (!state) return NOTHING;
      if (state.blockedUntil && state.blockedUntil > now) {
        await saveChosen(tx, destination, { ...state, dueAt: state.blockedUntil });
        return NOTHING;
      }
      return this.choose(tx, destination, state, free, now);
    });
    for (const { state, detail, count } of ended) this.metrics.ended(channelType, state, detail, count);
    return attempts;
  }

  private async choose(tx: Tx, destination: Destination, state: DestinationState, free: number, now: Date) {
    const channel = this.channels.receiver(state.channelType, destination.destination);
    const { audience } = channel;
    const probing = isOpen(state.failures);
    const room = probing ? Math.min(1, free) : free;
    const tokens = tokensAt({ tokens: state.tokens, at: state.tokensAt }, audience, now);
    const expired = probing ? await this.expire(tx, destination, audience, now) : 0;
    const limit = headLimit(audience, tokens, room, state.digestAt, now);
    const { plan, all } = await this.plan(tx, destination, channel, limit, now);
    // Nothing is folded for pagers and webhooks, or while nothing may be sent.
    const isFolding = isHuman(audience) && tokens >= 1;
    const incidents = isFolding ? await readIncidents(tx, destination, plan.ready, now) : new Map<string, never>();
    const { groups, held, until } = foldReady(plan.ready, incidents, now);
    const decision = limitRate({
      audience,
      tokens,
      lastDigestAt: state.digestAt,
      now,
      ready: groups.length,
      free: room,
    });
    const attempts = attemptContents(groups, decision).map((content) =>
      this.attempt(destination, state, audience, content),
    );
    await leaseDeliveries(tx, attempts, now, new Date(now.getTime() + LEASE_MS));
    await endDeliveries(tx, plan.ended, now);
    await postponeDeliveries(tx, plan.postponed);
    // If everything that was read has to wait, there is nothing to do until then.
    const isAllHeld = held.length > 0 && groups.length === 0;
    const rest = !isAllHeld && (!all || (!decision.digest && groups.length > decision.singles));
    const dueAt = rest ? (decision.waitUntil ?? now) : await nextDue(tx, destination, held);
    await saveChosen(tx, destination, {
      dueAt: until && (dueAt === null || until < dueAt) ? until : dueAt,
      tokens: decision.tokensLeft,
      tokensAt: now,
      digestAt: decision.digest ? now : state.digestAt,
      // While one test attempt is in flight, no instance starts another.
      blockedUntil: probing && attempts.length > 0 ? new Date(now.getTime() + LEASE_MS) : null,
    });
    return { channelType: state.channelType, attempts, ended: endings(plan, expired) };
  }

  private async plan(tx: Tx, destination: Destination, channel: Receiver, limit: number, now: Date) {
    const heads = await dueDeliveries(tx, destination, now, limit);
    const pending = await lockPending(tx, destination, heads, now);
    // An expiring certificate doesn't belong to any episode.
    const ofEpisodes = isHuman(channel.audience) ? pending.filter(({ kind }) => kind !== 'expiry') : [];
    const transitions = await recentTransitions(tx, ofEpisodes, now);
    return { plan: planDestination(heads, pending, transitions, channel, now), all: heads.length < limit };
  }

  private attempt(
    { orgId, destination }: Destination,
    { channelType, host }: DestinationState,
    audience: ChannelAudience,
    content: AttemptContents,
  ): Attempt {
    const leaseEndsAt = this.clock.monotonic() + LEASE_MS;
    return {
      ...content,
      orgId,
      destination,
      channelType,
      audience,
      host,
      token: randomUUID(),
      isTest: false,
      leaseEndsAt,
    };
  }

  private async expire(tx: Tx, destination: Destination, audience: ChannelAudience, now: Date): Promise<number> {
    return (await expireDeliveries(tx, destination, new Date(now.getTime() - maxAgeMs(audience)), now)).length;
  }
}

/**
 * For pagers and webhooks, no more is read than may be sent. For people, more is read to decide what to combine, and
 * whether a digest is needed.
 */
function headLimit(audience: ChannelAudience, tokens: number, room: number, digestAt: Date | null, now: Date): number {
  const whole = Math.floor(tokens);
  if (!isHuman(audience)) return Math.min(whole, room) + SPARE_HEADS;
  const digestDue = digestDueAt(digestAt);
  return digestDue && digestDue > now && whole === 0 ? 1 : MOST_HEADS;
}

const NOTHING = { channelType: '', attempts: [], ended: [] };

/** Returns the deliveries that were finished without an attempt, for the metrics. */
function endings({ ended }: BatchPlan, expired: number) {
  const single = ended.map(({ state, detail }) => ({ state, detail, count: 1 }));
  return expired > 0 ? [...single, { state: 'failed' as const, detail: 'expired' as const, count: expired }] : single;
}
