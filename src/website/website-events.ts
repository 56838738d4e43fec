/** The website was disabled, so its endpoints stop. Emitted in the same transaction. */
export class WebsiteStopped {
  constructor(
    readonly orgId: string,
    readonly websiteId: string,
  ) {}
}

/** The website was enabled, so its enabled endpoints are due immediately. Emitted in the same transaction. */
export class WebsiteStarted {
  constructor(
    readonly orgId: string,
    readonly websiteId: string,
  ) {}
}

/**
 * Websites were marked as deleted, and clients no longer see them. Emitted in the same transaction. Their rows are
 * removed in steps afterwards.
 */
export class WebsitesDeleted {
  constructor(readonly websiteIds: readonly string[]) {}
}

/**
 * One step of removing the rows of a deleted website, in a short transaction. Each handler removes a limited number of
 * its rows, children before parents. If there may be more, it calls `leave`, and another step follows.
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
