import { Injectable } from '@nestjs/common';
import { TokenBuckets } from '../../platform/capacity/token-bucket';
import { Problem } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';

/** An organization's limit, both as a burst and per day. */
export const MOST_GUESSES = 500;
const DAY_SECONDS = 86_400;

/**
 * Limits how many wrong credentials an organization's documents may compare with stored ones. A plan shows whether a
 * credential would change, so anyone who may write but not read it could keep trying until the plan shows no change.
 * Each process counts separately.
 */
@Injectable()
export class SecretGuesses {
  private readonly buckets: TokenBuckets;

  constructor(clock: Clock) {
    this.buckets = new TokenBuckets(MOST_GUESSES / DAY_SECONDS, MOST_GUESSES, () => clock.monotonic());
  }

  /**
   * Counts each distinct value once. Throws `rate_limited` regardless of the plan, and `conflict` if the number exceeds
   * the limit itself.
   */
  count(orgId: string, guesses: number): void {
    if (guesses === 0) return;
    if (guesses > MOST_GUESSES) throw new Problem('conflict', `${WHY} This document has ${guesses}: split it.`);
    const wait = this.buckets.take(orgId, guesses);
    if (wait > 0) throw new Problem('rate_limited', WHY, [], { 'Retry-After': String(Math.ceil(wait)) });
  }
}

const WHY = `Documents may contain at most ${MOST_GUESSES} different credentials a day that differ from the stored ones. This limit prevents guessing.`;
