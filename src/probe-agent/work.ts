import { Injectable } from '@nestjs/common';
import type { Ask, PollResponse } from '../probe-protocol/protocol';
import { Clock } from '../platform/time/clock';
import { MINUTE_MS } from '../platform/time/time-units';
import { Asks } from './asks';
import { Assignments } from './slots/assignments';
import { SlotSource } from './slots/slot-source';

/** How often the probe reports a digest of its definitions, which reveals a lost change. */
const DIGEST_EVERY_MS = 10 * MINUTE_MS;

/** The work that the service has assigned to this probe: the definitions, and the cursor of the last change. */
@Injectable()
export class Work {
  /** The cursor from the previous response. `null` requests everything. */
  cursor: string | null = null;
  /** Whether more pages follow. */
  isPartial = true;
  /** The endpoints received so far during a full sync, or `null` if only changes are sent. */
  private named: Set<string> | null = null;
  private digestAt: number;
  /**
   * Requested checks of endpoints that haven't arrived yet. Changes are sent once per second, and a caller may create
   * an endpoint and request a check immediately.
   */
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

  /** Returns the digest for the next request every ten minutes. Otherwise, it is empty. */
  claim(): { count: number; digest: string | null } {
    const nowMs = this.clock.monotonic();
    if (this.isPartial || nowMs < this.digestAt) return { count: 0, digest: null };
    this.digestAt = nowMs + DIGEST_EVERY_MS;
    return { count: this.assignments.size, digest: this.assignments.digest };
  }

  take({ now, lease_until, cursor, full_sync, has_more, removed, endpoints, requests }: PollResponse): void {
    this.slots.renewLease(lease_until);
    if (full_sync) this.named ??= new Set();
    this.assignments.remove(removed);
    for (const id of removed) this.named?.delete(id);
    this.assignments.put(endpoints);
    for (const { endpoint_id } of endpoints) this.named?.add(endpoint_id);
    if (!has_more && this.named !== null) {
      this.assignments.keepOnly(this.named);
      this.named = null;
    }
    this.cursor = cursor;
    this.isPartial = has_more;
    if (endpoints.length > 0) this.slots.tick();
    const isEarly = ({ endpoint_id }: Ask): boolean =>
      endpoint_id !== null && this.assignments.get(endpoint_id) === undefined;
    const due = [...this.early, ...requests];
    this.early = due.filter((ask) => isEarly(ask) && ask.expires_at > now);
    for (const ask of due.filter((one) => !isEarly(one))) {
      const run: Promise<void> = this.asks.run(ask).finally(() => this.running.delete(run));
      this.running.add(run);
    }
  }

  /** Stops starting checks and forgets all definitions. Results are kept. */
  forget(): void {
    this.slots.endLease();
    this.assignments.clear();
    this.cursor = null;
    this.isPartial = true;
    this.named = null;
    this.early = [];
  }

  /** Resolves when all requested checks have finished. */
  async settled(): Promise<void> {
    await Promise.all(this.running);
  }
}
