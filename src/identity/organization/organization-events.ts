/** Emitted inside the transaction that marks an organization as deleted: from now on nothing of it is shown or done. */
export class OrganizationDeleted {
  constructor(readonly orgId: string) {}
}

/**
 * One step of removing what a deleted organization owns, in a transaction of its own. Each handler removes a bounded number
 * of its rows, children before parents, and calls `leave` when there may be more: then another step follows.
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
