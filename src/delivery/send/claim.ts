import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ChannelAudience } from '../../channel/channel';
import { ChannelRegistry } from '../../channel/channel.registry';
import { type Tx, WorkerDatabase } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { contents, grouped, type BatchPlan, planDestination } from '../plan/batch-plan';
import { isOpen, maxAgeMs } from '../plan/retry-policy';
import { DeliveryMetrics } from '../delivery.metrics';
import {
  type Busy,
  type DestinationState,
  dueDestinations,
  lockDestination,
  nextDue,
  type Destination,
  saveChosen,
} from './destination-queries';
import {
  dueDeliveries,
  endDeliveries,
  expireDeliveries,
  postponeDeliveries,
  leaseDeliveries,
  recentTransitions,
  lockPending,
} from './delivery-queries';
import { isHuman } from '../delivery';
import { LEASE_MS, type Attempt } from './attempt';
import { digestDueAt, limitRate, tokensAt } from '../plan/rate-limit';

/** Queues looked at in one go at most. What is over waits for the next digest. */
const MOST_HEADS = 5000;
/** Some queues end without a message, so a few more are read than messages may leave. */
const SPARE_HEADS = 20;

/**
 * Takes what may leave now, one destination at a time, each in one short transaction under the destination's row lock:
 * one instance at a time decides about order, rate, digest and circuit, and all instances share them. Behind that lock
 * it waits for no other, so nobody can wait for it in a circle. What it took is leased; nothing is sent here.
 */
@Injectable()
export class DeliveryClaim {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly channels: ChannelRegistry,
    private readonly clock: DatabaseClock,
    private readonly metrics: DeliveryMetrics,
  ) {}

  due(limit: number, busy: Busy): Promise<Destination[]> {
    return dueDestinations(this.database, this.clock.now(), limit, busy);
  }

  /** At most `slots` shipments. None when nothing may leave, or when another instance is looking at the destination. */
  async claim(place: Destination, slots: number): Promise<Attempt[]> {
    const { channelType, shipments, ended } = await this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const state = await lockDestination(tx, place, now);
      if (!state) return NOTHING;
      if (state.blockedUntil && state.blockedUntil > now) {
        await saveChosen(tx, place, { ...state, dueAt: state.blockedUntil });
        return NOTHING;
      }
      return this.choose(tx, place, state, slots, now);
    });
    for (const { state, detail, count } of ended) this.metrics.ended(channelType, state, detail, count);
    return shipments;
  }

  private async choose(tx: Tx, place: Destination, state: DestinationState, slots: number, now: Date) {
    const audience = this.audienceOf(state.channelType);
    const probing = isOpen(state.failures);
    const room = probing ? Math.min(1, slots) : slots;
    const tokens = tokensAt({ tokens: state.tokens, at: state.tokensAt }, audience, now);
    const expired = probing ? await this.expire(tx, place, audience, now) : 0;
    const limit = headLimit(audience, tokens, room, state.digestAt, now);
    const { planned, all } = await this.plan(tx, place, audience, limit, now);
    const decision = limitRate({
      audience,
      tokens,
      lastDigestAt: state.digestAt,
      now,
      ready: planned.ready.length,
      slots: room,
    });
    const shipments = grouped(planned.ready, decision).map((group, index) =>
      this.shipment(place, state, audience, contents(group, decision.digest && index === decision.singles)),
    );
    await leaseDeliveries(tx, shipments, now, new Date(now.getTime() + LEASE_MS));
    await endDeliveries(tx, planned.ended, now);
    await postponeDeliveries(tx, planned.held);
    const rest = !all || (!decision.digest && planned.ready.length > decision.singles);
    await saveChosen(tx, place, {
      dueAt: rest ? (decision.waitUntil ?? now) : await nextDue(tx, place),
      tokens: decision.tokensLeft,
      tokensAt: now,
      digestAt: decision.digest ? now : state.digestAt,
      // While one probe is out nobody sends another.
      blockedUntil: probing && shipments.length > 0 ? new Date(now.getTime() + LEASE_MS) : null,
    });
    return { channelType: state.channelType, shipments, ended: endings(planned, expired) };
  }

  private async plan(tx: Tx, place: Destination, audience: ChannelAudience, limit: number, now: Date) {
    const heads = await dueDeliveries(tx, place, now, limit);
    const alertIds = [...new Set(heads.map(({ alertId }) => alertId))];
    const rows = heads.length > 0 ? await lockPending(tx, place, alertIds, now) : [];
    const transitions = isHuman(audience) ? await recentTransitions(tx, rows, now) : new Map<string, never>();
    return { planned: planDestination(heads, rows, transitions, audience, now), all: heads.length < limit };
  }

  private shipment(
    place: Destination,
    state: DestinationState,
    audience: ChannelAudience,
    content: ReturnType<typeof contents>,
  ): Attempt {
    return {
      ...place,
      ...content,
      token: randomUUID(),
      isTest: false,
      channelType: state.channelType,
      audience,
      host: state.host,
      leaseEndsAt: this.clock.monotonic() + LEASE_MS,
    };
  }

  private async expire(tx: Tx, place: Destination, audience: ChannelAudience, now: Date): Promise<number> {
    return (await expireDeliveries(tx, place, new Date(now.getTime() - maxAgeMs(audience)), now)).length;
  }

  /** A type whose channel is no longer installed is treated as people's; its sending fails with a clear reason. */
  private audienceOf(channelType: string): ChannelAudience {
    return this.channels.has(channelType) ? this.channels.get(channelType).audience : 'chat';
  }
}

/** Pagers and webhooks need no more than what leaves; people's messages are counted to see whether they need a digest. */
function headLimit(audience: ChannelAudience, tokens: number, room: number, digestAt: Date | null, now: Date): number {
  const whole = Math.floor(tokens);
  if (!isHuman(audience)) return Math.min(whole, room) + SPARE_HEADS;
  const digestDue = digestDueAt(digestAt);
  return digestDue && digestDue > now ? whole + 1 : MOST_HEADS;
}

const NOTHING = { channelType: '', shipments: [], ended: [] };

/** What ended without an attempt, for the metrics. */
function endings({ ended }: BatchPlan, expired: number) {
  const single = ended.map(({ state, detail }) => ({ state: state as string, detail, count: 1 }));
  return expired > 0 ? [...single, { state: 'failed', detail: 'expired' as const, count: expired }] : single;
}
