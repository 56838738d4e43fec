import type { Delivery } from '../api/types';

const KINDS: Record<Delivery['kind'], string> = {
  triggered: 'Triggered',
  resolved: 'Resolved',
  acknowledged: 'In hand',
  reminder: 'Reminder',
  test: 'Test',
  contact_failing: 'Contact fails',
  expiry: 'Certificate ends',
};

/** The event that a message reports: `Triggered`, `Reminder 3`. */
export const kindText = ({ kind, ordinal }: Pick<Delivery, 'kind' | 'ordinal'>): string =>
  ordinal === null ? KINDS[kind] : `${KINDS[kind]} ${ordinal}`;
