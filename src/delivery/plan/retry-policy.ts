import type { ChannelAudience, SendOutcome } from '../../channel/channel';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/time/time-units';

/** From the first attempt to the second, and so on; hourly after the last step. */
const STEPS_MS = [5, 15, 30, 60, 120, 300, 600, 900, 1800].map((seconds) => seconds * SECOND_MS);
/** A provider that rejects a notification is only asked a few times more: together these stay under five minutes. */
const REJECTED_STEPS_MS = [MINUTE_MS, 3 * MINUTE_MS];
/** Before a notification without an idempotency key is sent again although it may have arrived. */
const UNKNOWN_OUTCOME_WAIT_MS = MINUTE_MS;
const LONGEST_RETRY_AFTER_MS = HOUR_MS;
export const STRAIGHT_FAILURES = 10;

/** How long a delivery is worth sending, from its creation. */
export const maxAgeMs = (audience: ChannelAudience): number => (audience === 'webhook' ? 72 : 24) * HOUR_MS;

/** A delay spread by ±20 %, so that what failed together does not come back together. `random` from [0, 1). */
export const spread = (delayMs: number, random: number): number => Math.round(delayMs * (0.8 + 0.4 * random));

/** From the end of an attempt to the next one, after `attempts` of them. */
export const retryDelayMs = (attempts: number, random: number): number =>
  spread(STEPS_MS[attempts - 1] ?? HOUR_MS, random);

/** Mail is repeated under the same Message-ID, pagers and webhooks under their key; a chat or a phone shows it twice. */
const hasKey = (audience: ChannelAudience): boolean => audience !== 'chat' && audience !== 'sms';

/** One finished attempt, as far as one of its deliveries is concerned. */
export interface FinishedAttempt {
  outcome: SendOutcome;
  audience: ChannelAudience;
  /** Including this one. */
  attempts: number;
  /** Rejections before this attempt. */
  rejections: number;
  /** True when an attempt before this one may have arrived. */
  mayHaveArrived: boolean;
  createdAt: Date;
  now: Date;
  /** From [0, 1). */
  random: number;
}

/** What the attempt makes of the delivery. */
export type DeliveryUpdate =
  | { state: 'delivered' }
  | { state: 'pending'; nextAttemptAt: Date; rejections: number; mayHaveArrived: boolean }
  | { state: 'failed'; detail: 'rejected' | 'expired'; rejections: number; mayHaveArrived: boolean };

/**
 * What a delivery becomes after an attempt. Retried until it is too old: no response, a time-out, 408, 425, 429, 5xx.
 * Rejected: the third rejection within five minutes parks it; a destination that is gone parks it at once. After an
 * unknown outcome, channels without an idempotency key wait a minute before they risk a repeat.
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

/** Our own step, or longer if the provider asks for it (`Retry-After`), but never longer than an hour for that. */
function delayAfter({ attempts, audience, random }: FinishedAttempt, outcome: Retried): number {
  const stepMs = retryDelayMs(attempts, random);
  const askedMs = Math.min(outcome.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS);
  const unknownMs = outcome.mayHaveArrived && !hasKey(audience) ? UNKNOWN_OUTCOME_WAIT_MS : 0;
  return Math.max(stepMs, askedMs, unknownMs);
}

/** The circuit breaker of a destination, shared by all its deliveries. */
export interface Circuit {
  /** Failed attempts since the last success. */
  failures: number;
  /** Nothing is sent before this time. */
  blockedUntil: Date | null;
}

/** True when only one attempt at a time probes whether the destination works again. */
export const isOpen = (failures: number): boolean => failures >= STRAIGHT_FAILURES;

/**
 * The circuit breaker after an attempt. Ten straight failures open it: then there is one probe per step of the retry
 * schedule, and the other deliveries wait. A provider that names a time gets nothing before it, from no delivery of the
 * destination.
 */
export function circuitAfter(before: Circuit, outcome: SendOutcome, now: Date, random: number): Circuit {
  if (outcome.result === 'delivered') return { failures: 0, blockedUntil: null };
  const failures = before.failures + 1;
  const stepMs = isOpen(failures) ? retryDelayMs(failures - STRAIGHT_FAILURES + 1, random) : 0;
  const askedMs = outcome.result === 'retry' ? Math.min(outcome.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS) : 0;
  const waitMs = Math.max(stepMs, askedMs);
  return { failures, blockedUntil: waitMs > 0 ? new Date(now.getTime() + waitMs) : before.blockedUntil };
}
