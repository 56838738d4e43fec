/**
 * A latency histogram that can be merged. Hours can be summed to days, weeks, and quarters without the error that
 * averaging percentiles would cause. Bucket b contains the microseconds from 100·2^(b/8) up to 100·2^((b+1)/8). A
 * quantile is the geometric middle of its bucket, so its error is at most 2^(1/16) − 1 = 4.43 %. The histogram is
 * sparse: it lists bucket numbers in ascending order, with their counts.
 */
export interface LatencyHistogram {
  readonly buckets: readonly number[];
  readonly counts: readonly number[];
}

/** Keeps exact powers of two in the right bucket where the floating-point logarithm is slightly too small. */
const NUDGE = 1e-9;

/** Returns the bucket for a latency in whole microseconds. Values below one are treated as one. */
export const bucketOf = (us: number): number => Math.floor(8 * Math.log2(Math.max(us, 1) / 100) + NUDGE);

/** Returns an SQL expression equivalent to `bucketOf`. `us` is an integer expression. */
export const bucketSql = (us: string): string =>
  `floor(8 / ln(2::float8) * ln(greatest(${us}, 1)::float8 / 100) + ${NUDGE})::smallint`;

/** Returns the geometric middle of a bucket in microseconds. */
export const middleOf = (bucket: number): number => 100 * 2 ** ((bucket + 0.5) / 8);

/** Returns an SQL expression equivalent to `middleOf`. */
export const middleSql = (bucket: string): string => `100 * power(2::float8, (${bucket} + 0.5) / 8)`;

export function mergeHistograms(histograms: Iterable<LatencyHistogram>): LatencyHistogram {
  const sums = new Map<number, number>();
  for (const { buckets, counts } of histograms) {
    buckets.forEach((bucket, index) => sums.set(bucket, (sums.get(bucket) ?? 0) + (counts[index] ?? 0)));
  }
  const sorted = [...sums].sort(([a], [b]) => a - b);
  return { buckets: sorted.map(([bucket]) => bucket), counts: sorted.map(([, count]) => count) };
}

/**
 * Returns the latency quantile `q` (0 < q ≤ 1) in microseconds by the nearest-rank method. `null` if nothing is
 * counted.
 */
export function quantile({ buckets, counts }: LatencyHistogram, q: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const rank = Math.max(Math.ceil(q * total), 1);
  let seen = 0;
  for (const [index, bucket] of buckets.entries()) {
    seen += counts[index] ?? 0;
    if (seen >= rank) return middleOf(bucket);
  }
  return null;
}
