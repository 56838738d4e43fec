import type { AlertDefaults } from '../contact/alert-defaults';
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

/** The plain fields that were sent, under the names of the row; the others are missing. */
export function ruleOf(sent: SentRule): Partial<Alert> {
  return Object.fromEntries(
    Object.entries({
      condition: sent.condition,
      failureThreshold: sent.failure_threshold,
      successThreshold: sent.success_threshold,
      sendOnResolved: sent.send_on_resolved,
      afterSeconds: sent.after,
      remindEverySeconds: sent.remind_every,
      description: sent.description,
      enabled: sent.enabled,
      externalKey: sent.key,
    }).filter(([, value]) => value !== undefined),
  );
}
