import type { Contact } from '../api/types';

/** Returns the contacts through which a new endpoint gets alert rules by default. */
export const defaultContacts = (contacts: readonly Contact[]): string[] =>
  contacts.filter((each) => each.default).map(({ id }) => id);

/** The requests that create a new endpoint's alert rules. */
export interface AlertPlan {
  /** Appended to the path of the create request. `?alerts=none` turns off the default contacts. */
  query: '' | '?alerts=none';
  /** Contacts that get an alert rule afterward, each with a separate request. */
  after: string[];
}

/**
 * Returns how to create a new endpoint's alert rules. For default contacts, the service creates them in the same
 * transaction as the endpoint. If the user removed a default contact, this is turned off, and the selected contacts get
 * their rules afterward.
 */
export function alertPlan(contacts: readonly Contact[], chosen: readonly string[]): AlertPlan {
  const acting = defaultContacts(contacts);
  return acting.every((id) => chosen.includes(id))
    ? { query: '', after: chosen.filter((id) => !acting.includes(id)) }
    : { query: '?alerts=none', after: [...chosen] };
}
