import type { AlertDefaults } from '../contact/alert-defaults';
import { toProperties } from '../platform/database/field-names';
import type { Alert } from './alert.entity';

/** The plain fields of an alert, as they are sent. */
export type SentRule = AlertDefaults & Partial<Pick<Alert, 'description' | 'enabled'>> & { key?: string | null };

/** The columns of what decides when an alert triggers, resolves and reminds. */
export const RULE_COLUMNS = {
  condition: 'condition',
  failureThreshold: 'failure_threshold',
  successThreshold: 'success_threshold',
  sendOnResolved: 'send_on_resolved',
  afterSeconds: 'after_seconds',
  remindEverySeconds: 'remind_every_seconds',
} as const satisfies Partial<Record<keyof Alert, string>>;

/** What the API calls the plain fields of an alert, in the order in which they are shown. */
export const RULE_FIELDS = {
  enabled: 'enabled',
  condition: 'condition',
  failureThreshold: 'failure_threshold',
  successThreshold: 'success_threshold',
  sendOnResolved: 'send_on_resolved',
  afterSeconds: 'after',
  remindEverySeconds: 'remind_every',
  description: 'description',
  externalKey: 'key',
} as const satisfies Partial<Record<keyof Alert, keyof SentRule>>;

type Rule = Pick<Alert, keyof typeof RULE_FIELDS>;

/** What the database gives an alert of which nobody says otherwise. */
export const DEFAULT_RULE: Rule = {
  enabled: true,
  condition: 'down',
  failureThreshold: 3,
  successThreshold: 2,
  sendOnResolved: true,
  afterSeconds: 0,
  remindEverySeconds: null,
  description: '',
  externalKey: null,
};

/** The plain fields that were sent, under the names of the row; the others are missing. */
export const ruleOf = (sent: SentRule): Partial<Rule> => toProperties(sent, RULE_FIELDS);
