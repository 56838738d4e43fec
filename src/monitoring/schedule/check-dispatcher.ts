import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { Injectable, Logger } from '@nestjs/common';
import type { ClaimedSlot } from '../../endpoint/endpoint-schedule';
import type { CheckDefinition } from '../../endpoint/check-definition';
import { Config } from '../../platform/config/config';
import { Clock } from '../../platform/time/clock';
import { CheckRecorder } from '../record/check-recorder';
import { CheckRunner } from '../run/check-runner';
import { beyondShare, FairQueue } from './fair-queue';
import { MonitoringMetrics } from '../monitoring.metrics';

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
const slotsOf = (planned: readonly Planned[]): PlannedSlot[] =>
  planned.flatMap((item) => (isPassage(item) ? [] : [item]));
const orgOf = ({ definition }: PlannedSlot): string => definition.orgId;

/** Open files kept free for the database, the API and deliveries. A check may need two: it tries IPv6 and IPv4. */
const OTHER_FILES = 100;

/** How many checks the limit of open files allows at once. Read from /proc on Linux; elsewhere the setting alone counts. */
function openFilesAllow(): number {
  if (process.platform !== 'linux') return Infinity;
  const [, files] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
  return files === undefined ? Infinity : Math.max(1, Math.floor((Number(files) - OTHER_FILES) / 2));
}

/** Checks started in one turn of the event loop; the rest of a burst follows in the next turns. */
const PER_TURN = 25;

/**
 * Starts the check of each claimed slot at its millisecond, bounds how many run at once, and hands the finished checks to
 * the recorder. Two checks of one endpoint never overlap: the later slot is skipped.
 */
@Injectable()
export class CheckDispatcher {
  private readonly logger = new Logger(CheckDispatcher.name);
  /** Sorted by `fireAt`, latest first: the next one is popped from the end. */
  private planned: Planned[] = [];
  private readonly due = new FairQueue<Planned>();
  /** Endpoint → organization. */
  private readonly running = new Map<string, string>();
  private readonly shutdown = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private idle: (() => void) | null = null;
  private readonly room: number;

  constructor(
    config: Config,
    private readonly runner: CheckRunner,
    private readonly recorder: CheckRecorder,
    private readonly metrics: MonitoringMetrics,
    private readonly clock: Clock,
  ) {
    this.room = Math.min(config.maxConcurrentChecks, openFilesAllow());
    if (this.room < config.maxConcurrentChecks)
      this.logger.warn(`The limit of open files leaves room for ${this.room} checks at once; raise it (ulimit -n).`);
    // Every running check listens to it: thousands of listeners are not a leak.
    setMaxListeners(0, this.shutdown.signal);
    metrics.watch({ name: 'uptime_checks_in_flight', help: 'Checks running now.' }, () => this.running.size);
    metrics.watch(
      { name: 'uptime_slots_waiting', help: 'Claimed slots that have not begun.' },
      () => this.planned.length + this.due.size,
    );
  }

  /** How many more slots may be claimed: what waits is bounded as well as what runs. */
  get free(): number {
    return Math.max(0, 2 * this.room - this.planned.length - this.due.size - this.running.size);
  }

  /** Organizations that hold more than their share while room is scarce: all others claim before them. */
  get crowding(): string[] {
    const held = [...slotsOf([...this.planned, ...this.due.items()]).map(orgOf), ...this.running.values()];
    return beyondShare(held, this.room);
  }

  plan(slots: readonly PlannedSlot[]): void {
    if (slots.length === 0 || this.shutdown.signal.aborted) return;
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
    const left = slotsOf([...this.planned, ...this.due.clear()]).map(({ definition }) => definition.endpointId);
    this.planned = [];
    return left;
  }

  /** Waits for the checks in flight; those still running after `limitMs` are aborted and not recorded. */
  async drain(limitMs: number): Promise<void> {
    if (this.running.size === 0) return;
    const idle = new AbortController();
    this.idle = () => idle.abort();
    await this.clock.sleep(limitMs, idle.signal);
    this.shutdown.abort(new Error('the monitor is shutting down'));
    await this.clock.sleep(1000, idle.signal);
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
    if (isPassage(planned)) {
      if (this.running.size < this.room) planned.pass();
      else this.due.push(OPERATOR, planned);
      return;
    }
    if (this.running.has(planned.definition.endpointId)) {
      this.metrics.skipped.inc();
      return;
    }
    if (this.running.size >= this.room) {
      this.due.push(planned.definition.orgId, planned);
      return;
    }
    this.running.set(planned.definition.endpointId, planned.definition.orgId);
    void this.run(planned);
  }

  private async run({ slot, definition, fireAt }: PlannedSlot): Promise<void> {
    const late = this.clock.monotonic() - fireAt;
    this.metrics.lateness.observe(Math.max(0, late) / 1000);
    try {
      const checkedAt = new Date(Math.round(slot.slotMs + Math.max(0, late)));
      const check = await this.runner.run(definition, slot.slotMs, checkedAt, this.shutdown.signal);
      if (check) this.recorder.add(check);
    } catch (error) {
      this.logger.error(`a check was lost`, error instanceof Error ? error.stack : String(error));
    } finally {
      this.running.delete(definition.endpointId);
      if (this.running.size === 0) this.idle?.();
      this.fireWaiting();
    }
  }

  /** What gets its turn may leave the place free: a passage, or a slot whose endpoint is still being checked. */
  private fireWaiting(): void {
    while (this.due.size > 0 && this.running.size < this.room) {
      const next = this.due.take();
      if (next) this.fire(next);
    }
  }
}
