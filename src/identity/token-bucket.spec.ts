import { TokenBuckets } from './token-bucket';

describe('token buckets', () => {
  const at = { ms: 0 };
  const buckets = (maxKeys?: number) => new TokenBuckets(2, 3, () => at.ms, maxKeys);

  it('let a burst through, then the rate', () => {
    const bucket = buckets();
    expect([1, 2, 3].map(() => bucket.take('a'))).toEqual([0, 0, 0]);
    expect(bucket.take('a')).toBeCloseTo(0.5);
    at.ms += 500;
    expect(bucket.take('a')).toBe(0);
    expect(bucket.take('a')).toBeGreaterThan(0);
  });

  it('keep one key from spending another one’s tokens', () => {
    const bucket = buckets();
    for (let i = 0; i < 5; i++) bucket.take('a');
    expect(bucket.take('b')).toBe(0);
  });

  it('save no more than the burst', () => {
    const bucket = buckets();
    bucket.take('a');
    at.ms += 3_600_000;
    expect([1, 2, 3, 4].map(() => bucket.take('a') === 0)).toEqual([true, true, true, false]);
  });

  it('forget everything rather than grow without bound', () => {
    const bucket = buckets(2);
    for (let i = 0; i < 4; i++) bucket.take('a');
    bucket.take('b');
    bucket.take('c');
    expect(bucket.take('a')).toBe(0);
  });
});
