import type { AlertRule } from '../api/types';
import { count } from './format';
import { secondsOf, spanOf, spanText, type TimeSpan } from './time-span';
import { FAILURES } from './endpoint-defaults';

/** The settings of an alert rule that is being edited. Numbers are strings until they are sent. */
export interface RuleDraft {
  condition: AlertRule['condition'];
  failure_threshold: string;
  success_threshold: string;
  after: TimeSpan;
  remind_every: TimeSpan;
  send_on_resolved: boolean;
}

/** The service's defaults. */
const USUAL: AlertRule = {
  condition: 'down',
  failure_threshold: 3,
  success_threshold: 2,
  after: 0,
  remind_every: null,
  send_on_resolved: true,
};

/** The defaults that a new contact gets here, so that the first alert takes about one interval. */
export const FIRST_DEFAULTS = { failure_threshold: FAILURES };

/** How long checks are apart unless an endpoint has another interval, in seconds. */
const USUAL_INTERVAL = 60;

/** Returns how long the first alert takes, such as `About 1 min after the first failed check, at the usual interval.` */
export function firstAlertText({ failure_threshold, after }: RuleDraft): string {
  const checks = Number(failure_threshold);
  if (!Number.isInteger(checks) || checks < 1) return '';
  const seconds = Math.max((checks - 1) * USUAL_INTERVAL, secondsOf(after) ?? 0);
  if (seconds === 0) return 'Triggers with the first failed check.';
  return `Triggers about ${spanText(seconds)} after the first failed check, with one check a minute.`;
}

/** Returns a draft for a rule, or for a contact's defaults. Missing settings use the service's defaults. */
export function ruleDraftOf(given: Partial<AlertRule>): RuleDraft {
  const rule = { ...USUAL, ...given };
  return {
    condition: rule.condition,
    failure_threshold: String(rule.failure_threshold),
    success_threshold: String(rule.success_threshold),
    after: spanOf(rule.after, 'minutes'),
    remind_every: spanOf(rule.remind_every, 'hours'),
    send_on_resolved: rule.send_on_resolved,
  };
}

/** Returns the fields for a request. Text that isn't a number is sent as 0, and the service reports the problem. */
export const ruleOf = (draft: RuleDraft): AlertRule => ({
  condition: draft.condition,
  failure_threshold: Number(draft.failure_threshold),
  success_threshold: Number(draft.success_threshold),
  after: secondsOf(draft.after) ?? 0,
  remind_every: secondsOf(draft.remind_every),
  send_on_resolved: draft.send_on_resolved,
});

const PAGERS: readonly string[] = ['pagerduty', 'opsgenie', 'alertmanager', 'splunk_oncall', 'ilert'];

/**
 * Whether a channel type pages people until they respond. The service sends pagers no reminders, and nothing that would
 * open an incident when there is no outage.
 */
export const isPager = (type: string): boolean => PAGERS.includes(type);

/** Returns text such as `after 3 failures and 10 min, resolved after 2 successes, reminds every 1 h`. */
export function ruleText(rule: Omit<AlertRule, 'send_on_resolved'> & { type: string }): string {
  const bad = `${count(rule.failure_threshold, 'failure')}${rule.condition === 'degraded' ? ' or warnings' : ''}`;
  const delay = rule.after === 0 ? '' : ` and ${spanText(rule.after)}`;
  const good = count(rule.success_threshold, 'success', 'successes');
  const isReminding = rule.remind_every !== null && !isPager(rule.type);
  const reminders = isReminding ? `, reminds every ${spanText(rule.remind_every ?? 0)}` : '';
  return `after ${bad}${delay}, resolved after ${good}${reminders}`;
}
