/**
 * Emitted inside the transaction in which what is known of endpoints ends, after their endpoint_state rows are locked: they
 * are paused, and nobody looks, or they get another target, of which nothing is known.
 */
export class StatusEnded {
  constructor(readonly endpointIds: readonly string[]) {}
}

/**
 * Emitted inside the transaction that disables or deletes endpoints (themselves, or their website), after their
 * endpoint_state rows are locked in id order and before anything is deleted: open incidents on them must be resolved now.
 */
export class EndpointsStopped {
  constructor(
    readonly orgId: string,
    readonly endpointIds: readonly string[],
    readonly reason: 'disabled' | 'deleted',
  ) {}
}
