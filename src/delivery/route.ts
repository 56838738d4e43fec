import type { SealedConfig } from './config/sealed-config';

/** The config that the messages of an alert use: its own, or its contact's. The envelope is encrypted for the owner. */
export interface Route {
  /** `null` means the alert's own config. */
  contactId: string | null;
  type: string;
  config: SealedConfig;
  /** The channel's digest of the account and address, or `null` if it has none. */
  destination: string | null;
}

/** Returns true if both routes use the same account and address. Then they differ only in a credential or the look. */
export const isSameDestination = (one: Route, other: Route): boolean =>
  one.type === other.type && one.destination !== null && one.destination === other.destination;
