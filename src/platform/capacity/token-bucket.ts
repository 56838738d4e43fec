import { BoundedMap } from '../cache/bounded-map';

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Token buckets by key. Each bucket gains `rate` tokens per second and holds at most `burst`. Above `maxKeys` keys, the
 * least recently used one is removed. If it returns, it starts with a full bucket.
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

  /**
   * Takes `count` tokens (at most a full bucket) and returns 0. If there aren't enough tokens, takes none and returns
   * the seconds until there are.
   */
  take(key: string, count = 1): number {
    const wanted = Math.min(count, this.burst);
    const wait = this.waitFor(key, wanted);
    if (wait === 0) this.refilled(key).tokens -= wanted;
    return wait;
  }

  /** Puts unused tokens back into the bucket, up to its maximum. */
  giveBack(key: string, count = 1): void {
    const bucket = this.refilled(key);
    bucket.tokens = Math.min(this.burst, bucket.tokens + count);
  }

  /**
   * Returns the seconds until `count` tokens are available, or 0 if they are available now. Doesn't take any tokens.
   */
  waitFor(key: string, count = 1): number {
    const { tokens } = this.refilled(key);
    return tokens >= count ? 0 : (count - tokens) / this.rate;
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
