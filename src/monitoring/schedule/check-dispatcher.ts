import { Injectable, Logger } from '@nestjs/common';
import type { ClaimedSlot } from '../../endpoint/endpoint-schedule';
import type { CheckDefinition } from '../../endpoint/check-definition';
import { Clock } from '../../platform/time/clock';
import { CheckRecorder } from '../record/check-recorder';
import { CheckRunner } from '../run/check-runner';
import { MonitoringMetrics } from '../monitoring.metrics';
import { CheckPlaces } from './check-places';
import { FairQueue } from './fair-queue';
import { SharedRoom } from './shared-room';

/** A claimed slot with what it takes to run it. `fireAt`: monotonic milliseconds. */
export interface PlannedSlot {
  slot: ClaimedSlot;
  definition: CheckDefinition;
  fireAt: number;
}

/** What waits like a slot and checks nothing: it shows that slots get their turn. */
interface Passage {
  fireAt: number;
  pass: () => void;
}

type Planned = PlannedSlot | Passage;

/** Waits for its turn beside the organizations, as one more of them. No organization has this id. */
const OPERATOR = 'operator';

const isPassage = (planned: Planned): planned is Passage => 'pass' in planned;
const ownerOf = (planned: Planned): string => (isPassage(planned) ? OPERATOR : planned.definition.orgId);

/** Checks started in one turn of the event loop; the rest of a burst follows in the next turns. */
const PER_TURN = 25;

/**
 * Starts the check of each claimed slot at its millisecond, within the places there are, and hands the finished checks to
 * the recorder. A slot whose endpoint is still being checked is skipped.
 */
@Injectable()
export class CheckDispatcher {
  private readonly logger = new Logger(CheckDispatcher.name);
  /** Sorted by `fireAt`, latest first: the next one is popped from the end. */
  private planned: Planned[] = [];
  private readonly due = new FairQueue<Planned>();
  /** Claimed slots, from the claim to the end of the check: what waits is bounded as well as what runs. */
  private readonly held: SharedRoom;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly places: CheckPlaces,
    private readonly runner: CheckRunner,
    private readonly recorder: CheckRecorder,
    private readonly metrics: MonitoringMetrics,
    private readonly clock: Clock,
  ) {
    this.held = new SharedRoom(2 * places.size);
    places.onFree(() => this.fireWaiting());
    metrics.watch(
      { name: 'uptime_slots_waiting', help: 'Claimed slots that have not begun.' },
      () => this.planned.length + this.due.size,
    );
    metrics.watch(
      { name: 'uptime_slots_held_back', help: 'Due slots that wait because their organizations hold their share.' },
      () => (places.isFull ? 0 : this.due.size),
    );
  }

  /** How many more slots may be claimed, and of whom. */
  get claims(): Pick<SharedRoom, 'free' | 'portion' | 'restOf' | 'ownersNearLimit'> {
    return this.held;
  }

  /** Call it with `false` while there is only one organization: it need not leave room for others. */
  shareRoom(isShared: boolean): void {
    this.held.isShared = isShared;
    this.places.share(isShared);
  }

  plan(slots: readonly PlannedSlot[]): void {
    if (slots.length === 0 || this.places.shutdown.aborted) return;
    for (const { definition } of slots) this.held.take(definition.orgId);
    this.wait(slots);
  }

  /**
   * Resolves when something that is due now has had its turn, on the way that every slot takes: timer, turn, a free place.
   * It takes no place and counts as no check. It stays unresolved for as long as slots do not get their turn.
   */
  passThrough(): Promise<void> {
    return new Promise((pass) => this.wait([{ fireAt: this.clock.monotonic(), pass }]));
  }

  /** Drops the slots that have not begun; returns their endpoints. */
  stop(): string[] {
    if (this.timer) clearTimeout(this.timer);
    const left = [...this.planned, ...this.due.clear()].flatMap((item) => (isPassage(item) ? [] : [item.definition]));
    for (const { orgId } of left) this.held.giveBack(orgId);
    this.planned = [];
    return left.map(({ endpointId }) => endpointId);
  }

  /** Waits for the checks in flight; those still running after `limitMs` are aborted and not recorded. */
  drain(limitMs: number): Promise<void> {
    return this.places.drain(limitMs);
  }

  private wait(items: readonly Planned[]): void {
    this.planned = [...this.planned, ...items].sort((a, b) => b.fireAt - a.fireAt);
    this.arm();
  }

  private arm(): void {
    if (this.timer) clearTimeout(this.timer);
    const next = this.planned.at(-1);
    if (!next) return;
    this.timer = setTimeout(() => this.turn(), Math.max(0, next.fireAt - this.clock.monotonic()));
  }

  private turn(): void {
    const now = this.clock.monotonic();
    for (let count = 0; count < PER_TURN; count++) {
      const next = this.planned.at(-1);
      // Timers may fire up to a millisecond early.
      if (!next || next.fireAt > now + 0.5) return this.arm();
      this.planned.pop();
      this.fire(next);
    }
    setImmediate(() => this.turn());
  }

  private fire(planned: Planned): void {
    const owner = ownerOf(planned);
    if (!isPassage(planned) && this.places.isChecking(planned.definition.endpointId)) {
      this.metrics.skipped.inc();
      this.held.giveBack(owner);
    } else if (!this.places.hasRoomFor(owner)) {
      this.due.push(owner, planned);
    } else if (isPassage(planned)) {
      planned.pass();
    } else {
      this.places.begin(owner, planned.definition.endpointId);
      void this.run(planned);
    }
  }

  /** What gets its turn may leave the place free: a passage, or a slot whose endpoint is still being checked. */
  private fireWaiting(): void {
    while (this.due.size > 0 && !this.places.isFull) {
      const next = this.due.take((owner) => this.places.hasRoomFor(owner));
      if (!next) return;
      this.fire(next);
    }
  }

  private async run({ slot, definition, fireAt }: PlannedSlot): Promise<void> {
    const late = this.clock.monotonic() - fireAt;
    this.metrics.lateness.observe(Math.max(0, late) / 1000);
    try {
      const checkedAt = new Date(Math.round(slot.slotMs + Math.max(0, late)));
      const check = await this.runner.run(definition, slot.slotMs, checkedAt, this.places.shutdown);
      if (check) this.recorder.add(check);
    } catch (error) {
      this.logger.error(`a check was lost`, error instanceof Error ? error.stack : String(error));
    } finally {
      this.held.giveBack(definition.orgId);
      this.places.end(definition.orgId, definition.endpointId);
    }
  }
}
