import type { Contact } from '../api/types';

/** Returns the contacts through which a new endpoint gets alert rules by default. */
export const defaultContacts = (contacts: readonly Contact[]): string[] =>
  contacts.filter((each) => each.default).map(({ id }) => id);

/** The requests that create the alert rules of a new endpoint. */
export interface AlertPlan {
  /** Added to the path of the create request. `?alerts=none` turns the default contacts off. */
  query: '' | '?alerts=none';
  /** Contacts that get an alert rule afterwards, each with its own request. */
  after: string[];
}

/**
 * Returns how to create the alert rules of a new endpoint. For default contacts, the service creates them in the
 * transaction of the endpoint. If the user removed a default contact, this is turned off, and the chosen contacts get
 * their rules afterwards.
 */
export function alertPlan(contacts: readonly Contact[], chosen: readonly string[]): AlertPlan {
  const acting = defaultContacts(contacts);
  return acting.every((id) => chosen.includes(id))
    ? { query: '', after: chosen.filter((id) => !acting.includes(id)) }
    : { query: '?alerts=none', after: [...chosen] };
}
