import type { Alert, Contact } from '../api/types';
import { type RuleDraft, ruleDraftOf, ruleOf } from './alert-rule';
import { channelName } from './channel-name';
import { type ConfigValue, filled } from './config-schema';
import { FAILURES } from './endpoint-defaults';

/** An alert rule that is being edited. */
export interface AlertDraft extends RuleDraft {
  endpoint_id: string;
  /** `null` if the alert rule has its own `type` and `config`. */
  contact_id: string | null;
  type: string;
  config: ConfigValue;
  description: string;
  enabled: boolean;
}

export const alertDraftOf = (alert: Alert): AlertDraft => ({
  ...ruleDraftOf(alert),
  endpoint_id: alert.endpoint_id,
  contact_id: alert.contact_id,
  type: alert.type,
  config: alert.config,
  description: alert.description,
  enabled: alert.enabled,
});

/**
 * Returns a new alert rule that uses the contact and its defaults. Without a contact, the rule uses its own webhook.
 */
export const newAlert = (endpointId: string, contact: Contact | null): AlertDraft => ({
  ...ruleDraftOf(contact?.alert_defaults ?? { failure_threshold: FAILURES }),
  endpoint_id: endpointId,
  contact_id: contact?.id ?? null,
  type: 'webhook',
  config: {},
  description: '',
  enabled: true,
});

/**
 * Returns the contact for a new alert rule: the requested one, or else the first default contact, or else the first
 * contact.
 */
export const firstContact = (contacts: readonly Contact[], wanted: string | null): Contact | null =>
  contacts.find(({ id }) => id === wanted) ?? contacts.find((each) => each.default) ?? contacts[0] ?? null;

/** Returns the contacts sorted by name, with default contacts first. */
export const inOrder = (contacts: readonly Contact[]): Contact[] =>
  [...contacts].sort((a, b) => Number(b.default) - Number(a.default) || a.name.localeCompare(b.name));

/** Returns a title such as `Operations · Slack (default)`. */
export const contactTitle = (contact: Pick<Contact, 'name' | 'type' | 'default'>): string =>
  `${contact.name} · ${channelName(contact.type)}${contact.default ? ' (default)' : ''}`;

/** Whether the alert rule's own settings are unchanged since the service returned them. */
const isAsStored = ({ type, config }: AlertDraft, stored: Alert): boolean =>
  type === stored.type && JSON.stringify(filled(config)) === JSON.stringify(filled(stored.config));

/**
 * Returns the contact, or the rule's own settings. If the request has no settings, the service keeps the stored ones,
 * including masked values.
 */
function routeOf(draft: AlertDraft, stored: Alert | null): Record<string, unknown> {
  if (draft.contact_id !== null) return { contact_id: draft.contact_id };
  const own = { type: draft.type, config: filled(draft.config) };
  const hadContact = stored !== null && stored.contact_id !== null;
  if (!hadContact) return own;
  return isAsStored(draft, stored) ? { contact_id: null } : { contact_id: null, ...own };
}

/** Returns the request body that saves the alert. `stored` is `null` for a new one. */
export const alertBody = (draft: AlertDraft, stored: Alert | null): Record<string, unknown> => ({
  endpoint_id: draft.endpoint_id,
  ...routeOf(draft, stored),
  ...ruleOf(draft),
  description: draft.description,
  enabled: draft.enabled,
});

const MAY_MOVE =
  'The open alert stays open if the account and the address are the same. Otherwise it is resolved where it was sent, and triggers again at the next failed check.';

/** Describes how saving would change who is notified. Returns `null` if nothing changes. */
export function routeChange(draft: AlertDraft, stored: Alert | null, nameOf: (id: string) => string): string | null {
  if (stored === null || draft.contact_id === stored.contact_id) return null;
  const { triggered: isOpen, contact_id: before } = stored;
  if (draft.contact_id !== null) {
    const dropped = before === null ? ' Its own settings are deleted.' : '';
    return `When you save this, messages go through ${nameOf(draft.contact_id)}.${dropped}${isOpen ? ` ${MAY_MOVE}` : ''}`;
  }
  const old = before === null ? 'the contact' : nameOf(before);
  if (!isAsStored(draft, stored))
    return `When you save this, messages go through these settings and no longer through ${old}.${isOpen ? ` ${MAY_MOVE}` : ''}`;
  return `It keeps a copy of the settings of ${old}. Later changes to ${old} no longer affect it.${isOpen ? ' The open alert stays open.' : ''}`;
}
