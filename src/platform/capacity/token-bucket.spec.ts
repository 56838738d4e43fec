import { TokenBuckets } from './token-bucket';

describe('TokenBuckets', () => {
  const at = { ms: 0 };
  const newBuckets = (maxKeys?: number) => new TokenBuckets(2, 3, () => at.ms, maxKeys);
  const exhaust = (buckets: TokenBuckets, key: string) => {
    while (buckets.take(key) === 0);
  };

  it('lets a burst through, then the rate', () => {
    const buckets = newBuckets();
    expect([1, 2, 3].map(() => buckets.take('a'))).toEqual([0, 0, 0]);
    expect(buckets.take('a')).toBeCloseTo(0.5);
    at.ms += 500;
    expect(buckets.take('a')).toBe(0);
    expect(buckets.take('a')).toBeGreaterThan(0);
  });

  it('prevents one key from spending the tokens of another', () => {
    const buckets = newBuckets();
    for (let i = 0; i < 5; i++) buckets.take('a');
    expect(buckets.take('b')).toBe(0);
  });

  it('saves no more than the burst', () => {
    const buckets = newBuckets();
    buckets.take('a');
    at.ms += 3_600_000;
    expect([1, 2, 3, 4].map(() => buckets.take('a') === 0)).toEqual([true, true, true, false]);
  });

  it('forgets the least recently used key instead of growing without limit', () => {
    const buckets = newBuckets(2);
    exhaust(buckets, 'a');
    buckets.take('b');
    buckets.take('c');
    expect(buckets.take('a')).toBe(0);
  });

  it('keeps the counters of the other keys when a new key is one too many', () => {
    const buckets = newBuckets(3);
    for (const key of ['a', 'b', 'c']) exhaust(buckets, key);
    buckets.take('d');
    expect(['b', 'c'].map((key) => buckets.take(key) > 0)).toEqual([true, true]);
  });

  it('still refuses a key that keeps asking while many others come and go', () => {
    const buckets = newBuckets(3);
    exhaust(buckets, 'guesser');
    for (let i = 0; i < 100; i++) {
      buckets.take(`other ${i}`);
      expect(buckets.take('guesser')).toBeGreaterThan(0);
    }
  });
});
