import { BoundedMap } from '../cache/bounded-map';

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Token buckets by key: `rate` tokens a second each, at most `burst` saved up. Of more than `maxKeys` keys the least
 * recently used is forgotten, and would begin with a full bucket.
 */
export class TokenBuckets {
  private readonly buckets: BoundedMap<string, Bucket>;

  constructor(
    private readonly rate: number,
    private readonly burst: number,
    private readonly monotonicMs: () => number,
    maxKeys = 20_000,
  ) {
    this.buckets = new BoundedMap(maxKeys);
  }

  /** 0 when a token was taken, otherwise the seconds until there is one. */
  take(key: string): number {
    const bucket = this.refilled(key);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 0;
    }
    return (1 - bucket.tokens) / this.rate;
  }

  private refilled(key: string): Bucket {
    const now = this.monotonicMs();
    let bucket = this.buckets.get(key);
    if (!bucket) {
      bucket = { tokens: this.burst, at: now };
      this.buckets.set(key, bucket);
    }
    bucket.tokens = Math.min(this.burst, bucket.tokens + ((now - bucket.at) / 1000) * this.rate);
    bucket.at = now;
    return bucket;
  }
}
