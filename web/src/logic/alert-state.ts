import type { Alert, Contact, Delivery } from '../api/types';
import type { Shown } from './overview-order';

type Message = Pick<Delivery, 'state' | 'error'>;

/** Whether the message reaches nobody, or not yet because attempts fail. */
export const isTroubled = (delivery: Message | null): boolean =>
  delivery !== null && delivery.state !== 'delivered' && (delivery.state === 'failed' || delivery.error !== null);

/** Whether the message did not arrive: it failed, or was overtaken by what happened since. One that waits may arrive yet. */
export const isLost = (delivery: Message | null): boolean => isTroubled(delivery) || delivery?.state === 'superseded';

/** Since when messages through an alert's contact fail, of whichever alert they are; `null`: they arrive, or nobody knows. */
export const contactFailsSince = (
  { contact_id }: Pick<Alert, 'contact_id'>,
  contacts: readonly Pick<Contact, 'id' | 'failing_since'>[] | undefined,
): string | null => contacts?.find(({ id }) => id === contact_id)?.failing_since ?? null;

/** Whether an alert would reach nobody: its last message did not arrive, or messages through its contact fail. */
export const isUnheard = (
  alert: Pick<Alert, 'last_delivery' | 'contact_id'>,
  contacts: readonly Pick<Contact, 'id' | 'failing_since'>[] | undefined,
): boolean => isTroubled(alert.last_delivery) || contactFailsSince(alert, contacts) !== null;

/** Whether an alert rule watches, has an open incident, is off, or would reach nobody: as a status and a word. */
export function alertState(
  alert: Pick<Alert, 'enabled' | 'triggered' | 'last_delivery' | 'contact_id'>,
  contacts: readonly Pick<Contact, 'id' | 'failing_since'>[] | undefined,
): { status: Shown; word: string } {
  if (!alert.enabled) return { status: 'paused', word: 'Off' };
  if (alert.triggered) return { status: 'down', word: 'Triggered' };
  return isUnheard(alert, contacts)
    ? { status: 'unknown', word: 'Not delivering' }
    : { status: 'up', word: 'Watching' };
}
