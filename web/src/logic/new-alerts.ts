import type { Contact } from '../api/types';

/** The contacts that a new endpoint has an alert through unless somebody says otherwise. */
export const defaultContacts = (contacts: readonly Contact[]): string[] =>
  contacts.filter((each) => each.default).map(({ id }) => id);

/** How a new endpoint gets its alerts. */
export interface AlertPlan {
  /** Added to the path of the request that creates: empty, or that no default contact acts. */
  query: '' | '?alerts=none';
  /** Contacts that get an alert after that, each by a request of its own. */
  after: string[];
}

/**
 * Default contacts act by themselves, in the transaction of the endpoint. Where one of them was taken away none may act,
 * and those that are left get their alert after that.
 */
export function alertPlan(contacts: readonly Contact[], chosen: readonly string[]): AlertPlan {
  const acting = defaultContacts(contacts);
  return acting.every((id) => chosen.includes(id))
    ? { query: '', after: chosen.filter((id) => !acting.includes(id)) }
    : { query: '?alerts=none', after: [...chosen] };
}
