import type { NotificationKind } from '../channel/notification';
import { isHuman } from './delivery';
import type { Receiver } from './plan/queue-plan';

/** Pagers send their own reminders. The other kinds would open a pager incident that nothing closes. */
export const NOT_FOR_PAGERS: readonly NotificationKind[] = ['reminder', 'contact_failing', 'expiry'];

/** Returns whether a receiver gets notifications of this kind. */
export function receivesKind(kind: NotificationKind, { audience, acknowledges }: Receiver): boolean {
  if (kind === 'digest' || kind === 'flapping') return isHuman(audience);
  if (kind === 'acknowledged') return acknowledges === true && !isHuman(audience);
  return audience !== 'pager' || !NOT_FOR_PAGERS.includes(kind);
}
