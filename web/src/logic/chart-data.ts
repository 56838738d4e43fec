import type { LatencyBucket, Phases } from '../api/types';

/** The phases of a check in their order, with their names and colours. */
export const PHASES = [
  { key: 'dns_ms', name: 'DNS', color: '--phase-1' },
  { key: 'connect_ms', name: 'Connect', color: '--phase-2' },
  { key: 'tls_ms', name: 'TLS', color: '--phase-3' },
  { key: 'first_byte_ms', name: 'First byte', color: '--phase-4' },
  { key: 'transfer_ms', name: 'Transfer', color: '--phase-5' },
] as const satisfies readonly { key: keyof Phases; name: string; color: string }[];

/** What the latency chart draws. */
export interface ChartData {
  /** Bucket starts in seconds, and the end of the last bucket, so that it has a width. */
  times: number[];
  /** One list per phase: its latency plus that of the phases before it; 0 where no check was up. */
  stacked: number[][];
  failures: number[];
}

/** Stacks the phases of each bucket. Without phases the mean is all in the last list: the outline is the same. */
export function chartData(buckets: readonly LatencyBucket[], step: number): ChartData {
  const stacked = PHASES.map((_, top) =>
    buckets.map(({ phases, avg }) => {
      if (phases === null) return top === PHASES.length - 1 ? (avg ?? 0) : 0;
      return PHASES.slice(0, top + 1).reduce((sum, { key }) => sum + (phases[key] ?? 0), 0);
    }),
  );
  const times = buckets.map((bucket) => Date.parse(bucket.start) / 1000);
  const last = times.at(-1);
  const isEmpty = last === undefined;
  return {
    times: isEmpty ? [] : [...times, last + step],
    stacked: stacked.map((values) => (isEmpty ? [] : [...values, 0])),
    failures: buckets.map((bucket) => bucket.failures),
  };
}
