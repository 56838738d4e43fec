import { isFlapping } from '../../delivery/plan/queue-plan';
import { MINUTE_MS, SECOND_MS } from '../../platform/time/time-units';

/** How often the job runs. A reminder is sent within a minute of its due time. */
export const LOOK_EVERY_MS = 20 * SECOND_MS;
/** How long to wait before an alert is read again while its trigger isn't delivered. */
const TRIGGER_WAIT_MS = MINUTE_MS;

export interface ReminderRule {
  triggered: boolean;
  /** The period, or `null` if there are no more reminders. */
  remindEverySeconds: number | null;
  /** When the current reminder became due. */
  remindAt: Date;
}

export interface ReminderFacts {
  /** Whether the service behind the channel sends reminders on its own. */
  isPager: boolean;
  /** Whether the trigger was delivered, or may have arrived. */
  isTold: boolean;
  /** Whether the endpoint is acknowledged, a parent is down, or a maintenance window mutes it. */
  isSuppressed: boolean;
  /** How often the alert triggered or resolved in the last hour. */
  transitions: number;
}

/** The decision about a due reminder. `next` is when the alert is read again. */
export type ReminderStep = { is: 'sent' | 'passed over'; next: Date } | { is: 'over' };

/**
 * Returns the decision. Reminders are due at fixed periods, counted from the trigger. Missed reminders are skipped, not
 * sent late. While the alert is suppressed, the due time keeps moving, so that a full period passes after the
 * suppression ends.
 */
export function reminderStep(rule: ReminderRule, facts: ReminderFacts, now: Date): ReminderStep {
  const { triggered, remindEverySeconds } = rule;
  if (!triggered || remindEverySeconds === null) return { is: 'over' };
  const periodMs = remindEverySeconds * SECOND_MS;
  if (facts.isSuppressed) return { is: 'passed over', next: afterSuppression(now, periodMs) };
  const next = nextOf(rule.remindAt, periodMs, now);
  if (facts.isPager || isFlapping(facts.transitions)) return { is: 'passed over', next };
  if (!facts.isTold) return { is: 'passed over', next: new Date(now.getTime() + TRIGGER_WAIT_MS) };
  return { is: 'sent', next };
}

/** Returns the first time after `now` that is a whole number of periods after `due`. */
function nextOf(due: Date, periodMs: number, now: Date): Date {
  const passed = Math.max(0, Math.floor((now.getTime() - due.getTime()) / periodMs));
  return new Date(due.getTime() + (passed + 1) * periodMs);
}

/**
 * Returns the next reminder for an alert that is suppressed now. It comes a full period after the suppression, even if
 * the suppression ends immediately or before the run after the next one.
 */
const afterSuppression = (now: Date, periodMs: number): Date => new Date(now.getTime() + periodMs + 2 * LOOK_EVERY_MS);
