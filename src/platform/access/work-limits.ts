import { Injectable } from '@nestjs/common';
import { ByOwner } from '../capacity/by-owner';
import { Config } from '../config/config';
import { Problem, problems } from '../problem/problem';
import { Clock } from '../time/clock';
import { TokenBuckets } from '../capacity/token-bucket';

const AT_ONCE = 8;
/** The number of jobs that one organization may start: 20 immediately, then one per second. */
const BEGUN = { rate: 1, burst: 20 };
/** It can't be predicted when running jobs finish. Most checks and messages take less than this. */
const RETRY_AFTER_SECONDS = 2;

/**
 * Limits work that clients request and wait for, outside the schedule: checks on demand, endpoint tests, and test
 * messages. All of them count toward the same limit per organization. Each process counts separately.
 */
@Injectable()
export class WorkLimits {
  private readonly begun: TokenBuckets | null;
  private readonly running = new ByOwner(Infinity, AT_ONCE);

  constructor({ rateLimitPerSecond }: Config, clock: Clock) {
    this.begun = rateLimitPerSecond === 0 ? null : new TokenBuckets(BEGUN.rate, BEGUN.burst, () => clock.monotonic());
  }

  /** Runs the work. Throws `rate_limited` if the organization has started too many jobs. */
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
    `${AT_ONCE} on-demand checks and test messages of your organization are still running. Wait until one of them has finished.`,
    [],
    { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  );
