import { Injectable } from '@nestjs/common';
import { ByOwner } from '../capacity/by-owner';
import { Config } from '../config/config';
import { Problem, problems } from '../problem/problem';
import { Clock } from '../time/clock';
import { TokenBuckets } from '../capacity/token-bucket';

/** What one organization may have running at once. */
const AT_ONCE = 8;
/** What one organization may begin: 20 at once, then one each second. */
const BEGUN = { rate: 1, burst: 20 };
/** Nobody knows when the first of those that run ends; most checks and messages take less than this. */
const RETRY_AFTER_SECONDS = 2;

/**
 * Limits of the work outside the schedule that clients ask for and wait for: checks on demand, tests of endpoints and
 * test messages, counted together for each organization. Each process counts for itself.
 */
@Injectable()
export class WorkLimits {
  private readonly begun: TokenBuckets | null;
  private readonly running = new ByOwner(Infinity, AT_ONCE);

  constructor({ rateLimitPerSecond }: Config, clock: Clock) {
    this.begun = rateLimitPerSecond === 0 ? null : new TokenBuckets(BEGUN.rate, BEGUN.burst, () => clock.monotonic());
  }

  /** Runs the work unless the organization has too much of it: then this throws `rate_limited`. */
  async run<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    if (!this.running.hasCapacityFor(orgId)) throw tooManyAtOnce();
    const wait = this.begun?.take(orgId) ?? 0;
    if (wait > 0) throw problems.rateLimited(Math.ceil(wait));
    this.running.take(orgId);
    try {
      return await work();
    } finally {
      this.running.release(orgId);
    }
  }
}

const tooManyAtOnce = () =>
  new Problem(
    'rate_limited',
    `${AT_ONCE} on-demand checks and test messages of your organization are still running. Wait until one of them has ended.`,
    [],
    { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  );
