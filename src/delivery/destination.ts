import { createHash } from 'node:crypto';

/** The account and address of a channel config. Deliveries to it share one rate limit and one circuit breaker. */
export interface Destination {
  orgId: string;
  /** The channel's digest of the account and address. It is stable and reveals neither. */
  destination: string;
}

/**
 * Returns the destination of an alert's deliveries: the stored one, or else a key that is derived from the alert and
 * needs no config. `null` is stored while its config cannot be read. During that time:
 *
 * - Order: the alert's new deliveries form a separate queue. A resolve still waits for its trigger, wherever that is.
 *   Other deliveries that are pending under the real destination may be overtaken.
 * - Limits: the key has a separate rate limit and circuit breaker. So for each such alert, a destination may receive
 *   one more burst, and one more attempt while its circuit breaker is open.
 */
export const destinationOfAlert = (alert: { id: string; destination: string | null }): string =>
  alert.destination ?? createHash('sha256').update(`unreadable:${alert.id}`).digest('hex');
