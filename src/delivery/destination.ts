import { createHash } from 'node:crypto';

/** The account and address behind a channel config: what shares one rate limit and one circuit breaker. */
export interface Destination {
  orgId: string;
  /** The channel's digest of account and address; stable, and says neither. */
  destination: string;
}

/**
 * The destination of an alert's deliveries: the stored one, else a key of the alert's own that needs no config. `null`
 * is stored for as long as its config cannot be read. Until then:
 *
 * - Order: the alert's new deliveries form a queue of their own. A resolve still waits for its trigger, wherever that
 *   is; other deliveries that are pending under the real destination may be overtaken.
 * - Limits: the key has a rate limit and a circuit breaker of its own, so a destination may receive one more burst, and
 *   one more attempt while its circuit breaker is open, for each such alert.
 */
export const destinationOfAlert = (alert: { id: string; destination: string | null }): string =>
  alert.destination ?? createHash('sha256').update(`unreadable:${alert.id}`).digest('hex');
