import { createHash } from 'node:crypto';

/** The account and address in a channel config. All deliveries to it share one rate limit and one circuit breaker. */
export interface Destination {
  orgId: string;
  /** The channel's digest of the account and address. It is stable and doesn't reveal either. */
  destination: string;
}

/**
 * Returns the destination of an alert's deliveries: the stored one, or a key that is derived from the alert and needs
 * no config. `null` is stored while the alert's config can't be read. During that time:
 * - Order: the alert's new deliveries form a separate queue. A resolve still waits for its trigger, wherever that is.
 * The new deliveries may overtake others that are pending under the real destination.
 * - Limits: the key has a separate rate limit and circuit breaker. So for each such alert, a destination may receive
 * one more burst, and one more attempt while its circuit breaker is open.
 */
export const destinationOfAlert = (alert: { id: string; destination: string | null }): string =>
  alert.destination ?? createHash('sha256').update(`unreadable:${alert.id}`).digest('hex');
