import { Injectable } from '@nestjs/common';
import { CheckDispatcher, type PlannedSlot } from '../../engine/dispatch/check-dispatcher';
import { Overload } from '../../engine/dispatch/overload';
import { SECOND_MS } from '../../platform/time/time-units';
import { ServerClock } from '../server/server-clock';
import { type Assigned, Assignments } from './assignments';
import { MOST_AHEAD, nextSlot, slotNotAfter } from './slots';

/** How far ahead slots are planned: one tick, a late tick, and a margin. */
const AHEAD_MS = 2 * SECOND_MS;
/**
 * If nothing has been planned for longer than this, the process was suspended. Slots that became due in the meantime
 * don't count as overload.
 */
const PAUSE_MS = 10 * SECOND_MS;

/**
 * Calculates the slots that are due soon and passes them to the dispatcher. It claims nothing, because no other process
 * checks these endpoints from here. Slots without capacity remain due. If several slots of an
 * endpoint are due, only the newest one runs.
 */
@Injectable()
export class SlotSource {
  /** No check starts after this time, according to the server's clock. */
  private leaseUntilMs = -Infinity;
  /** Whether there was no capacity for a due slot. */
  private isFull = false;
  private tickedAtMs = -Infinity;
  private isStopped = false;

  constructor(
    private readonly assignments: Assignments,
    private readonly dispatcher: CheckDispatcher,
    private readonly overload: Overload,
    private readonly clock: ServerClock,
  ) {}

  get leaseLeftMs(): number {
    return Math.max(0, this.leaseUntilMs - this.clock.now());
  }

  renewLease(untilMs: number): void {
    if (this.leaseLeftMs === 0) this.assignments.resume();
    this.leaseUntilMs = untilMs;
  }

  /** Starts no more checks until there is a new lease. */
  endLease(): void {
    this.leaseUntilMs = -Infinity;
    this.dispatcher.stop();
  }

  /** Stops planning permanently. */
  stop(): void {
    this.isStopped = true;
    this.endLease();
  }

  tick(): void {
    if (this.isStopped) return;
    const nowMs = this.clock.now();
    const lateMs = this.leaseLeftMs > 0 ? this.planDue(nowMs) : this.planNothing();
    this.tickedAtMs = nowMs;
    this.overload.tick(lateMs);
  }

  private planNothing(): number {
    this.dispatcher.stop();
    return 0;
  }

  /** Returns the age of the oldest planned slot: 0 if none was due, and `null` if there was no capacity for any. */
  private planDue(nowMs: number): number | null {
    this.dispatcher.shareCapacity(this.assignments.ofSeveral);
    this.dispatcher.followRecorder(this.isFull);
    const wasAway = nowMs - this.tickedAtMs > PAUSE_MS;
    const due = this.dueBefore(Math.min(nowMs + AHEAD_MS, this.leaseUntilMs), nowMs);
    const planned: PlannedSlot[] = [];
    const room = new Map<string, number>();
    let { free } = this.dispatcher.claims;
    let lateMs: number | null = due.length === 0 ? 0 : null;
    this.isFull = false;
    for (const assigned of due) {
      const { orgId } = assigned.definition;
      const left = room.get(orgId) ?? this.dispatcher.claims.availableTo(orgId);
      if (left < 1 || free < 1) {
        this.isFull = true;
        continue;
      }
      room.set(orgId, left - 1);
      free -= 1;
      lateMs = Math.max(lateMs ?? 0, nowMs - assigned.runAtMs);
      planned.push(this.planOne(assigned, nowMs, wasAway));
    }
    this.dispatcher.plan(planned);
    return lateMs;
  }

  /**
   * Returns due endpoints in order. Cost: one comparison for each endpoint, which is cheaper than keeping them sorted.
   */
  private dueBefore(horizonMs: number, nowMs: number): Assigned[] {
    const due: Assigned[] = [];
    for (const assigned of this.assignments.all()) {
      if (assigned.runAtMs - nowMs > MOST_AHEAD * assigned.grid.intervalMs) {
        assigned.lastSlotMs = -Infinity;
        assigned.runAtMs = nextSlot(nowMs, assigned.lastSlotMs, assigned.grid);
      }
      if (assigned.runAtMs <= horizonMs) due.push(assigned);
    }
    return due.sort((a, b) => a.runAtMs - b.runAtMs);
  }

  private planOne(assigned: Assigned, nowMs: number, wasAway: boolean): PlannedSlot {
    const { definition, grid, runAtMs } = assigned;
    const slotMs = slotNotAfter(Math.max(runAtMs, nowMs), grid);
    const skipped = wasAway ? 0 : Math.round((slotMs - slotNotAfter(runAtMs, grid)) / grid.intervalMs);
    assigned.lastSlotMs = slotMs;
    assigned.runAtMs = slotMs + grid.intervalMs;
    const { endpointId, orgId, revision } = definition;
    const slot = { endpointId, orgId, revision, slotMs, skipped };
    return { slot, definition, fireAt: this.clock.monotonicAt(slotMs) };
  }
}
