/**
 * Emitted in the transaction that marks an organization as deleted. From then on, its data is hidden and its jobs stop.
 */
export class OrganizationDeleted {
  constructor(readonly orgId: string) {}
}

/**
 * One step in removing the data of a deleted organization, in a separate transaction. Each handler removes a bounded
 * number of rows, children before parents. If there may be more rows, the handler calls `leave`, and another step
 * follows.
 */
export class OrganizationPurge {
  private left = false;

  constructor(readonly orgId: string) {}

  get hasMore(): boolean {
    return this.left;
  }

  leave(): void {
    this.left = true;
  }
}
