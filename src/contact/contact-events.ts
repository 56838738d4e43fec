import type { Route } from '../delivery/route';

export type ContactRoute = Route & { contactId: string };

/**
 * Emitted in the transaction that changes the config of a contact, or moves all alerts from one contact to another. The
 * rows of the contacts are already locked and saved. From now on, all alerts of `before.contactId` send their
 * notifications through `after`.
 */
export class ContactRouteChanged {
  constructor(
    readonly orgId: string,
    readonly before: ContactRoute,
    readonly after: ContactRoute,
  ) {}
}
