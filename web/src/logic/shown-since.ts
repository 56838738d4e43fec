import type { Endpoint, Outage } from '../api/types';

/**
 * Returns when an endpoint's shown status started, or `null` if that isn't known. `statusSince` is from the
 * overview, which doesn't know when an endpoint that is up became degraded. `outages` are newest first.
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
