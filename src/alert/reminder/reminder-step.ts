import { isFlapping } from '../../delivery/plan/queue-plan';
import { MINUTE_MS, SECOND_MS } from '../../platform/time/time-units';

/** How often the job looks. A reminder is sent within a minute of its time. */
export const LOOK_EVERY_MS = 20 * SECOND_MS;
/** While its trigger is not told, an alert is looked at again after this long. */
const TRIGGER_WAIT_MS = MINUTE_MS;

/** What of an alert says when it reminds. */
export interface ReminderRule {
  triggered: boolean;
  /** `null`: no reminders any more. */
  remindEverySeconds: number | null;
  /** When the reminder that is looked at fell due. */
  remindAt: Date;
}

/** What decides whether a reminder that is due is sent. */
export interface ReminderFacts {
  /** The service reminds by itself. */
  isPager: boolean;
  /** The trigger was delivered, or may have arrived. */
  isTold: boolean;
  /** Somebody has the endpoint in hand, a parent is down, or a maintenance window mutes it. */
  isSuppressed: boolean;
  /** Of the alert in the last hour. */
  transitions: number;
}

/** What becomes of a reminder that is due; `next`: when the alert is looked at again. */
export type ReminderStep = { is: 'sent' | 'passed over'; next: Date } | { is: 'over' };

/**
 * Reminders lie a period apart, from the trigger on; those that nobody sent in time are left out. After a suppression a full period
 * passes: while it lasts the time is pushed ahead.
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

/** The first time after `now` that is whole periods after `due`. */
function nextOf(due: Date, periodMs: number, now: Date): Date {
  const passed = Math.max(0, Math.floor((now.getTime() - due.getTime()) / periodMs));
  return new Date(due.getTime() + (passed + 1) * periodMs);
}

/** The next reminder of an alert that is suppressed now: a full period after that, should it end at once or before the second look from now. */
const afterSuppression = (now: Date, periodMs: number): Date => new Date(now.getTime() + periodMs + 2 * LOOK_EVERY_MS);
