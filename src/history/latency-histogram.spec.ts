import fc from 'fast-check';
import { bucketOf, type LatencyHistogram, mergeHistograms, middleOf, quantile } from './latency-histogram';

const latency = fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 600_000_000 }));

const histogramOf = (values: readonly number[]): LatencyHistogram =>
  mergeHistograms(values.map((value) => ({ buckets: [bucketOf(value)], counts: [1] })));

function exactQuantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(q * sorted.length), 1) - 1] ?? NaN;
}

describe('a latency histogram', () => {
  it.each([
    [1, -54],
    [50, -8],
    [99, -1],
    [100, 0],
    [109, 0],
    [110, 1],
    [200, 8],
    [100_000, 79],
    [102_400, 80],
    [2_147_483_647, 194],
  ])('puts %i µs into bucket %i', (us, bucket) => {
    expect(bucketOf(us)).toBe(bucket);
  });

  it('puts every latency into the bucket whose borders hold it', () => {
    fc.assert(
      fc.property(latency, (us) => {
        const bucket = bucketOf(us);
        expect(us).toBeGreaterThanOrEqual(100 * 2 ** (bucket / 8) * (1 - 1e-9));
        expect(us).toBeLessThan(100 * 2 ** ((bucket + 1) / 8));
      }),
    );
  });

  it.each([0.5, 0.95, 0.99, 1])('estimates the quantile %d within 4.43 % of the exact one', (q) => {
    fc.assert(
      fc.property(fc.array(latency, { minLength: 1, maxLength: 300 }), (values) => {
        const exact = exactQuantile(values, q);
        const estimate = quantile(histogramOf(values), q) ?? NaN;
        expect(Math.abs(estimate / exact - 1)).toBeLessThan(0.0443);
      }),
    );
  });

  it('is the same whether hours are merged or all checks are counted at once', () => {
    fc.assert(
      fc.property(fc.array(fc.array(latency, { maxLength: 50 }), { maxLength: 8 }), (hours) => {
        expect(mergeHistograms(hours.map(histogramOf))).toEqual(histogramOf(hours.flat()));
      }),
    );
  });

  it('counts a latency of zero as one microsecond', () => {
    expect(bucketOf(0)).toBe(bucketOf(1));
  });

  it('has no quantile while it is empty', () => {
    expect(quantile({ buckets: [], counts: [] }, 0.95)).toBeNull();
  });

  it('returns the middle of the only bucket for every quantile', () => {
    expect(quantile({ buckets: [16], counts: [3] }, 0.01)).toBe(middleOf(16));
  });
});
