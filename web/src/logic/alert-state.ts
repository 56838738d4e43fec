import type { Alert, Contact, Delivery } from '../api/types';
import type { Shown } from './overview-order';

type Message = Pick<Delivery, 'state' | 'error'>;

/** Whether the message doesn't reach anyone, at least until a retry succeeds. */
export const isTroubled = (delivery: Message | null): boolean =>
  delivery !== null && delivery.state !== 'delivered' && (delivery.state === 'failed' || delivery.error !== null);

/** Whether the message didn't arrive because it failed or was superseded. A pending message may still arrive. */
export const isLost = (delivery: Message | null): boolean => isTroubled(delivery) || delivery?.state === 'superseded';

/**
 * Returns when messages through an alert's contact started to fail, for any of its alerts. `null` if they
 * arrive, or if that isn't known.
 */
export const contactFailsSince = (
  { contact_id }: Pick<Alert, 'contact_id'>,
  contacts: readonly Pick<Contact, 'id' | 'failing_since'>[] | undefined,
): string | null => contacts?.find(({ id }) => id === contact_id)?.failing_since ?? null;

/**
 * Whether an alert wouldn't reach anyone, because nothing can be sent through its channel, its last message didn't arrive or messages through its contact are
 * failing.
 */
export const isUnheard = (
  alert: Pick<Alert, 'last_delivery' | 'contact_id' | 'cannot_send'>,
  contacts: readonly Pick<Contact, 'id' | 'failing_since'>[] | undefined,
): boolean =>
  alert.cannot_send !== null || isTroubled(alert.last_delivery) || contactFailsSince(alert, contacts) !== null;

/**
 * Returns a status and a word: the alert rule is watching, has an open incident, is turned off, or wouldn't reach
 * anyone.
 */
export function alertState(
  alert: Pick<Alert, 'enabled' | 'triggered' | 'last_delivery' | 'contact_id' | 'cannot_send'>,
  contacts: readonly Pick<Contact, 'id' | 'failing_since'>[] | undefined,
): { status: Shown; word: string } {
  if (!alert.enabled) return { status: 'paused', word: 'Off' };
  if (alert.triggered) return { status: 'down', word: 'Triggered' };
  if (alert.cannot_send !== null) return { status: 'degraded', word: 'Cannot send' };
  return isUnheard(alert, contacts)
    ? { status: 'unknown', word: 'Not delivering' }
    : { status: 'up', word: 'Watching' };
}
