import type { LatencyBucket } from '../api/types';
import type { LocationData } from './chart-data';
import { count, ms, time } from './format';

/** Returns text such as `12:04:00 · fra p95 82 ms · office no successful check · 2 checks failed`. */
export function locationsText({ times, lines, failures }: LocationData, index: number, nowMs: number): string {
  const failed = failures[index] ?? 0;
  return [
    time(new Date((times[index] ?? 0) * 1000).toISOString(), nowMs),
    ...lines.map(
      ({ location, p95 }) => `${location} ${p95[index] == null ? 'no successful check' : `p95 ${ms(p95[index])}`}`,
    ),
    ...(failed === 0 ? [] : [`${count(failed, 'check')} failed`]),
  ].join(' · ');
}

/**
 * Returns text such as `12:04:00 · p50 82 ms, p95 120 ms · a week earlier 79 ms · 2 of 60 checks failed`. `before` is
 * the p50 one week earlier.
 */
export function bucketText(bucket: LatencyBucket, before: number | null, nowMs: number): string {
  const { p50, p95, failures, count: checks } = bucket;
  return [
    time(bucket.start, nowMs),
    ...(p50 === null ? [] : [`p50 ${ms(p50)}, p95 ${ms(p95)}`]),
    ...(before === null ? [] : [`a week earlier ${ms(before)}`]),
    ...(checks === 0 ? ['no checks'] : []),
    ...(failures === 0 ? [] : [`${failures.toLocaleString('en')} of ${count(checks, 'check')} failed`]),
  ].join(' · ');
}
