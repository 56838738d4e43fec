import { Injectable } from '@nestjs/common';
import type { Ask, PollResponse } from '../probe-protocol/protocol';
import { Clock } from '../platform/time/clock';
import { MINUTE_MS } from '../platform/time/time-units';
import { Asks } from './asks';
import { Assignments } from './slots/assignments';
import { SlotSource } from './slots/slot-source';

/** How often the service is told what is held, so that a change that was lost is found. */
const DIGEST_EVERY_MS = 10 * MINUTE_MS;

/** What the service has told this probe to do so far: the definitions, and where in the row of changes they stand. */
@Injectable()
export class Work {
  /** Of the response before; `null`: all is asked for. */
  cursor: string | null = null;
  /** More pages follow. */
  isPartial = true;
  /** Of all there are, those that came so far; `null` while only changes come. */
  private named: Set<string> | null = null;
  private digestAt: number;
  /** Whoever makes an endpoint and asks at once is ahead of the changes, which are told each second. */
  private early: Ask[] = [];
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly assignments: Assignments,
    private readonly slots: SlotSource,
    private readonly asks: Asks,
    private readonly clock: Clock,
  ) {
    this.digestAt = clock.monotonic() + DIGEST_EVERY_MS;
  }

  /** What is held, in the form of the next request; each ten minutes, else nothing. */
  claim(): { count: number; digest: string | null } {
    const nowMs = this.clock.monotonic();
    if (this.isPartial || nowMs < this.digestAt) return { count: 0, digest: null };
    this.digestAt = nowMs + DIGEST_EVERY_MS;
    return { count: this.assignments.size, digest: this.assignments.digest };
  }

  /** Does what a response says. */
  take({ now, lease_until, cursor, full, more, removed, endpoints, asks }: PollResponse): void {
    this.slots.renewLease(lease_until);
    if (full) this.named ??= new Set();
    this.assignments.remove(removed);
    for (const id of removed) this.named?.delete(id);
    this.assignments.put(endpoints);
    for (const { endpoint_id } of endpoints) this.named?.add(endpoint_id);
    if (!more && this.named !== null) {
      this.assignments.keepOnly(this.named);
      this.named = null;
    }
    this.cursor = cursor;
    this.isPartial = more;
    if (endpoints.length > 0) this.slots.tick();
    const isEarly = ({ endpoint_id }: Ask): boolean =>
      endpoint_id !== null && this.assignments.get(endpoint_id) === undefined;
    const due = [...this.early, ...asks];
    this.early = due.filter((ask) => isEarly(ask) && ask.expires_at > now);
    for (const ask of due.filter((one) => !isEarly(one))) {
      const run: Promise<void> = this.asks.run(ask).finally(() => this.running.delete(run));
      this.running.add(run);
    }
  }

  /** Nothing begins any more, and all definitions are forgotten; what was found is kept. */
  forget(): void {
    this.slots.endLease();
    this.assignments.clear();
    this.cursor = null;
    this.isPartial = true;
    this.named = null;
    this.early = [];
  }

  /** Checks that somebody waits for are over. */
  async settled(): Promise<void> {
    await Promise.all(this.running);
  }
}
