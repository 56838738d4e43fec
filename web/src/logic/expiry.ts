import type { Endpoint, OverviewItem } from '../api/types';
import { daysUntil } from './format';

/** An endpoint whose certificate is about to expire, with the number of whole days left. */
export interface Ending {
  endpoint: Endpoint;
  expiresAt: string;
  days: number;
}

/** Returns the endpoints whose certificate expiry date is known, earliest first. */
export function inOrderOfEnd(endpoints: readonly Endpoint[], items: readonly OverviewItem[], nowMs: number): Ending[] {
  const ends = new Map(items.map(({ id, certificate_expires_at }) => [id, certificate_expires_at]));
  return endpoints
    .flatMap((endpoint) => {
      const expiresAt = ends.get(endpoint.id);
      return expiresAt ? [{ endpoint, expiresAt, days: daysUntil(expiresAt, nowMs) }] : [];
    })
    .sort((a, b) => a.expiresAt.localeCompare(b.expiresAt));
}

/** Returns how many days before the expiry contacts are notified. Empty if warnings are turned off. */
export function stepsOf({ tls }: Pick<Endpoint, 'tls'>): number[] {
  const first = tls?.warn_days ?? null;
  return first === null ? [] : [first, ...[7, 3, 1].filter((step) => step < first)];
}

/**
 * Describes when contacts are notified next. `hasAlert` means that one of the endpoint's alert rules notifies someone.
 */
export function nextTold(endpoint: Pick<Endpoint, 'tls'>, days: number, hasAlert: boolean): string {
  const steps = stepsOf(endpoint);
  if (steps.length === 0 || !hasAlert) return 'no one is notified';
  if (days < 0) return 'expired';
  const next = steps.find((step) => step < days);
  if (days > (steps[0] ?? 0)) return `in ${days - (steps[0] ?? 0)} d`;
  return next === undefined ? 'sent' : `sent, again in ${days - next} d`;
}
