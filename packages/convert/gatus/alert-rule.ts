import { MAX_THRESHOLD, REMIND_EVERY_BOUNDS } from '../../../src/alert-rule/alert-rule';
import type { DeclaredAlert } from '../../../src/configuration/document/document';
import type { Fields } from './fields';

/** Gatus's defaults, used if neither the alert nor the provider's default alert sets a value. */
const FAILURES = 3;
const SUCCESSES = 2;
const REMINDERS = { min: REMIND_EVERY_BOUNDS.minimum, max: REMIND_EVERY_BOUNDS.maximum };

type AlertRule = Pick<DeclaredAlert, 'failure_threshold' | 'success_threshold' | 'send_on_resolved' | 'remind_every'>;

/**
 * Returns when a Gatus alert triggers, resolves, and sends reminders. Settings whose defaults differ from ours are
 * written out.
 */
export function readRule(settings: Fields): AlertRule {
  const reminder = settings.seconds('minimum-reminder-interval', REMINDERS);
  return {
    failure_threshold: threshold(settings, 'failure-threshold', FAILURES),
    success_threshold: threshold(settings, 'success-threshold', SUCCESSES),
    send_on_resolved: settings.flag('send-on-resolved') ?? false,
    ...(reminder === null ? {} : { remind_every: reminder }),
  };
}

function threshold(settings: Fields, name: string, byDefault: number): number {
  const number = settings.integer(name) ?? 0;
  if (number > MAX_THRESHOLD) settings.note(name, `is changed from ${number} to ${MAX_THRESHOLD}`);
  return number <= 0 ? byDefault : Math.min(MAX_THRESHOLD, number);
}
