import type { Alert } from '../../alert/alert.entity';
import type { Contact } from '../../contact/contact.entity';
import type { DeclaredAlert, DeclaredContact } from '../document/document';
import { ALERT_DEFAULTS, CONTACT_DEFAULTS } from '../plan/sent-fields';
import type { Chosen } from './without-defaults';

/** `config`: with references in place of its secrets. */
export const toDeclaredContact = (
  { name, type, isDefault, defaults }: Contact,
  key: string,
  config: object,
  chosen: Chosen,
): DeclaredContact => ({
  key,
  name,
  type,
  config: { ...config },
  ...chosen({ default: isDefault, alert_defaults: { ...defaults } }, CONTACT_DEFAULTS),
});

/** Through a contact: its key and what it has defaults for. */
export type AlertRoute = { contact: string; defaults: Contact['defaults'] } | { config: object };

/** Chosen among are settings that a new alert through the same contact would have anyway. */
export function toDeclaredAlert(alert: Alert, key: string, route: AlertRoute, chosen: Chosen): DeclaredAlert {
  const isOwn = 'config' in route;
  const settings = {
    enabled: alert.enabled,
    condition: alert.condition,
    failure_threshold: alert.failureThreshold,
    success_threshold: alert.successThreshold,
    send_on_resolved: alert.sendOnResolved,
    after: alert.afterSeconds,
    remind_every: alert.remindEverySeconds,
    description: alert.description,
  };
  return {
    key,
    ...(isOwn ? { type: alert.type, config: { ...route.config } } : { contact: route.contact }),
    ...chosen(settings, isOwn ? ALERT_DEFAULTS : { ...ALERT_DEFAULTS, ...route.defaults }),
  };
}
