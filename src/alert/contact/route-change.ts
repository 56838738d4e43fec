import { formatId } from '../../platform/ids/id';
import type { FieldProblem } from '../../platform/problem/problem';

/** What a change of an alert says of what the alert notifies through. */
export interface SentRoute {
  /** uuid; `null` for none; `undefined` when it is not sent. */
  contactId: string | null | undefined;
  hasType: boolean;
  hasConfig: boolean;
  /** Type and config, as far as they are sent, are what the alert shows now. */
  isAsShown: boolean;
}

/** What becomes of it. */
export type RouteChange =
  | { kind: 'same' }
  /** Type and config as they are sent are the alert's own. */
  | { kind: 'own' }
  /** The config of its contact becomes the alert's own. */
  | { kind: 'detached' }
  /** It notifies through this contact. */
  | { kind: 'contact'; contactId: string }
  | { kind: 'refused'; problem: FieldProblem };

/**
 * What a change makes of an alert that notifies through `presentId`; `null`: a config of its own. What the alert shows may be
 * sent back at any time. A contact's config is changed at the contact, so that nobody changes one alert and means all, or the
 * other way round; type and config together, without the contact, are the alert's own from then on.
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
