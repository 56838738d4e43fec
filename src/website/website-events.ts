/** The website was switched off or is about to be deleted: its endpoints stop. Emitted inside the same transaction. */
export class WebsiteStopped {
  constructor(
    readonly orgId: string,
    readonly websiteId: string,
    readonly reason: 'disabled' | 'deleted',
  ) {}
}

/** The website was switched on: its enabled endpoints are due at once. Emitted inside the same transaction. */
export class WebsiteStarted {
  constructor(
    readonly orgId: string,
    readonly websiteId: string,
  ) {}
}

/** The website is deleted with everything on it; what outlives its endpoints elsewhere goes now. Same transaction. */
export class WebsiteDeleted {
  constructor(
    readonly orgId: string,
    readonly websiteId: string,
  ) {}
}
