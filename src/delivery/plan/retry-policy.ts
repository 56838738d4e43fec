import type { ChannelAudience, SendOutcome } from '../../channel/channel';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/time/time-units';

/** The delays between attempts. After the last step, attempts are made every hour. */
const STEPS_MS = [5, 15, 30, 60, 120, 300, 600, 900, 1800].map((seconds) => seconds * SECOND_MS);
/**
 * The delays after a rejection. A notification that the provider rejects only gets a few more attempts, within less
 * than five minutes.
 */
const REJECTED_STEPS_MS = [MINUTE_MS, 3 * MINUTE_MS];
/** How long to wait before resending a notification that may have arrived and has no idempotency key. */
const UNKNOWN_OUTCOME_WAIT_MS = MINUTE_MS;
const LONGEST_RETRY_AFTER_MS = HOUR_MS;
export const STRAIGHT_FAILURES = 10;

/** Returns how long after its creation a delivery is still worth sending. */
export const maxAgeMs = (audience: ChannelAudience): number => (audience === 'webhook' ? 72 : 24) * HOUR_MS;

/**
 * Spreads a delay by ±20 %, so that deliveries that failed together are not retried together. `random` is from [0, 1).
 */
export const spread = (delayMs: number, random: number): number => Math.round(delayMs * (0.8 + 0.4 * random));

/** Returns the delay from the end of an attempt to the next one, after `attempts` attempts. */
export const retryDelayMs = (attempts: number, random: number): number =>
  spread(STEPS_MS[attempts - 1] ?? HOUR_MS, random);

/**
 * Email is resent with the same Message-ID, and pagers and webhooks get the same key. A chat or a phone shows a
 * repeated message twice.
 */
const hasKey = (audience: ChannelAudience): boolean => audience !== 'chat' && audience !== 'sms';

/** A finished attempt from the perspective of one of its deliveries. */
export interface FinishedAttempt {
  outcome: SendOutcome;
  audience: ChannelAudience;
  /** The number of attempts, including this one. */
  attempts: number;
  /** The number of rejections before this attempt. */
  rejections: number;
  /** True if an earlier attempt may have arrived. */
  mayHaveArrived: boolean;
  createdAt: Date;
  now: Date;
  /** From [0, 1). */
  random: number;
}

/** The delivery's new state after the attempt. */
export type DeliveryUpdate =
  | { state: 'delivered' }
  | { state: 'pending'; nextAttemptAt: Date; rejections: number; mayHaveArrived: boolean }
  | { state: 'failed'; detail: 'rejected' | 'expired'; rejections: number; mayHaveArrived: boolean };

/**
 * Returns the state of a delivery after an attempt. After no response, a timeout, 408, 425, 429, or 5xx, it is retried
 * until it is too old. The third rejection within five minutes parks it, and a destination that no longer exists parks
 * it immediately. After an unknown outcome, channels without an idempotency key wait a minute before they risk a
 * duplicate.
 */
export function updateAfter(attempt: FinishedAttempt): DeliveryUpdate {
  const { outcome } = attempt;
  switch (outcome.result) {
    case 'delivered':
      return { state: 'delivered' };
    case 'rejected':
      return afterRejection(attempt, outcome.gone);
    case 'retry': {
      const mayHaveArrived = attempt.mayHaveArrived || outcome.mayHaveArrived;
      const delayMs = delayAfter(attempt, outcome);
      const nextAttemptAt = new Date(attempt.now.getTime() + delayMs);
      const { rejections } = attempt;
      if (nextAttemptAt.getTime() - attempt.createdAt.getTime() > maxAgeMs(attempt.audience))
        return { state: 'failed', detail: 'expired', rejections, mayHaveArrived };
      return { state: 'pending', nextAttemptAt, rejections, mayHaveArrived };
    }
    default:
      return outcome satisfies never;
  }
}

function afterRejection({ rejections, mayHaveArrived, now, random }: FinishedAttempt, gone: boolean): DeliveryUpdate {
  const stepMs = gone ? undefined : REJECTED_STEPS_MS[rejections];
  if (stepMs === undefined) return { state: 'failed', detail: 'rejected', rejections: rejections + 1, mayHaveArrived };
  const nextAttemptAt = new Date(now.getTime() + spread(stepMs, random));
  return { state: 'pending', nextAttemptAt, rejections: rejections + 1, mayHaveArrived };
}

type Retried = Extract<SendOutcome, { result: 'retry' }>;

/**
 * Uses the next step, or a longer delay if the provider requests it (`Retry-After`). A requested delay is capped at one
 * hour.
 */
function delayAfter({ attempts, audience, random }: FinishedAttempt, outcome: Retried): number {
  const stepMs = retryDelayMs(attempts, random);
  const askedMs = Math.min(outcome.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS);
  const unknownMs = outcome.mayHaveArrived && !hasKey(audience) ? UNKNOWN_OUTCOME_WAIT_MS : 0;
  return Math.max(stepMs, askedMs, unknownMs);
}

/** A destination's circuit breaker, shared by all its deliveries. */
export interface Circuit {
  /** The number of failed attempts since the last success. */
  failures: number;
  /** Nothing is sent before this time. */
  blockedUntil: Date | null;
}

/** Returns true if only one attempt at a time may test whether the destination has recovered. */
export const isOpen = (failures: number): boolean => failures >= STRAIGHT_FAILURES;

/**
 * Returns the circuit breaker after an attempt. Ten failures in a row open it. Then there is one attempt per step of
 * the retry schedule, and the other deliveries wait. If a provider requests a delay, nothing is sent to the destination
 * until the delay is over.
 */
export function circuitAfter(before: Circuit, outcome: SendOutcome, now: Date, random: number): Circuit {
  if (outcome.result === 'delivered') return { failures: 0, blockedUntil: null };
  const failures = before.failures + 1;
  const stepMs = isOpen(failures) ? retryDelayMs(failures - STRAIGHT_FAILURES + 1, random) : 0;
  const askedMs = outcome.result === 'retry' ? Math.min(outcome.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS) : 0;
  const waitMs = Math.max(stepMs, askedMs);
  return { failures, blockedUntil: waitMs > 0 ? new Date(now.getTime() + waitMs) : before.blockedUntil };
}
