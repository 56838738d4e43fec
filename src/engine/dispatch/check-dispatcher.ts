import { Injectable, Logger } from '@nestjs/common';
import type { ClaimedSlot } from '../claimed-slot';
import type { CheckDefinition } from '../check-definition';
import { Clock } from '../../platform/time/clock';
import { CheckRunner } from '../run/check-runner';
import { EngineMetrics } from '../engine.metrics';
import { ResultSink } from '../result-sink';
import { CheckPlaces } from './check-places';
import { InTurns } from '../../platform/capacity/in-turns';
import { Overload, type SkipReason } from './overload';
import { firstCapacity, KEEPS_UP_MS, nextCapacity } from './capacity-size';
import { SharedCapacity } from '../../platform/capacity/shared-capacity';

/** A claimed slot with everything needed to run it. `fireAt` is in monotonic milliseconds. */
export interface PlannedSlot {
  slot: ClaimedSlot;
  definition: CheckDefinition;
  fireAt: number;
  /** Why this slot and those before it are skipped, if they are. The default is overload. */
  skippedWhy?: SkipReason;
}

/** An item that waits like a slot but doesn't check anything. It proves that slots get their turn. */
interface Passage {
  fireAt: number;
  pass: () => void;
}

type Planned = PlannedSlot | Passage;

/** The pseudo-organization whose items take turns with those from real ones. No organization has this ID. */
const OPERATOR = 'operator';

const isPassage = (planned: Planned): planned is Passage => 'pass' in planned;
const ownerOf = (planned: Planned): string => (isPassage(planned) ? OPERATOR : planned.definition.orgId);

/** How long one turn of the event loop may spend on starting checks. The rest of a burst is started in later turns. */
const TURN_MS = 4;
/** How soon the dispatcher notices that recording has fallen behind. */
const WATCH_EVERY_MS = 200;

/**
 * Starts the check for each claimed slot on time to the millisecond, as capacity allows, and passes finished checks to
 * the recorder. A slot is skipped if its endpoint is still being checked.
 */
@Injectable()
export class CheckDispatcher {
  private readonly logger = new Logger(CheckDispatcher.name);
  /** Sorted by `fireAt` in descending order, so that the next one is popped from the end. */
  private planned: Planned[] = [];
  private readonly due = new InTurns<Planned, string>();
  /**
   * Claimed slots, from the claim until the check has finished or is recorded. This limits both waiting and running
   * checks.
   */
  private readonly held: SharedCapacity;
  /** If true, checks that finish now keep their capacity until they are recorded. */
  private isRecorderBehind = false;
  private fittedAt = -Infinity;
  /** Maps each endpoint to the `fireAt` of its newest slot that has not started. */
  private readonly newest = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;
  /** True if more slots are due than one turn can start, so that the next turn continues. */
  private isStarting = false;

  constructor(
    private readonly places: CheckPlaces,
    private readonly runner: CheckRunner,
    private readonly sink: ResultSink,
    private readonly metrics: EngineMetrics,
    private readonly clock: Clock,
    private readonly overload: Overload,
  ) {
    this.held = new SharedCapacity(firstCapacity(places.size));
    places.onFree(() => this.fireWaiting());
    metrics.watch(
      { name: 'uptime_slots_waiting', help: 'Claimed slots whose check has not started.' },
      () => this.planned.length + this.due.size,
    );
    metrics.watch(
      { name: 'uptime_slots_held_back', help: 'Due slots that wait because their organization uses its whole share.' },
      () => (places.isFull ? 0 : this.due.size),
    );
  }

  /** The capacity for claims: how many more slots may be claimed, and for which organizations. */
  get claims(): Pick<SharedCapacity, 'size' | 'free' | 'share' | 'availableTo' | 'ownersNearLimit' | 'largeOwners'> {
    return this.held;
  }

  /** Pass `false` while there is only one organization, which then doesn't have to leave room for others. */
  shareCapacity(isShared: boolean): void {
    this.held.isShared = isShared;
    this.places.share(isShared);
  }

  /**
   * Adapts the capacity to what can be recorded. Call this once a second. `isFull` means that there was no room for due
   * slots.
   */
  followRecorder(isFull: boolean): void {
    // If slots are waiting to start, claiming more doesn't help.
    this.fitCapacity(isFull && this.due.size === 0);
  }

  /** Shrinks the capacity as soon as recording falls behind. Call this before each claim. */
  watchRecorder(): void {
    if (this.clock.monotonic() - this.fittedAt >= WATCH_EVERY_MS) this.fitCapacity(false);
  }

  private fitCapacity(isTooSmall: boolean): void {
    const { lagMs, recordedPerSecond } = this.sink;
    this.fittedAt = this.clock.monotonic();
    this.isRecorderBehind = lagMs > KEEPS_UP_MS;
    this.held.size = nextCapacity({
      size: this.held.size,
      used: this.held.used,
      places: this.places.size,
      isTooSmall,
      lagMs,
      recordedPerSecond,
      isShared: this.held.isShared,
    });
  }

  plan(slots: readonly PlannedSlot[]): void {
    if (slots.length === 0 || this.places.shutdown.aborted) return;
    for (const { slot, definition, fireAt, skippedWhy = 'overload' } of slots) {
      this.held.take(definition.orgId);
      this.newest.set(slot.endpointId, fireAt);
      this.overload.skipped(skippedWhy, slot.skipped);
    }
    this.wait(slots);
  }

  /**
   * Resolves when an item that is due now has taken the same path as every slot: timer, turn, and free place. It
   * doesn't use up a place or count as a check. The promise remains pending as long as slots don't get their turn.
   */
  passThrough(): Promise<void> {
    return new Promise((pass) => this.wait([{ fireAt: this.clock.monotonic(), pass }]));
  }

  /** Drops and returns the slots that have not started. */
  stop(): ClaimedSlot[] {
    if (this.timer) clearTimeout(this.timer);
    const left = [...this.planned, ...this.due.clear()].flatMap((item) => (isPassage(item) ? [] : [item]));
    for (const { definition } of left) this.held.release(definition.orgId);
    this.planned = [];
    this.newest.clear();
    return left.map(({ slot }) => slot);
  }

  /** Waits for the checks in flight. Those still running after `limitMs` are aborted and not recorded. */
  drain(limitMs: number): Promise<void> {
    return this.places.drain(limitMs);
  }

  private wait(items: readonly Planned[]): void {
    this.planned = [...this.planned, ...items].sort((a, b) => b.fireAt - a.fireAt);
    this.arm();
  }

  /**
   * There is only one timer or one chain of turns. If there were several, each turn would start several times as many
   * checks.
   */
  private arm(): void {
    if (this.isStarting) return;
    if (this.timer) clearTimeout(this.timer);
    const next = this.planned.at(-1);
    if (!next) return;
    this.timer = setTimeout(() => this.turn(), Math.max(0, next.fireAt - this.clock.monotonic()));
  }

  private turn(): void {
    const began = this.clock.monotonic();
    this.isStarting = false;
    do {
      const next = this.planned.at(-1);
      // Timers may fire up to a millisecond early.
      if (!next || next.fireAt > began + 0.5) return this.arm();
      this.planned.pop();
      this.fire(next);
    } while (this.clock.monotonic() - began < TURN_MS);
    this.isStarting = true;
    setImmediate(() => this.turn());
  }

  private fire(planned: Planned): void {
    const owner = ownerOf(planned);
    const why = isPassage(planned) ? null : this.whyNot(planned);
    if (!isPassage(planned) && why !== null) {
      this.overload.skipped(why);
      this.forget(planned);
      this.held.release(owner);
    } else if (!this.places.hasCapacityFor(owner)) {
      this.due.push(owner, planned);
    } else if (isPassage(planned)) {
      planned.pass();
    } else {
      this.forget(planned);
      this.places.begin(owner, planned.definition.endpointId);
      void this.run(planned);
    }
  }

  /** Returns why a slot is skipped when its turn comes, or `null` if it isn't skipped. */
  private whyNot({ definition: { endpointId }, fireAt, skippedWhy = 'overload' }: PlannedSlot): SkipReason | null {
    if (this.places.isChecking(endpointId)) return 'running';
    const newest = this.newest.get(endpointId) ?? fireAt;
    // The slot waited here until the endpoint's next slot was due, which runs instead.
    return newest > fireAt && newest <= this.clock.monotonic() ? skippedWhy : null;
  }

  private forget({ definition: { endpointId }, fireAt }: PlannedSlot): void {
    if (this.newest.get(endpointId) === fireAt) this.newest.delete(endpointId);
  }

  /** Some items don't use the free place: a passage, or a slot whose endpoint is still being checked. */
  private fireWaiting(): void {
    while (this.due.size > 0 && !this.places.isFull) {
      const next = this.due.take((owner) => this.places.hasCapacityFor(owner));
      if (!next) return;
      this.fire(next);
    }
  }

  private async run({ slot, definition, fireAt }: PlannedSlot): Promise<void> {
    const { orgId, endpointId } = definition;
    const late = this.clock.monotonic() - fireAt;
    this.metrics.lateness.observe(Math.max(0, late) / 1000);
    this.overload.begun();
    let isHeld = true;
    try {
      const checkedAt = new Date(Math.round(slot.slotMs + Math.max(0, late)));
      const check = await this.runner.run(definition, slot.slotMs, checkedAt, this.places.shutdown);
      if (check && this.isRecorderBehind) {
        isHeld = false;
        this.sink.add(check, () => this.held.release(orgId));
      } else if (check) {
        this.sink.add(check);
      }
    } catch (error) {
      this.logger.error(`a check was lost`, error instanceof Error ? error.stack : String(error));
    } finally {
      if (isHeld) this.held.release(orgId);
      this.places.end(orgId, endpointId);
    }
  }
}
