import type { SealedConfig } from './config/sealed-config';

/** The config used for an alert's messages: its own, or its contact's. The envelope is encrypted for the owner. */
export interface Route {
  /** The contact, or `null` for the alert's own config. */
  contactId: string | null;
  type: string;
  config: SealedConfig;
  /** The channel's digest of the account and address, or `null` if it has none. */
  destination: string | null;
}

/**
 * Returns true if both routes use the same account and address. They can then only differ in a credential or the
 * format.
 */
export const isSameDestination = (one: Route, other: Route): boolean =>
  one.type === other.type && one.destination !== null && one.destination === other.destination;
