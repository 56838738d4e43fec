import { Injectable } from '@nestjs/common';
import { CheckDispatcher, type PlannedSlot } from '../../engine/dispatch/check-dispatcher';
import { Overload } from '../../engine/dispatch/overload';
import { SECOND_MS } from '../../platform/time/time-units';
import { ServerClock } from '../server/server-clock';
import { type Assigned, Assignments } from './assignments';
import { MOST_AHEAD, nextSlot, slotNotAfter } from './slots';

/** Slots are planned so long before they are due: one tick, a late one, and a margin. */
const AHEAD_MS = 2 * SECOND_MS;
/** When nothing was planned for so long nobody was there: what fell due meanwhile is no overload. */
const PAUSE_MS = 10 * SECOND_MS;

/**
 * Computes the slots that fall due soon and gives them to the dispatcher: nothing is claimed, for no other process checks these
 * endpoints from here. What there is no room for stays due; of several slots that are, the newest is run.
 */
@Injectable()
export class SlotSource {
  /** No check begins after this, by the server's clock. */
  private leaseUntilMs = -Infinity;
  /** There was no room for what was due. */
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

  /** Nothing that has not begun begins any more, until there is a lease again. */
  endLease(): void {
    this.leaseUntilMs = -Infinity;
    this.dispatcher.stop();
  }

  /** For good. */
  stop(): void {
    this.isStopped = true;
    this.endLease();
  }

  /** Once a second. */
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

  /** How late the oldest slot is that was planned; 0 when none was due, `null` when there was no room for any. */
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

  /** In the order in which they fall due. Looks at all: for each a comparison, which costs less than to keep them sorted. */
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
