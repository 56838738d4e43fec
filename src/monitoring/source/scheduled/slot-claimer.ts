import { Injectable } from '@nestjs/common';
import type { CheckDefinition } from '../../../engine/check-definition';
import { CheckDefinitions } from '../../../endpoint/check-definitions';
import type { ClaimedSlot } from '../../../engine/claimed-slot';
import { EndpointSchedule } from '../../../endpoint/endpoint-schedule';
import { WorkerDatabase } from '../../../platform/database/database';
import { DatabaseClock } from '../../../platform/database/database-clock';
import { failpoint } from '../../../platform/observability/failpoints';
import { CheckDispatcher, type PlannedSlot } from '../../../engine/dispatch/check-dispatcher';
import { SchedulerHealth } from './scheduler-health';

/** Slots are claimed this long before they are due: one tick, a slow claim, and a margin. */
const AHEAD_SECONDS = 2;
/** Slots per claim: small enough that several instances share evenly and that no statement is long … */
const CLAIM_SIZE = 250;
/** … and while more is due than that, each claim takes twice as many, up to this: fewer statements for many checks. */
const LARGEST_CLAIM = 1000;
/** No claim of fewer than this part of all the room. */
const LEAST_PART = 64;
/** Without a claim for this long nobody ran what fell due: that is spread. */
const PAUSE_MS = 10_000;
/** Under overload a slot waits about so long at most, unless the slots of its endpoint before it were skipped. */
const LONGEST_WAIT_SECONDS = 6;
/** While there is no room for what is due, it is looked for this often … */
const ROOM_EVERY_MS = 50;
/** … for this long at most: a slow last statement must not cost the next tick. */
const TICK_MS = 600;

/**
 * An endpoint of a type that has no checker here is left for so long to instances that may have one; then it may have another
 * type. Claimed and given back so seldom, it costs next to nothing where there is no such instance.
 */
const LEAVE_MS = 30_000;
/** Endpoints that are left at once; the first of more are claimed again sooner. */
const MOST_LEFT = 5000;

/** A tick that claims something as late as this is behind. */
const BEHIND_MS = 1000;

/** What one tick has seen. */
interface Tick {
  readonly instance: number;
  /** No claim begins after this, so that the next tick is not missed; monotonic milliseconds. */
  readonly until: number;
  /** Of the oldest slot that was claimed; `null` when there was no room for any. */
  lateMs: number | null;
  /** Organizations whose slots only `claimRest` takes for the rest of the tick; `null` while not all others have theirs. */
  passedOver: readonly string[] | null;
  claimSize: number;
}

/** Takes the slots that fall due soon from the database, gives them to the dispatcher, and returns what it did not begin. */
@Injectable()
export class SlotClaimer {
  private stopped = false;
  /** Of the oldest slot that the last tick with room claimed. */
  private lateMs = 0;
  /** Slots are due for which the last tick had no room. */
  private isFull = false;
  /** The newest claim: the database's clock, ours when it was asked for and when it was made. `null` before the first. */
  private newest: { databaseMs: number; askedAt: number; madeAt: number } | null = null;
  /** Nobody has run what fell due for a while, and it is not spread yet. */
  private hasPaused = true;
  /** Endpoints that are left to other instances, until when by the monotonic clock; the first ends first. */
  private readonly left = new Map<string, number>();
  /** Slots that were claimed, could not be planned, and are not given back yet. */
  private unplanned: { readonly instance: number; readonly slots: readonly ClaimedSlot[] } | null = null;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
    private readonly schedule: EndpointSchedule,
    private readonly definitions: CheckDefinitions,
    private readonly dispatcher: CheckDispatcher,
    private readonly health: SchedulerHealth,
  ) {}

  /**
   * Claims what is due, as room for it becomes free, for most of a second at most, in such portions that no organization
   * gets more than its share. Slots that were claimed and cannot be planned are due again at once; then this rejects.
   */
  async claimDue(instance: number): Promise<void> {
    const until = this.clock.monotonic() + TICK_MS;
    const tick: Tick = { instance, until, lateMs: null, passedOver: null, claimSize: CLAIM_SIZE };
    await this.returnUnplanned();
    this.dispatcher.followRecorder(this.isFull);
    this.notePause();
    for (;;) {
      await this.spreadAfterPause();
      this.isFull = await this.claimRound(tick);
      if (!(this.isFull || this.hasPaused) || this.stopped) break;
      if (this.clock.monotonic() > until - ROOM_EVERY_MS) break;
      this.dispatcher.watchRecorder();
      await new Promise((resolve) => setTimeout(resolve, ROOM_EVERY_MS));
    }
    // Without room nothing was asked of the database: that it responds is part of being alive.
    if (tick.lateMs === null && !this.stopped) await this.claim(tick, 0);
    await this.skipLate(tick);
    this.lateMs = tick.lateMs ?? this.lateMs;
    this.health.ticked(tick.lateMs);
  }

  /** No further claims; the one in flight ends early. */
  stop(): void {
    this.stopped = true;
  }

  /** Leaves these slots, claimed as this instance, to others, each at its time. */
  async giveBack(instance: number, slots: readonly ClaimedSlot[]): Promise<void> {
    if (slots.length > 0) await this.schedule.giveBack(this.database, instance, slots);
  }

  private async returnUnplanned(): Promise<void> {
    if (this.unplanned === null) return;
    await failpoint('schedule.before_give_back');
    await this.giveBack(this.unplanned.instance, this.unplanned.slots);
    this.unplanned = null;
  }

  private notePause(): void {
    if (this.newest !== null && this.clock.monotonic() - this.newest.madeAt > PAUSE_MS) this.hasPaused = true;
  }

  /**
   * What fell due while nobody ran it, at the start too, is spread over the next seconds, all of it before the next claim.
   * What falls behind while claims are made is not: moved away again and again, it would never have its turn.
   */
  private async spreadAfterPause(): Promise<void> {
    if (!this.hasPaused) return;
    const askedAt = this.clock.monotonic();
    const databaseMs = await this.clock.readNow();
    const before = new Date(databaseMs - PAUSE_MS);
    const isOutage = this.health.databaseIsAway;
    for (let found = 1; found > 0 && !this.stopped;) {
      const { endpoints, slots } = await this.schedule.spreadOverdue(this.database, before);
      found = endpoints;
      if (isOutage) this.health.missed(slots);
      this.health.claimed();
    }
    this.newest = { databaseMs, askedAt, madeAt: this.clock.monotonic() };
    this.hasPaused = false;
  }

  /** Under overload slots that nobody will begin soon are skipped: those of all endpoints in turn. */
  private async skipLate({ lateMs }: Tick): Promise<void> {
    const { ratio, overloadedAt } = this.health.load;
    if (overloadedAt === null || lateMs === null || lateMs < 1000 * LONGEST_WAIT_SECONDS || this.stopped) return;
    const inARow = Math.max(1, Math.ceil(ratio) - 1);
    this.health.skipped(await this.schedule.skipLate(this.database, LONGEST_WAIT_SECONDS, inARow));
  }

  /** Claims while there is room and something is due; true when more is due than there is room for. */
  private async claimRound(tick: Tick): Promise<boolean> {
    tick.passedOver ??= await this.claimForAll(tick);
    if (tick.passedOver === null) return true;
    let isFull = false;
    for (const orgId of tick.passedOver) if (!(await this.claimRest(tick, orgId))) isFull = true;
    return isFull;
  }

  /**
   * Claims while there is room, except for organizations that one statement could give more than their share; returns
   * those, or `null` when there was no room for all that the others have due.
   */
  private async claimForAll(tick: Tick): Promise<readonly string[] | null> {
    const { claims } = this.dispatcher;
    while (!this.stopped && !this.hasPaused && this.clock.monotonic() < tick.until) {
      this.dispatcher.watchRecorder();
      const limit = Math.min(tick.claimSize, claims.share);
      if (limit < this.leastClaim) break;
      const without = this.passOver(limit);
      if ((await this.claim(tick, limit, { without })) < limit) return without;
    }
    return null;
  }

  /**
   * Organizations near their limit, and under overload the large ones too: their slots have waited for longest, and would
   * come before those of organizations that ask for little.
   */
  private passOver(limit: number): string[] {
    const { claims } = this.dispatcher;
    const nearLimit = claims.ownersNearLimit(limit);
    if (this.lateMs < BEHIND_MS) return nearLimit;
    return [...new Set([...nearLimit, ...claims.largeOwners])];
  }

  /** Claims for an organization that was passed over, at most the rest of its share; false when more of it may be due. */
  private async claimRest(tick: Tick, orgId: string): Promise<boolean> {
    const limit = Math.min(tick.claimSize, this.dispatcher.claims.availableTo(orgId));
    if (limit < this.leastClaim || this.stopped || this.clock.monotonic() >= tick.until) return false;
    return (await this.claim(tick, limit, { orgId })) < limit;
  }

  /** A statement for a handful of slots costs as much as one for many: a little room is left free until there is more. */
  private get leastClaim(): number {
    return Math.ceil(this.dispatcher.claims.size / LEAST_PART);
  }

  /** Hands what is claimed to the dispatcher; returns how many slots that were. */
  private async claim(
    tick: Tick,
    limit: number,
    of: { orgId: string } | { without?: readonly string[] } = {},
  ): Promise<number> {
    const askedAt = this.clock.monotonic();
    const notAfter = this.newest && new Date(this.newest.databaseMs + (askedAt - this.newest.askedAt) + PAUSE_MS);
    const bounds = { notAfter, left: this.leftNow(askedAt) };
    const { slots, nowMs, several } =
      'orgId' in of
        ? await this.schedule.claimOfOne(this.database, tick.instance, limit, AHEAD_SECONDS, { ...of, ...bounds })
        : await this.schedule.claim(this.database, tick.instance, limit, AHEAD_SECONDS, { ...of, ...bounds });
    this.clock.synchronize(nowMs, askedAt);
    this.dispatcher.shareCapacity(several);
    this.notePause();
    // The database's clock has jumped ahead: to us that is as if nobody had claimed for so long.
    if (notAfter && nowMs > notAfter.getTime()) this.hasPaused = true;
    this.newest = { databaseMs: nowMs, askedAt, madeAt: this.clock.monotonic() };
    const own = await this.plan(slots, tick.instance);
    this.health.claimed();
    if (limit === 0) return 0;
    const oldest = own.reduce((least, { slotMs }) => Math.min(least, slotMs), nowMs);
    tick.lateMs = Math.max(tick.lateMs ?? 0, nowMs - oldest);
    if (slots.length === limit) tick.claimSize = Math.min(2 * tick.claimSize, LARGEST_CLAIM);
    return slots.length;
  }

  /** Returns the slots that are not left to other instances. */
  private async plan(slots: readonly ClaimedSlot[], instance: number): Promise<readonly ClaimedSlot[]> {
    if (slots.length === 0) return slots;
    let definitions: Map<string, CheckDefinition | null>;
    try {
      await failpoint('schedule.after_claim');
      definitions = await this.definitions.load(this.database, slots);
      this.dispatcher.plan(
        slots.flatMap((slot): PlannedSlot[] => {
          const definition = definitions.get(slot.endpointId);
          if (!definition) return [];
          const fireAt = this.clock.monotonicAt(slot.slotMs);
          return [{ slot, definition, fireAt, skippedWhy: this.health.whySkippedSince(fireAt) }];
        }),
      );
    } catch (error) {
      this.unplanned = { instance, slots };
      await this.returnUnplanned();
      throw error;
    }
    const isLeft = ({ endpointId }: ClaimedSlot): boolean => definitions.get(endpointId) === null;
    const left = slots.filter(isLeft);
    if (left.length === 0) return slots;
    const until = this.clock.monotonic() + LEAVE_MS;
    for (const { endpointId } of left) this.left.set(endpointId, until);
    this.unplanned = { instance, slots: left };
    await this.returnUnplanned();
    return slots.filter((slot) => !isLeft(slot));
  }

  private leftNow(now: number): string[] {
    if (this.left.size === 0) return [];
    for (const [id, until] of this.left) if (until < now || this.left.size > MOST_LEFT) this.left.delete(id);
    return [...this.left.keys()];
  }
}
