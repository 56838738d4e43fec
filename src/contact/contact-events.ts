import type { Route } from '../delivery/route';

export type ContactRoute = Route & { contactId: string };

/**
 * Emitted in the transaction that changes the config of a contact, or moves all alerts of one contact to another. The
 * rows of the contacts are already locked and saved. All alerts of `before.contactId` notify through `after` from now
 * on.
 */
export class ContactRouteChanged {
  constructor(
    readonly orgId: string,
    readonly before: ContactRoute,
    readonly after: ContactRoute,
  ) {}
}
