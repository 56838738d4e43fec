import { Injectable } from '@nestjs/common';
import { CheckDefinitions } from '../../endpoint/check-definition';
import { type ClaimedSlot, EndpointSchedule } from '../../endpoint/endpoint-schedule';
import { WorkerDatabase } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { CheckDispatcher, type PlannedSlot } from './check-dispatcher';

/** Slots are claimed this long before they are due: one tick, a slow claim, and a margin. */
const AHEAD_SECONDS = 2;
/** Slots per claim: small enough that several instances share evenly and that no statement is long. */
const CLAIM_SIZE = 250;
/** Slots that fell behind while no instance could run them are looked for at the start, after a pause, and this often. */
const OVERDUE_EVERY_MS = 5000;

/** Takes the slots that fall due soon from the database, gives them to the dispatcher, and returns what it did not begin. */
@Injectable()
export class SlotClaimer {
  private noneOverdueAt = -Infinity;
  private stopped = false;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
    private readonly schedule: EndpointSchedule,
    private readonly definitions: CheckDefinitions,
    private readonly dispatcher: CheckDispatcher,
  ) {}

  /** Claims what is due while the dispatcher has room. Organizations that hold more than their share claim last. */
  async claimDue(instance: number): Promise<void> {
    await this.spreadOverdue();
    const crowding = this.dispatcher.crowding;
    if (crowding.length > 0) await this.claimFor(instance, crowding);
    await this.claimFor(instance, []);
  }

  /** No further claims; the one in flight ends early. */
  stop(): void {
    this.stopped = true;
  }

  /** Makes the slots of these endpoints due for other instances at once. */
  async giveBack(endpointIds: readonly string[]): Promise<void> {
    if (endpointIds.length > 0) await this.schedule.giveBack(this.database, endpointIds);
  }

  private async spreadOverdue(): Promise<void> {
    const now = this.clock.monotonic();
    if (now - this.noneOverdueAt < OVERDUE_EVERY_MS) return;
    if ((await this.schedule.spreadOverdue(this.database)) === 0) this.noneOverdueAt = now;
  }

  /** Claims while there is room and something is due. `without`: organizations that have to wait for the others. */
  private async claimFor(instance: number, without: readonly string[]): Promise<void> {
    for (let free = this.dispatcher.free; free > 0 && !this.stopped; free = this.dispatcher.free) {
      const limit = Math.min(free, CLAIM_SIZE);
      const before = this.clock.monotonic();
      const slots = await this.schedule.claim(this.database, instance, limit, AHEAD_SECONDS, without);
      const [first] = slots;
      if (first) this.clock.synchronize(first.nowMs, before);
      this.dispatcher.plan(await this.withDefinitions(slots));
      if (slots.length < limit) break;
    }
  }

  private async withDefinitions(slots: readonly ClaimedSlot[]): Promise<PlannedSlot[]> {
    const definitions = await this.definitions.load(this.database, slots);
    return slots.flatMap((slot) => {
      const definition = definitions.get(slot.endpointId);
      return definition ? [{ slot, definition, fireAt: this.clock.monotonicAt(slot.slotMs) }] : [];
    });
  }
}
