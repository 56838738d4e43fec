import { Injectable } from '@nestjs/common';
import { TokenBuckets } from '../../platform/capacity/token-bucket';
import { Problem } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';

/** Of one organization: at once, and then in a day. */
export const MOST_GUESSES = 500;
const DAY_SECONDS = 86_400;

/**
 * Bounds how many credentials that are not the stored ones an organization may have compared by documents: a plan says that
 * one would change, and whoever may write but never read it could try until it says nothing. Each process counts for itself.
 */
@Injectable()
export class SecretGuesses {
  private readonly buckets: TokenBuckets;

  constructor(clock: Clock) {
    this.buckets = new TokenBuckets(MOST_GUESSES / DAY_SECONDS, MOST_GUESSES, () => clock.monotonic());
  }

  /** Counts different values, each once. Throws `rate_limited`, whatever the plan says, and `conflict` for more than there may ever be. */
  count(orgId: string, guesses: number): void {
    if (guesses === 0) return;
    if (guesses > MOST_GUESSES) throw new Problem('conflict', `${WHY} This document has ${guesses}: split it.`);
    const wait = this.buckets.take(orgId, guesses);
    if (wait > 0) throw new Problem('rate_limited', WHY, [], { 'Retry-After': String(Math.ceil(wait)) });
  }
}

const WHY = `Documents may contain at most ${MOST_GUESSES} different credentials a day that differ from the stored ones. This limit prevents guessing.`;
