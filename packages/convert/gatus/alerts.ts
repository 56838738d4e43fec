import type { DeclaredAlert } from '../../../src/configuration/document/document';
import { readRule } from './alert-rule';
import { cut } from '../../../src/platform/text/text-limits';
import type { Contacts } from './contacts';
import { Fields, isMapping, type Mapping, quoted } from './fields';
import { keyFrom } from '../../../src/configuration/document/keys';

const MAX_DESCRIPTION = 1000;

/** The endpoint that the alerts belong to. */
export interface AlertOwner {
  name: string;
  group: string | null;
  at: string;
  /**
   * True if an assertion on the endpoint only warns. Gatus treats that as a failure, so warnings must trigger the
   * alert.
   */
  warns: boolean;
}

/** Returns an endpoint's alerts. Reports alerts that have no usable contact. */
export function readAlerts(fields: Fields, owner: AlertOwner, contacts: Contacts): DeclaredAlert[] {
  const keys = new Set<string>();
  return fields.list('alerts').flatMap((value, i) => {
    if (!isMapping(value)) {
      fields.note(`alerts[${i}]`, `is ${quoted(value)}, which is not an alert`);
      return [];
    }
    const type = typeof value['type'] === 'string' ? value['type'] : '';
    const settings = new Fields(withDefaults(value, contacts.defaultAlert(type)), fields.differences, `alerts[${i}].`);
    const own = settings.raw('provider-override');
    const route = contacts.routeOf(settings.plainText('type') ?? '', owner.group, own, owner.name, owner.at);
    if ('refused' in route) {
      fields.note(`alerts[${i}]`, `(${quoted(type)}) is not converted: ${route.refused}`);
      return [];
    }
    return [{ key: keyFrom(type, keys), contact: route.contact, ...rule(settings, owner.warns) }];
  });
}

/** Merges alerts the way Gatus does: the default fills in fields that the alert omits or sets to 0. */
const withDefaults = (own: Mapping, defaults: Mapping): Mapping => ({
  ...Object.fromEntries(Object.entries(defaults).filter(([key]) => key !== 'type' && key !== 'provider-override')),
  ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null && value !== 0)),
});

function rule(settings: Fields, warns: boolean): Omit<DeclaredAlert, 'key'> {
  const description = settings.plainText('description') ?? '';
  if (description.length > MAX_DESCRIPTION) settings.note('description', 'is too long and is shortened');
  const enabled = settings.flag('enabled') ?? true;
  const read: Omit<DeclaredAlert, 'key'> = {
    ...(enabled ? {} : { enabled }),
    ...(warns ? { condition: 'degraded' } : {}),
    ...readRule(settings),
    ...(description === '' ? {} : { description: cut(description, MAX_DESCRIPTION) }),
  };
  settings.noteRest();
  return read;
}
