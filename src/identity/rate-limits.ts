import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config';
import { type Problem, problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import type { Caller } from '../platform/access/caller';
import { TokenBuckets } from '../platform/access/token-bucket';

/** Wrong credentials that one address may send: 20 at once, then one every three seconds. */
const FAILED_SIGN_INS = { rate: 1 / 3, burst: 20 };
/** Sign-ins with one key: 20 at once, then one every ten seconds. Each makes a session and an entry in the audit log. */
const SIGN_INS = { rate: 1 / 10, burst: 20 };

/** Limits of requests and sign-ins by key, and of wrong credentials by address. Each process counts for itself. */
@Injectable()
export class RateLimits {
  private readonly requests: TokenBuckets | null;
  private readonly signIns: TokenBuckets;
  private readonly failures: TokenBuckets;

  constructor({ rateLimitPerSecond: rate }: Config, clock: Clock) {
    const monotonic = () => clock.monotonic();
    this.requests = rate === 0 ? null : new TokenBuckets(rate, rate * 2, monotonic);
    this.signIns = new TokenBuckets(SIGN_INS.rate, SIGN_INS.burst, monotonic);
    this.failures = new TokenBuckets(FAILED_SIGN_INS.rate, FAILED_SIGN_INS.burst, monotonic);
  }

  /** Counts a request with the key, or any request with AUTH=off. Throws `rate_limited`. */
  countRequest({ keyId, orgId }: Caller): void {
    refuse(this.requests?.take(keyId ?? orgId) ?? 0);
  }

  /** Counts a sign-in with the key (uuid). Throws `rate_limited`. */
  countSignIn(keyId: string): void {
    refuse(this.signIns.take(keyId));
  }

  /** Counts a wrong credential and returns the problem for it: the same for every kind of wrong one, until an address sends many. */
  refusal(address: string | undefined): Problem {
    const wait = this.failures.take(address ?? '');
    return wait > 0 ? problems.rateLimited(Math.ceil(wait)) : problems.unauthenticated();
  }
}

function refuse(waitSeconds: number): void {
  if (waitSeconds > 0) throw problems.rateLimited(Math.ceil(waitSeconds));
}
