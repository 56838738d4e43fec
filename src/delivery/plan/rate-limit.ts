import type { ChannelAudience, Notification } from '../../channel/channel';
import { durationText } from '../../channel/notification-text';
import { isHuman } from '../delivery';

/** How fast messages may follow each other at one destination. */
export interface RateLimit {
  /** Messages at once after a quiet time. */
  burst: number;
  /** Then one per this long. */
  refillMs: number;
}

/**
 * What providers and people bear: a chat 5 at once and one per 10 s, a phone 3 per 15 minutes, a mailbox one a minute.
 * Pagers and webhooks get every message, so theirs only keeps within the providers' limits (PagerDuty: 120 a minute).
 */
const LIMITS: Readonly<Record<ChannelAudience, RateLimit>> = {
  chat: { burst: 5, refillMs: 10_000 },
  sms: { burst: 3, refillMs: 300_000 },
  mail: { burst: 5, refillMs: 60_000 },
  pager: { burst: 60, refillMs: 500 },
  webhook: { burst: 200, refillMs: 20 },
};

const DIGEST_EVERY_MS = 60_000;

/** The bucket of one destination as it was at some time; `null` before its first message. */
export interface Bucket {
  tokens: number;
  at: Date | null;
}

/** The bucket's tokens by now. A clock that went back adds none. */
export function tokensAt(bucket: Bucket, audience: ChannelAudience, now: Date): number {
  const { burst, refillMs } = LIMITS[audience];
  if (bucket.at === null) return burst;
  const passedMs = Math.max(0, now.getTime() - bucket.at.getTime());
  return Math.min(burst, bucket.tokens + passedMs / refillMs);
}

/** Until when no further digest leaves; in the past or `null` when one may leave now. */
export const digestDueAt = (lastDigestAt: Date | null): Date | null =>
  lastDigestAt && new Date(lastDigestAt.getTime() + DIGEST_EVERY_MS);

export interface RateLimitInput {
  audience: ChannelAudience;
  /** By now, from `tokensAt`. */
  tokens: number;
  lastDigestAt: Date | null;
  now: Date;
  /** Messages that could leave now. */
  ready: number;
  /** Messages that may be in flight besides those that are. */
  slots: number;
}

/** Of the ready messages the first `singles` leave as they are; all others in one digest when `digest`; else they wait. */
export interface RateLimitDecision {
  singles: number;
  digest: boolean;
  tokensLeft: number;
  /** When the rest may leave; `null` when nothing rests, or when only a slot is missing. */
  waitUntil: Date | null;
}

/**
 * The first messages of a quiet destination leave at once. When more are ready than the bucket allows, people get the
 * rest in one digest, at most one a minute; until the next one is due nothing overtakes it. Pagers and webhooks are
 * shaped, never merged.
 */
export function limitRate(input: RateLimitInput): RateLimitDecision {
  const whole = Math.floor(input.tokens + 1e-9);
  const room = Math.max(0, Math.min(whole, input.slots));
  const singles = Math.min(input.ready, room);
  const fits = input.ready <= whole;
  if (fits || !isHuman(input.audience))
    return leave(input, singles, false, fits ? null : tokenTime(input, singles + 1));
  const digestDue = digestDueAt(input.lastDigestAt);
  if (digestDue && digestDue > input.now) {
    const allFit = tokenTime(input, input.ready);
    return leave(input, 0, false, allFit < digestDue ? allFit : digestDue);
  }
  if (room === 0) return leave(input, 0, false, input.slots > 0 ? tokenTime(input, 1) : null);
  return leave(input, room - 1, true, null);
}

function leave(input: RateLimitInput, singles: number, digest: boolean, waitUntil: Date | null): RateLimitDecision {
  return { singles, digest, tokensLeft: input.tokens - singles - (digest ? 1 : 0), waitUntil };
}

/** When the bucket holds this many tokens; never, as far as a message of today goes, when it is too small for them. */
function tokenTime({ audience, tokens, now }: RateLimitInput, wanted: number): Date {
  const { burst, refillMs } = LIMITS[audience];
  if (wanted > burst) return new Date(8.64e15);
  const missing = Math.max(0, wanted - Math.max(0, tokens));
  return new Date(now.getTime() + Math.ceil(missing * refillMs));
}

/** How many messages of a digest are named. */
export const DIGEST_NAMED = 20;

/**
 * One message for many: how many went down and up, and the first of them by name. `named` are the notices in the order
 * in which they matter; the digest goes out under the id of the newest of them.
 */
export function digestNotification(
  named: readonly [Notification, ...Notification[]],
  counts: { triggered: number; resolved: number },
  repeat: boolean,
): Notification {
  const newest = named.reduce((latest, notice) => (notice.createdAt > latest.createdAt ? notice : latest));
  return {
    ...newest,
    kind: 'digest',
    triggerId: null,
    repeat,
    digest: {
      ...counts,
      members: named.slice(0, DIGEST_NAMED).map((notice) => ({
        kind: countsAs(notice.kind),
        endpoint: notice.endpoint.name,
        website: notice.website.name,
        message: memberText(notice),
      })),
    },
  };
}

/** A digest knows two sides: what is or may be down, and what came back. */
export const countsAs = (kind: Notification['kind']): 'triggered' | 'resolved' =>
  kind === 'triggered' || kind === 'flapping' ? 'triggered' : 'resolved';

function memberText(notice: Notification): string {
  const length = notice.durationSeconds === null ? '' : durationText(notice.durationSeconds);
  if (notice.kind === 'triggered') return notice.error?.message ?? `${notice.failureCount} failed checks in a row`;
  if (notice.kind === 'flapping') return 'keeps going up and down';
  if (notice.kind === 'recovered') return `was down${length && ` for ${length}`}`;
  if (notice.reason === 'disabled' || notice.reason === 'deleted') return `the alert was ${notice.reason}`;
  return `up again${length && ` after ${length}`}`;
}
