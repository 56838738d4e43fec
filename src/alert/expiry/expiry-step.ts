import { daysUntil } from '../../checker/certificate-warning';
import { DAY_MS, HOUR_MS } from '../../platform/time/time-units';

/** Days before the end at which it is told again, where they lie below `tls.warn_days`. */
const STEPS = [7, 3, 1];
/** So long an alert on `degraded` may take to trigger by itself. */
const TRIGGER_WAIT_MS = HOUR_MS;

/** What an alert told last: of the certificate that ends then, at this step. */
export interface Told {
  expiresAt: Date;
  step: number;
}

export interface ExpiryFacts {
  /** When the certificate ends that the newest check saw. */
  expiresAt: Date;
  warnDays: number;
  told: Told | null;
  /** Somebody has the endpoint in hand, a parent is down, or a maintenance window mutes it. */
  isSuppressed: boolean;
  /** Of an alert on `degraded` that triggered for the certificate: when. */
  triggeredAt: Date | null;
  /** Of an alert on `degraded` that has not triggered: since when its endpoint is degraded. */
  degradedSince: Date | null;
}

/**
 * `sent`: to be told now. `known`: the alert has just told it by its own trigger. `later`: suppressed, or its trigger is on its
 * way; nothing is lost, the next look decides. `nothing`: too early, told, or over.
 */
export type ExpiryStep = { is: 'sent' | 'known'; step: number; daysLeft: number } | { is: 'later' | 'nothing' };

/** The step that so many days belong to: `warnDays`, 7, 3 or 1. `null` before the first and after the end. */
export function stepAt(days: number, warnDays: number): number | null {
  if (days < 0 || days > warnDays) return null;
  return Math.min(...[warnDays, ...STEPS].filter((step) => step <= warnDays && step >= days));
}

/** Once for each certificate and step. Of two behind one name the one that ends first is told until it has ended. */
export function expiryStep(facts: ExpiryFacts, now: Date): ExpiryStep {
  const { expiresAt, warnDays, told, isSuppressed, triggeredAt, degradedSince } = facts;
  const days = Math.floor(daysUntil(expiresAt.getTime(), now.getTime()));
  const step = stepAt(days, warnDays);
  if (step === null || isTold(told, expiresAt, step, now)) return { is: 'nothing' };
  if (isSuppressed) return { is: 'later' };
  const stepBegan = expiresAt.getTime() - (step + 1) * DAY_MS;
  if (triggeredAt !== null && triggeredAt.getTime() >= stepBegan) return { is: 'known', step, daysLeft: days };
  if (degradedSince !== null && now.getTime() - degradedSince.getTime() < TRIGGER_WAIT_MS) return { is: 'later' };
  return { is: 'sent', step, daysLeft: days };
}

function isTold(told: Told | null, expiresAt: Date, step: number, now: Date): boolean {
  if (told === null) return false;
  if (told.expiresAt.getTime() === expiresAt.getTime()) return told.step <= step;
  return told.expiresAt > now && told.expiresAt < expiresAt;
}
