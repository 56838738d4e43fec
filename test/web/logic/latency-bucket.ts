import type { LatencyBucket } from '../../../web/src/api/types';

/** Returns a bucket without any checks, except for the given fields. */
export const latencyBucket = (start: string, more: Partial<LatencyBucket> = {}): LatencyBucket => ({
  start,
  count: 0,
  failures: 0,
  unknown: 0,
  planned: 0,
  avg: null,
  p50: null,
  p95: null,
  p99: null,
  max: null,
  phases: null,
  ...more,
});
