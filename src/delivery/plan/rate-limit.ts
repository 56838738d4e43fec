import type { ChannelAudience } from '../../channel/channel';
import { MINUTE_MS } from '../../platform/time/time-units';
import { isHuman } from '../delivery';

/** How fast notifications may follow each other at one destination. */
export interface RateLimit {
  /** How many notifications may be sent in a row after a pause. */
  burst: number;
  /** The time after which one more notification is allowed. */
  refillMs: number;
}

/**
 * The limits that providers and people tolerate. A chat gets a burst of 5 and then one per 10 s, a phone gets 3 per 15
 * minutes, and a mailbox gets one per minute. Pagers and webhooks get every notification, so their limits only match
 * the providers' limits (PagerDuty allows 120 per minute).
 */
const LIMITS: Readonly<Record<ChannelAudience, RateLimit>> = {
  chat: { burst: 5, refillMs: 10_000 },
  sms: { burst: 3, refillMs: 300_000 },
  mail: { burst: 5, refillMs: 60_000 },
  pager: { burst: 60, refillMs: 500 },
  webhook: { burst: 200, refillMs: 20 },
};

const DIGEST_EVERY_MS = MINUTE_MS;

/** A destination's token bucket at `at`, which is `null` before its first notification. */
export interface Bucket {
  tokens: number;
  at: Date | null;
}

/** Returns the bucket's tokens at `now`. Adds no tokens if the clock was set back. */
export function tokensAt(bucket: Bucket, audience: ChannelAudience, now: Date): number {
  const { burst, refillMs } = LIMITS[audience];
  if (bucket.at === null) return burst;
  const passedMs = Math.max(0, now.getTime() - bucket.at.getTime());
  return Math.min(burst, bucket.tokens + passedMs / refillMs);
}

/** Returns when the next digest may be sent. If it may be sent now, the time is in the past or `null`. */
export const digestDueAt = (lastDigestAt: Date | null): Date | null =>
  lastDigestAt && new Date(lastDigestAt.getTime() + DIGEST_EVERY_MS);

/** The facts that decide how much is sent now. */
export interface RateLimitInput {
  audience: ChannelAudience;
  /** The current number of tokens, from `tokensAt`. */
  tokens: number;
  lastDigestAt: Date | null;
  now: Date;
  /** The number of notifications that could be sent now. */
  ready: number;
  /** The number of attempts that may start in addition to those in flight. */
  free: number;
}

/**
 * The decision for the ready notifications. The first `singles` are sent one by one. With `digest`, all others are sent
 * as one message. Otherwise, they wait.
 */
export interface RateLimitDecision {
  singles: number;
  digest: boolean;
  tokensLeft: number;
  /** When the rest may be sent. `null` if nothing is left, or if the only limit is the number of attempts in flight. */
  waitUntil: Date | null;
}

/**
 * Decides how much is sent. The first notifications after a pause are sent immediately. If more are ready than the
 * bucket allows, people get the rest in one digest, at most one per minute, and nothing overtakes the next one. Pagers
 * and webhooks are slowed down, never merged.
 */
export function limitRate(input: RateLimitInput): RateLimitDecision {
  const whole = Math.floor(input.tokens + 1e-9);
  const room = Math.max(0, Math.min(whole, input.free));
  const singles = Math.min(input.ready, room);
  const fits = input.ready <= whole;
  if (fits || !isHuman(input.audience))
    return leave(input, singles, false, fits ? null : timeOfTokens(input, singles + 1));
  const digestDue = digestDueAt(input.lastDigestAt);
  if (digestDue && digestDue > input.now) {
    const allFit = timeOfTokens(input, input.ready);
    return leave(input, 0, false, allFit < digestDue ? allFit : digestDue);
  }
  if (room === 0) return leave(input, 0, false, input.free > 0 ? timeOfTokens(input, 1) : null);
  return leave(input, room - 1, true, null);
}

function leave(input: RateLimitInput, singles: number, digest: boolean, waitUntil: Date | null): RateLimitDecision {
  return { singles, digest, tokensLeft: input.tokens - singles - (digest ? 1 : 0), waitUntil };
}

/** Returns when the bucket contains `wanted` tokens, or the maximum date if it is too small for them. */
function timeOfTokens({ audience, tokens, now }: RateLimitInput, wanted: number): Date {
  const { burst, refillMs } = LIMITS[audience];
  if (wanted > burst) return new Date(8.64e15);
  const missing = Math.max(0, wanted - Math.max(0, tokens));
  return new Date(now.getTime() + Math.ceil(missing * refillMs));
}
