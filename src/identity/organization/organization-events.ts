/** Emitted in the transaction that marks an organization as deleted. From then on, nothing of it is shown or run. */
export class OrganizationDeleted {
  constructor(readonly orgId: string) {}
}

/**
 * One step of removing what a deleted organization owns, in a separate transaction. Each handler removes a bounded
 * number of rows, children before parents. It calls `leave` if there may be more, and then another step follows.
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
