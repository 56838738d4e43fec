/** The website was disabled: its endpoints stop. Emitted inside the same transaction. */
export class WebsiteStopped {
  constructor(
    readonly orgId: string,
    readonly websiteId: string,
  ) {}
}

/** The website was enabled: its enabled endpoints are due at once. Emitted inside the same transaction. */
export class WebsiteStarted {
  constructor(
    readonly orgId: string,
    readonly websiteId: string,
  ) {}
}

/** Websites were marked as deleted: to clients they are gone. Emitted inside the same transaction; their rows go in steps after it. */
export class WebsitesDeleted {
  constructor(readonly websiteIds: readonly string[]) {}
}

/**
 * One step of removing what a deleted website owns, in a short transaction. Each handler removes a bounded number of its
 * rows, children before parents, and calls `leave` when there may be more: then another step follows.
 */
export class WebsitePurge {
  private left = false;

  constructor(
    readonly orgId: string,
    readonly websiteId: string,
  ) {}

  get hasMore(): boolean {
    return this.left;
  }

  leave(): void {
    this.left = true;
  }
}
