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

/** Slots are claimed this long before they are due, which allows for one tick, a slow claim, and a margin. */
const AHEAD_SECONDS = 2;
/**
 * The number of slots per claim. It is small enough that several instances share evenly and no statement takes long …
 */
const CLAIM_SIZE = 250;
/**
 * … and while more slots are due, each claim takes twice as many as the previous one, up to this limit. This needs
 * fewer statements if there are many checks.
 */
const LARGEST_CLAIM = 1000;
/** No claim is smaller than the total room divided by this number. */
const LEAST_PART = 64;
/** If no instance has claimed anything for this long, overdue slots are spread out. */
const PAUSE_MS = 10_000;
/** Under overload, a slot waits about this long at most, unless earlier slots of its endpoint were skipped. */
const LONGEST_WAIT_SECONDS = 6;
/** While there is no room for due slots, the claimer checks for room this often … */
const ROOM_EVERY_MS = 50;
/** … but for this long at most, so that a slow last statement doesn't delay the next tick. */
const TICK_MS = 600;

/**
 * An endpoint whose type has no checker here is left for this long to instances that may have one. After that, its type
 * may have changed. If there is no such instance, an occasional claim that is given back costs almost nothing.
 */
const LEAVE_MS = 30_000;
/**
 * The maximum number of endpoints that are left to others at the same time. If there are more, the first ones are
 * claimed again sooner.
 */
const MOST_LEFT = 5000;

/** A tick that claims a slot this late is behind. */
const BEHIND_MS = 1000;

interface Tick {
  readonly instance: number;
  /** No claim starts after this time, so that the next tick isn't missed. Monotonic milliseconds. */
  readonly until: number;
  /** The delay of the oldest claimed slot, or `null` if there was no room for any slot. */
  lateMs: number | null;
  /**
   * Organizations whose slots are only claimed by `claimRest` for the rest of the tick, or `null` until all others have
   * theirs.
   */
  passedOver: readonly string[] | null;
  claimSize: number;
}

/**
 * Claims the slots in the database that are due soon, passes them to the dispatcher, and gives back those that didn't
 * start.
 */
@Injectable()
export class SlotClaimer {
  private stopped = false;
  /** The delay of the oldest slot claimed by the last tick that had room. */
  private lateMs = 0;
  /** Whether the last tick had no room for some of the due slots. */
  private isFull = false;
  /**
   * The newest claim: the database's clock, and this process's clock when the claim was sent and when it completed.
   * `null` before the first claim.
   */
  private newest: { databaseMs: number; askedAt: number; madeAt: number } | null = null;
  /** True if no instance has run due slots for a while, and the overdue slots haven't been spread out yet. */
  private hasPaused = true;
  /**
   * Endpoints that are left to other instances, each with its expiry on the monotonic clock. The earliest comes first.
   */
  private readonly left = new Map<string, number>();
  /** Slots that were claimed but couldn't be planned, and haven't been given back yet. */
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
   * Claims due slots as room becomes available, for less than a second, in portions that give no organization more than
   * its share. If claimed slots can't be planned, they immediately become due again and this rejects.
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
    // There was no room, so no query was sent. This one shows that the database responds, which is part of being alive.
    if (tick.lateMs === null && !this.stopped) await this.claim(tick, 0);
    await this.skipLate(tick);
    this.lateMs = tick.lateMs ?? this.lateMs;
    this.health.ticked(tick.lateMs);
  }

  /** Stops claiming. A claim that is in progress stops early. */
  stop(): void {
    this.stopped = true;
  }

  /** Gives back these slots, which this instance has claimed, so that others can run each at its time. */
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
   * Spreads slots that became due while no instance ran them, including before startup, over the next seconds. This
   * happens before the next claim. Slots that fall behind during claims aren't spread, because they would be moved
   * again and again and never run.
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

  /** Under overload, skips slots that won't start soon, taking turns among all endpoints. */
  private async skipLate({ lateMs }: Tick): Promise<void> {
    const { ratio, overloadedAt } = this.health.load;
    if (overloadedAt === null || lateMs === null || lateMs < 1000 * LONGEST_WAIT_SECONDS || this.stopped) return;
    const inARow = Math.max(1, Math.ceil(ratio) - 1);
    const oldestAt = this.clock.monotonic() - lateMs;
    this.health.skipped(await this.schedule.skipLate(this.database, LONGEST_WAIT_SECONDS, inARow), oldestAt);
  }

  /** Claims while there is room and slots are due. Resolves to true if more slots are due than there is room for. */
  private async claimRound(tick: Tick): Promise<boolean> {
    tick.passedOver ??= await this.claimForAll(tick);
    if (tick.passedOver === null) return true;
    let isFull = false;
    for (const orgId of tick.passedOver) if (!(await this.claimRest(tick, orgId))) isFull = true;
    return isFull;
  }

  /**
   * Claims while there is room, but leaves out organizations that might get more than their share from one statement.
   * Returns those organizations, or `null` if there wasn't enough room for the others.
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
   * Returns organizations near their limit, and under overload also the large ones. Their slots have waited longest and
   * would come before the slots of organizations that need little.
   */
  private passOver(limit: number): string[] {
    const { claims } = this.dispatcher;
    const nearLimit = claims.ownersNearLimit(limit);
    if (this.lateMs < BEHIND_MS) return nearLimit;
    return [...new Set([...nearLimit, ...claims.largeOwners])];
  }

  /**
   * Claims for an organization that was passed over, at most the rest of its share. Returns false if more of its slots
   * may be due.
   */
  private async claimRest(tick: Tick, orgId: string): Promise<boolean> {
    const limit = Math.min(tick.claimSize, this.dispatcher.claims.availableTo(orgId));
    if (limit < this.leastClaim || this.stopped || this.clock.monotonic() >= tick.until) return false;
    return (await this.claim(tick, limit, { orgId })) < limit;
  }

  /**
   * A statement for a few slots costs as much as one for many, so a small amount of room is left unused until there is
   * more.
   */
  private get leastClaim(): number {
    return Math.ceil(this.dispatcher.claims.size / LEAST_PART);
  }

  /** Passes claimed slots to the dispatcher. Returns the number of claimed slots. */
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
    // The database's clock has jumped ahead. To this process, this looks as if no instance had claimed anything for
    // that long.
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

  /** Returns the slots that aren't left to other instances. */
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
