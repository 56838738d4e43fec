import type { MaintenanceScope } from './suppression/cover';

/** Whose alerts were suppressed: these endpoints', those of what depends on them, or all that a window covered. */
export type Suppressed =
  { endpointIds: readonly string[] } | { parentIds: readonly string[] } | (MaintenanceScope & { orgId: string });

/**
 * Emitted inside the transaction in which a reason that suppressed alerts ends: an acknowledgement, a parent that was down or
 * is none any longer, a maintenance window. What is checked by the clock is checked soon; what is not has to have its result said again.
 */
export class SuppressionEnded {
  constructor(readonly of: Suppressed) {}
}

/**
 * Emitted inside the transaction in which what is known of endpoints ends, after their endpoint_state rows are locked: they
 * are paused, and nobody looks, or they get another target, of which nothing is known.
 */
export class StatusEnded {
  constructor(readonly endpointIds: readonly string[]) {}
}

/**
 * Emitted inside a transaction that is about to make endpoints, when it holds nothing but their website's row: whoever reacts
 * locks what it needs now, before endpoints and counters are locked, and says with `whenCreated` what to do when they are
 * there. Not emitted where the client wants no alerts.
 */
export class EndpointsCreating {
  private readonly works: ((endpointIds: readonly string[]) => Promise<void>)[] = [];

  constructor(readonly orgId: string) {}

  /** `work` runs in the same transaction, behind everything else that is written of the endpoints; a throw rolls it back. */
  whenCreated(work: (endpointIds: readonly string[]) => Promise<void>): void {
    this.works.push(work);
  }

  /** For the emitter: the endpoints are there. */
  async created(endpointIds: readonly string[]): Promise<void> {
    for (const work of this.works) await work(endpointIds);
  }
}

/**
 * Emitted inside the transaction that disables or deletes endpoints (themselves, or their website), after their
 * endpoint_state rows are locked in id order and before anything is deleted: open episodes on them must be resolved now.
 */
export class EndpointsStopped {
  constructor(
    readonly orgId: string,
    readonly endpointIds: readonly string[],
    readonly reason: 'disabled' | 'deleted',
  ) {}
}

/**
 * Emitted inside the transaction that makes, changes, pauses or resumes heartbeats, after their endpoints and schedules are
 * written: when their next ping is expected has to be found again.
 */
export class HeartbeatsChanged {
  constructor(readonly endpointIds: readonly string[]) {}
}
