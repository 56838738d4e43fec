import type { Endpoint, Outage } from '../api/types';

/**
 * Since when an endpoint is what it is shown as; `null` when that is not known. `statusSince`: as the overview tells it, which
 * does not tell when an endpoint that was up became degraded. `outages`: newest first.
 */
export function shownSince(
  endpoint: Pick<Endpoint, 'status' | 'degraded_since'>,
  statusSince: string | null | undefined,
  outages: readonly Pick<Outage, 'started_at' | 'ended_at'>[] = [],
): string | null {
  if (endpoint.degraded_since !== null) return endpoint.degraded_since;
  if (statusSince) return statusSince;
  const [last] = outages;
  if (endpoint.status === 'down') return last?.started_at ?? null;
  return endpoint.status === 'up' ? (last?.ended_at ?? null) : null;
}
