import { Injectable } from '@nestjs/common';
import { CheckDefinitions } from '../../endpoint/check-definition';
import { type ClaimedSlot, EndpointSchedule } from '../../endpoint/endpoint-schedule';
import { WorkerDatabase } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { failpoint } from '../../platform/observability/failpoints';
import { CheckDispatcher, type PlannedSlot } from './check-dispatcher';

/** Slots are claimed this long before they are due: one tick, a slow claim, and a margin. */
const AHEAD_SECONDS = 2;
/** Slots per claim: small enough that several instances share evenly and that no statement is long. */
const CLAIM_SIZE = 250;
/** Slots that fell behind while no instance could run them are looked for at the start, after a pause, and this often. */
const OVERDUE_EVERY_MS = 5000;

/** Where there are several organizations, it is asked this often whether there still are; a second one counts at once. */
const ORGANIZATIONS_EVERY_MS = 60_000;

/** Takes the slots that fall due soon from the database, gives them to the dispatcher, and returns what it did not begin. */
@Injectable()
export class SlotClaimer {
  private noneOverdueAt = -Infinity;
  private severalAt = -Infinity;
  private stopped = false;
  /** Endpoints whose slots were claimed, could not be planned, and are not given back yet. */
  private unplanned: readonly string[] = [];

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
    private readonly schedule: EndpointSchedule,
    private readonly definitions: CheckDefinitions,
    private readonly dispatcher: CheckDispatcher,
  ) {}

  /**
   * Claims what is due while the dispatcher has room, in such portions that no organization gets more than its share.
   * Slots that were claimed and cannot be planned are due again at once; then this rejects.
   */
  async claimDue(instance: number): Promise<void> {
    await this.returnUnplanned();
    await this.countOrganizations();
    await this.spreadOverdue();
    const passedOver = await this.claimForAll(instance);
    for (const orgId of passedOver) await this.claimRest(instance, orgId);
  }

  /** No further claims; the one in flight ends early. */
  stop(): void {
    this.stopped = true;
  }

  /** Makes the slots of these endpoints due for other instances at once. */
  async giveBack(endpointIds: readonly string[]): Promise<void> {
    if (endpointIds.length > 0) await this.schedule.giveBack(this.database, endpointIds);
  }

  private async returnUnplanned(): Promise<void> {
    if (this.unplanned.length === 0) return;
    await failpoint('schedule.before_give_back');
    await this.giveBack(this.unplanned);
    this.unplanned = [];
  }

  private async countOrganizations(): Promise<void> {
    const now = this.clock.monotonic();
    if (now - this.severalAt < ORGANIZATIONS_EVERY_MS) return;
    const found = await this.database.query('SELECT FROM organization LIMIT 2');
    this.dispatcher.shareRoom(found.length > 1);
    if (found.length > 1) this.severalAt = now;
  }

  private async spreadOverdue(): Promise<void> {
    const now = this.clock.monotonic();
    if (now - this.noneOverdueAt < OVERDUE_EVERY_MS) return;
    if ((await this.schedule.spreadOverdue(this.database)) === 0) this.noneOverdueAt = now;
  }

  /**
   * Claims while there is room and something is due, except for organizations that one statement could give more than
   * their share; returns those.
   */
  private async claimForAll(instance: number): Promise<readonly string[]> {
    const { claims } = this.dispatcher;
    let passedOver: readonly string[] = [];
    while (claims.free > 0 && !this.stopped) {
      const limit = Math.min(CLAIM_SIZE, claims.portion);
      const without = (passedOver = claims.ownersNearLimit(limit));
      const claimed = await this.plan(() =>
        this.schedule.claim(this.database, instance, limit, AHEAD_SECONDS, without),
      );
      if (claimed < limit) break;
    }
    return passedOver;
  }

  /** Claims for an organization near its limit, at most the rest of its share. */
  private async claimRest(instance: number, orgId: string): Promise<void> {
    const limit = Math.min(CLAIM_SIZE, this.dispatcher.claims.restOf(orgId));
    if (limit === 0 || this.stopped) return;
    await this.plan(() => this.schedule.claimOfOne(this.database, instance, limit, AHEAD_SECONDS, orgId));
  }

  /** Hands what is claimed to the dispatcher; returns how many slots that were. */
  private async plan(claim: () => Promise<ClaimedSlot[]>): Promise<number> {
    const before = this.clock.monotonic();
    const slots = await claim();
    const [first] = slots;
    if (first) this.clock.synchronize(first.nowMs, before);
    try {
      await failpoint('schedule.after_claim');
      this.dispatcher.plan(await this.withDefinitions(slots));
    } catch (error) {
      this.unplanned = slots.map(({ endpointId }) => endpointId);
      await this.returnUnplanned();
      throw error;
    }
    return slots.length;
  }

  private async withDefinitions(slots: readonly ClaimedSlot[]): Promise<PlannedSlot[]> {
    const definitions = await this.definitions.load(this.database, slots);
    return slots.flatMap((slot) => {
      const definition = definitions.get(slot.endpointId);
      return definition ? [{ slot, definition, fireAt: this.clock.monotonicAt(slot.slotMs) }] : [];
    });
  }
}
