import type { Delivery } from '../api/types';

const KINDS: Record<Delivery['kind'], string> = {
  triggered: 'Triggered',
  resolved: 'Resolved',
  acknowledged: 'Acknowledged',
  reminder: 'Reminder',
  test: 'Test',
  contact_failing: 'Contact failing',
  expiry: 'Certificate expires',
};

/** Returns the kind of event in a message, such as `Triggered` or `Reminder 3`. */
export const kindText = ({ kind, ordinal }: Pick<Delivery, 'kind' | 'ordinal'>): string =>
  ordinal === null ? KINDS[kind] : `${KINDS[kind]} ${ordinal}`;
