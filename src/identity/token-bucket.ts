/** A bounded set of token buckets: `rate` tokens a second each, at most `burst` saved up. */
export class TokenBuckets {
  private readonly buckets = new Map<string, { tokens: number; at: number }>();

  constructor(
    private readonly rate: number,
    private readonly burst: number,
    private readonly monotonicMs: () => number,
    private readonly maxKeys = 20_000,
  ) {}

  /** 0 when a token was taken, otherwise the seconds until there is one. */
  take(key: string): number {
    const bucket = this.refilled(key);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 0;
    }
    return (1 - bucket.tokens) / this.rate;
  }

  /** Seconds until `take` would succeed, taking nothing. */
  wait(key: string): number {
    const { tokens } = this.refilled(key);
    return tokens >= 1 ? 0 : (1 - tokens) / this.rate;
  }

  private refilled(key: string): { tokens: number; at: number } {
    const now = this.monotonicMs();
    let bucket = this.buckets.get(key);
    if (!bucket) {
      if (this.buckets.size >= this.maxKeys) this.buckets.clear();
      bucket = { tokens: this.burst, at: now };
      this.buckets.set(key, bucket);
    }
    bucket.tokens = Math.min(this.burst, bucket.tokens + ((now - bucket.at) / 1000) * this.rate);
    bucket.at = now;
    return bucket;
  }
}
