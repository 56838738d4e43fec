import type { Outcome } from '../checker/checker';
import type { MaintenanceScope } from './suppression/cover';

/**
 * The endpoints whose alerts were suppressed: specific endpoints, all that depend on specific parents, or all that a
 * maintenance window covered.
 */
export type Suppressed =
  { endpointIds: readonly string[] } | { parentIds: readonly string[] } | (MaintenanceScope & { orgId: string });

/**
 * Emitted inside the transaction that ends a suppression: an acknowledgement, a parent that was down or was removed, or
 * a maintenance window. Scheduled checks will run again soon. For endpoints without a schedule, listeners must process
 * the last result again.
 */
export class SuppressionEnded {
  constructor(readonly of: Suppressed) {}
}

/** A new status of an endpoint. The IDs are UUIDs. */
export interface StatusChange {
  readonly orgId: string;
  readonly endpointId: string;
  readonly from: Outcome;
  readonly to: Outcome;
  /** When the check started that changed it. */
  readonly at: Date;
}

/**
 * Emitted inside the transaction that records checks, once for all endpoints whose status changes with them. A status
 * that is reset, for example because an endpoint is paused, is not a change. See `EndpointsStopped` for that.
 */
export class EndpointStatusChanged {
  constructor(readonly changes: readonly StatusChange[]) {}
}

/**
 * Emitted inside the transaction that resets the status of endpoints to unknown, after their `endpoint_state` rows are
 * locked. The endpoints are being paused or given a new target.
 */
export class StatusEnded {
  constructor(readonly endpointIds: readonly string[]) {}
}

/**
 * Emitted inside a transaction that is about to create endpoints, while it has locked only the row of their website.
 * Listeners acquire their locks now, before endpoints and counters are locked, and pass the rest of their work to
 * `whenCreated`. Not emitted if the client wants no alerts.
 */
export class EndpointsCreating {
  private readonly works: ((endpointIds: readonly string[]) => Promise<void>)[] = [];

  constructor(readonly orgId: string) {}

  /**
   * Runs `work` in the same transaction, after all other rows of the endpoints are written. If it throws, the
   * transaction rolls back.
   */
  whenCreated(work: (endpointIds: readonly string[]) => Promise<void>): void {
    this.works.push(work);
  }

  /** Called by the emitter once the endpoints exist. */
  async created(endpointIds: readonly string[]): Promise<void> {
    for (const work of this.works) await work(endpointIds);
  }
}

/**
 * Emitted inside the transaction that disables or deletes endpoints or their website. Their `endpoint_state` rows are
 * already locked in ID order, and nothing is deleted yet. Listeners must resolve open episodes now.
 */
export class EndpointsStopped {
  constructor(
    readonly orgId: string,
    readonly endpointIds: readonly string[],
    readonly reason: 'disabled' | 'deleted',
    /** For deleted endpoints that can be restored: until when their history must be kept. */
    readonly keptUntil: Date | null = null,
  ) {}
}

/**
 * Emitted inside the transaction that deletes endpoints which can be restored, before `EndpointsStopped`. Their rows are
 * locked. Listeners pass what they need to restore their own rows to `keep`.
 */
export class EndpointsKeeping {
  readonly parts = new Map<string, Record<string, unknown>>();

  constructor(readonly endpointIds: readonly string[]) {}

  /** Keeps a part of an endpoint, which must be representable in JSON. */
  keep(endpointId: string, name: string, part: unknown): void {
    this.parts.set(endpointId, { ...this.parts.get(endpointId), [name]: part });
  }
}

/**
 * Emitted inside the transaction that restores a deleted endpoint, while it has locked only the row of its website.
 * Listeners acquire their locks now, and pass the rest of their work to `whenCreated`.
 */
export class EndpointRestoring {
  private readonly works: (() => Promise<void>)[] = [];

  constructor(
    readonly orgId: string,
    readonly endpointId: string,
    /** The key of its history. */
    readonly key: string,
    readonly parts: Readonly<Record<string, unknown>>,
  ) {}

  /** Runs `work` in the same transaction, after the endpoint exists again. */
  whenCreated(work: () => Promise<void>): void {
    this.works.push(work);
  }

  /** Called by the emitter once the endpoint exists. */
  async created(): Promise<void> {
    for (const work of this.works) await work();
  }
}

/**
 * Emitted inside the transaction that creates, changes, pauses, or resumes heartbeats, after their endpoints and
 * schedules are written. Listeners must recompute when the next ping is expected.
 */
export class HeartbeatsChanged {
  constructor(readonly endpointIds: readonly string[]) {}
}
