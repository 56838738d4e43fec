import { daysUntil } from '../../checker/certificate-warning';
import { DAY_MS, HOUR_MS } from '../../platform/time/time-units';

/** The days before the expiry at which alerts send another notification, if they are below `tls.warn_days`. */
const STEPS = [7, 3, 1];
/** How long an alert on `degraded` may take to trigger on its own. */
const TRIGGER_WAIT_MS = HOUR_MS;

/** An alert's last notification: when its certificate expires, and the step. */
export interface Told {
  expiresAt: Date;
  step: number;
}

export interface ExpiryFacts {
  /** When the certificate in the newest check expires. */
  expiresAt: Date;
  warnDays: number;
  told: Told | null;
  /** Whether the endpoint is acknowledged, a parent is down, or a maintenance window mutes it. */
  isSuppressed: boolean;
  /** When an alert on `degraded` triggered because of the certificate. */
  triggeredAt: Date | null;
  /** Since when the endpoint has been degraded, for an alert on `degraded` that hasn't triggered. */
  degradedSince: Date | null;
}

/**
 * The decision. `sent`: send a notification now. `known`: the alert has just reported it with its own trigger. `later`:
 * the alert is suppressed, or a trigger is expected. Nothing is lost in that case, because the next run decides.
 * `nothing`: too early, already sent, or over.
 */
export type ExpiryStep = { is: 'sent' | 'known'; step: number; daysLeft: number } | { is: 'later' | 'nothing' };

/**
 * Returns the step for this number of days: `warnDays`, 7, 3, or 1. Returns `null` before the first step and after the
 * expiry.
 */
export function stepAt(days: number, warnDays: number): number | null {
  if (days < 0 || days > warnDays) return null;
  return Math.min(...[warnDays, ...STEPS].filter((step) => step <= warnDays && step >= days));
}

/**
 * Decides once for each certificate and step. If a hostname has two certificates, only the one that expires first is
 * reported until it has expired.
 */
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
