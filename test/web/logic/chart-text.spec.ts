import type { LatencyBucket } from '../../../web/src/api/types';
import { bucketText, locationsText } from '../../../web/src/logic/chart-text';
import { latencyBucket } from './latency-bucket';

const start = new Date(2026, 10, 20, 12, 4).toISOString();
const bucket = (more: Partial<LatencyBucket>) => latencyBucket(start, { count: 60, ...more });

it.each([
  [{ p50: 82, p95: 120 }, null, '12:04:00 · p50 82 ms, p95 120 ms'],
  [{ p50: 82, p95: 120 }, 79, '12:04:00 · p50 82 ms, p95 120 ms · a week earlier 79 ms'],
  [{ failures: 60 }, null, '12:04:00 · 60 of 60 checks failed'],
  [{ count: 0 }, 79, '12:04:00 · a week earlier 79 ms · no checks'],
])('describes a bucket with %j and %p a week before: %s', (more, before, text) =>
  expect(bucketText(bucket(more), before, Date.parse(start))).toBe(text),
);

it('describes a bucket of several locations with the p95 of each, and how many checks failed', () => {
  const at = Date.parse(start) / 1000;
  const line = (location: string, p95: number | null) => ({ location, style: { color: '', dash: [] }, p95: [p95] });
  const data = { times: [at, at + 60], failures: [3], lines: [line('fra', 82), line('us', null)] };
  expect(locationsText(data, 0, Date.parse(start))).toBe(
    '12:04:00 · fra p95 82 ms · us no successful check · 3 checks failed',
  );
});
