import type { Contact } from '../api/types';
import type { Shown } from './overview-order';

/** The state of a contact as a status and a word, or `null` where that of its last message says it all. */
export function contactState({
  failing_since,
  alert_count,
  last_delivery,
}: Pick<Contact, 'failing_since' | 'alert_count' | 'last_delivery'>): { status: Shown; word: string } | null {
  if (failing_since !== null) return { status: 'down', word: 'Failing' };
  if (alert_count === 0) return { status: 'paused', word: 'Not used' };
  if (last_delivery === null) return { status: 'unknown', word: 'Nothing sent' };
  return last_delivery.state === 'delivered' ? { status: 'up', word: 'Delivers' } : null;
}

/** How long messages have not arrived before the overview says so: until then a retry may help. */
const UNREACHED_MS = 5 * 60_000;

/** The contacts that alerts notify through and that cannot be reached, the longest failing first. */
export const unreached = <T extends Pick<Contact, 'failing_since' | 'alert_count'>>(
  contacts: readonly T[],
  nowMs: number,
): T[] =>
  worstFirst(contacts).filter(
    ({ failing_since, alert_count }) =>
      failing_since !== null && alert_count > 0 && nowMs - Date.parse(failing_since) >= UNREACHED_MS,
  );

/** Those that fail first, the longest failing before the others; the rest as they came. */
export const worstFirst = <T extends Pick<Contact, 'failing_since'>>(contacts: readonly T[]): T[] =>
  [...contacts].sort((a, b) => since(a) - since(b));

const since = ({ failing_since }: Pick<Contact, 'failing_since'>): number =>
  failing_since === null ? Number.MAX_SAFE_INTEGER : Date.parse(failing_since);
