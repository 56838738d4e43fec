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

  /** 0 when `count` tokens were taken (never more than a full bucket has), otherwise the seconds until there are so many. */
  take(key: string, count = 1): number {
    const wanted = Math.min(count, this.burst);
    const wait = this.waitFor(key, wanted);
    if (wait === 0) this.refilled(key).tokens -= wanted;
    return wait;
  }

  /** Tokens that were taken and turned out not to be used; a bucket holds no more than it may. */
  giveBack(key: string, count = 1): void {
    const bucket = this.refilled(key);
    bucket.tokens = Math.min(this.burst, bucket.tokens + count);
  }

  /** The seconds until `count` tokens could be taken; 0 when they could be now. Takes nothing. */
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
