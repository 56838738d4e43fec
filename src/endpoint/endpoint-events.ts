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
