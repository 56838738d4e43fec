import type { Contact } from '../api/types';
import { FIRST_DEFAULTS, type RuleDraft, ruleDraftOf, ruleOf } from './alert-rule';
import { type ConfigValue, filled } from './config-schema';
import { count } from './format';

export interface ContactDraft {
  name: string;
  type: string;
  config: ConfigValue;
  default: boolean;
  /** The defaults for new alert rules that use the contact. */
  rule: RuleDraft;
}

export function contactDraftOf(stored: Contact | null): ContactDraft {
  const { name, type, config, default: isDefault, alert_defaults } = stored ?? NEW;
  return { name, type, config, default: isDefault, rule: ruleDraftOf(alert_defaults) };
}

const NEW = { name: '', type: 'webhook', config: {}, default: false, alert_defaults: FIRST_DEFAULTS };

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Returns the request body that creates or changes a contact. Unchanged defaults are sent as stored. */
export function contactRequestOf(draft: ContactDraft, stored: Contact | null) {
  const { rule, config, ...rest } = draft;
  const isKept = stored !== null && isSame(rule, ruleDraftOf(stored.alert_defaults));
  return { ...rest, config: filled(config), alert_defaults: isKept ? stored.alert_defaults : ruleOf(rule) };
}

export const isEdited = (draft: ContactDraft, stored: Contact): boolean =>
  !isSame(contactRequestOf(draft, stored), contactRequestOf(contactDraftOf(stored), stored));

/** Describes how saving would affect the alert rules that use the contact. `null` if they aren't affected. */
export function consequenceOf(draft: ContactDraft, stored: Contact | null): string | null {
  if (stored === null || stored.alert_count === 0) return null;
  const uses = `${count(stored.alert_count, 'alert rule uses', 'alert rules use')} it.`;
  const effect = 'open alerts are resolved through the old one and trigger again at the next failed check.';
  if (draft.type !== stored.type) return `${uses} With another channel, ${effect}`;
  if (isSame(filled(draft.config), filled(stored.config))) return null;
  return `${uses} With another destination, ${effect} A new token for the same destination does not resolve any alerts.`;
}

/** Whether new endpoints get an alert rule through the contact, but no existing endpoint has one. */
export const isUnguarding = (contact: Pick<Contact, 'default' | 'alert_count'>): boolean =>
  contact.default && contact.alert_count === 0;

/** Returns text such as `Your 3 existing endpoints do not have one.` */
export const existingText = (endpoints: number): string =>
  endpoints === 1
    ? 'Your existing endpoint does not have one.'
    : `Your ${count(endpoints, 'existing endpoint')} do not have one.`;

/** Returns text such as `12 alert rules created. 3 endpoints had one already.` */
export function madeText({ created, existing }: { created: number; existing: number }): string {
  const had = existing === 0 ? '' : ` ${count(existing, 'endpoint')} had one already.`;
  return created + existing === 0 ? 'No endpoint matches.' : `${count(created, 'alert rule')} created.${had}`;
}
