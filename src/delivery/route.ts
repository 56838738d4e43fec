import type { SealedConfig } from './config/sealed-config';

/** What the messages of an alert go through: its own config, or that of a contact. The envelope is that of whoever it belongs to. */
export interface Route {
  /** `null`: the alert's own. */
  contactId: string | null;
  type: string;
  config: SealedConfig;
  /** The channel's digest of account and address; `null` when it names none. */
  destination: string | null;
}

/** Messages through both go to the same account and address: only a credential or the look of them differs. */
export const isSameDestination = (one: Route, other: Route): boolean =>
  one.type === other.type && one.destination !== null && one.destination === other.destination;
