import { formatId } from '../../platform/ids/id';
import type { FieldProblem } from '../../platform/problem/problem';

/** The part of an alert update that affects its destination. */
export interface SentRoute {
  /** UUID, `null` for no contact, or `undefined` if the field isn't sent. */
  contactId: string | null | undefined;
  hasType: boolean;
  hasConfig: boolean;
  /** Whether type and config, if they are sent, equal what the alert shows now. */
  isAsShown: boolean;
}

export type RouteChange =
  | { kind: 'same' }
  /** The alert gets its own config, from the type and config that were sent. */
  | { kind: 'own' }
  /** The contact's config becomes the alert's own. */
  | { kind: 'detached' }
  /** The alert uses this contact. */
  | { kind: 'contact'; contactId: string }
  | { kind: 'refused'; problem: FieldProblem };

/**
 * Returns how an update affects an alert that uses the contact `presentId`, or its own config (`null`). A client may
 * always send back what the alert shows. A contact's config can only be changed at the contact. Otherwise, someone
 * could change one alert and mean all, or vice versa. If type and config are sent together, without the contact, they
 * become the alert's own.
 */
export function routeChangeOf(sent: SentRoute, presentId: string | null): RouteChange {
  const { contactId, isAsShown } = sent;
  const isSilent = !sent.hasType && !sent.hasConfig;
  if (typeof contactId === 'string') {
    if (!isSilent && !isAsShown) return refused(sent, contactId);
    return contactId === presentId ? { kind: 'same' } : { kind: 'contact', contactId };
  }
  if (presentId === null) return isSilent ? { kind: 'same' } : { kind: 'own' };
  if (contactId === null) return isSilent || isAsShown ? { kind: 'detached' } : { kind: 'own' };
  if (isSilent || isAsShown) return { kind: 'same' };
  return sent.hasType && sent.hasConfig ? { kind: 'own' } : refused(sent, presentId);
}

function refused({ hasConfig }: SentRoute, contactId: string): RouteChange {
  const field = hasConfig ? 'config' : 'type';
  const contact = formatId('contact', contactId);
  const message = `${field} comes from the contact: change it with PUT /contacts/${contact}, or send contact_id null with type and config`;
  return { kind: 'refused', problem: { pointer: `/${field}`, code: 'read_only', message } };
}
