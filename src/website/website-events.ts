/** The website was disabled or is about to be deleted: its endpoints stop. Emitted inside the same transaction. */
export class WebsiteStopped {
  constructor(
    readonly orgId: string,
    readonly websiteId: string,
    readonly reason: 'disabled' | 'deleted',
  ) {}
}

/** The website was enabled: its enabled endpoints are due at once. Emitted inside the same transaction. */
export class WebsiteStarted {
  constructor(
    readonly orgId: string,
    readonly websiteId: string,
  ) {}
}

/** The website and all its endpoints are deleted. Rows elsewhere that do not go with them are removed now, in the same transaction. */
export class WebsiteDeleted {
  constructor(
    readonly orgId: string,
    readonly websiteId: string,
  ) {}
}
