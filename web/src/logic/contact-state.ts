import type { Contact } from '../api/types';
import type { Shown } from './overview-order';

/** Returns the contact's state as a status and a word, or `null` if the state of its last message is sufficient. */
export function contactState({
  failing_since,
  alert_count,
  last_delivery,
  cannot_send,
}: Pick<Contact, 'failing_since' | 'alert_count' | 'last_delivery' | 'cannot_send'>): {
  status: Shown;
  word: string;
} | null {
  if (cannot_send !== null) return { status: 'degraded', word: 'Cannot send' };
  if (failing_since !== null) return { status: 'down', word: 'Failing' };
  if (alert_count === 0) return { status: 'paused', word: 'Unused' };
  if (last_delivery === null) return { status: 'unknown', word: 'No messages yet' };
  return last_delivery.state === 'delivered' ? { status: 'up', word: 'Working' } : null;
}

/** How long messages must fail before the overview reports it. Until then, a retry may succeed. */
const UNREACHED_MS = 5 * 60_000;

/**
 * Returns the contacts that alert rules use but that can't be reached, starting with the longest failure. Contacts
 * that cannot send anything come last.
 */
export const unreached = <T extends Pick<Contact, 'failing_since' | 'alert_count' | 'cannot_send'>>(
  contacts: readonly T[],
  nowMs: number,
): T[] =>
  worstFirst(contacts).filter(
    ({ failing_since, alert_count, cannot_send }) =>
      alert_count > 0 &&
      (cannot_send !== null || (failing_since !== null && nowMs - Date.parse(failing_since) >= UNREACHED_MS)),
  );

/** Sorts failing contacts first, starting with the longest failure. The others keep their order. */
export const worstFirst = <T extends Pick<Contact, 'failing_since'>>(contacts: readonly T[]): T[] =>
  [...contacts].sort((a, b) => since(a) - since(b));

const since = ({ failing_since }: Pick<Contact, 'failing_since'>): number =>
  failing_since === null ? Number.MAX_SAFE_INTEGER : Date.parse(failing_since);
