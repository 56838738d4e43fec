import type { LatencyBucket } from '../../../web/src/api/types';
import { bucketText } from '../../../web/src/logic/chart-text';
import { latencyBucket } from './latency-bucket';

const start = new Date(2026, 10, 20, 12, 4).toISOString();
const bucket = (more: Partial<LatencyBucket>) => latencyBucket(start, { count: 60, ...more });

it.each([
  [{ p50: 82, p95: 120 }, null, '12:04:00 · p50 82 ms, p95 120 ms'],
  [{ p50: 82, p95: 120 }, 79, '12:04:00 · p50 82 ms, p95 120 ms · a week before 79 ms'],
  [{ failures: 60 }, null, '12:04:00 · 60 of 60 checks failed'],
  [{ count: 0 }, 79, '12:04:00 · a week before 79 ms · no check'],
])('says of a bucket with %j and %p a week before: %s', (more, before, text) =>
  expect(bucketText(bucket(more), before, Date.parse(start))).toBe(text),
);
