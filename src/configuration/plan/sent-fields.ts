import { RULE_FIELDS } from '../../alert/alert.dto';
import { DEFAULT_RULE } from '../../alert/alert.entity';
import { CONTACT_FIELDS } from '../../contact/contact.dto';
import { DEFAULT_CONTACT } from '../../contact/contact.entity';
import { SETTING_FIELDS } from '../../endpoint/endpoint.dto';
import { DEFAULT_SETTINGS } from '../../endpoint/endpoint.entity';
import { toFields } from '../../platform/database/field-names';

/** The default that `null` stands for in each field. Fields without a default keep `null`. */
export type Defaults = Readonly<Record<string, unknown>>;

export const WEBSITE_DEFAULTS: Defaults = { enabled: true, tags: [] };

export const CONTACT_DEFAULTS: Defaults = toFields(DEFAULT_CONTACT, CONTACT_FIELDS);

/** The default interval is the installation's minimum interval, if that is longer. */
export const ENDPOINT_DEFAULTS: Defaults = { ...toFields(DEFAULT_SETTINGS, SETTING_FIELDS), depends_on: [] };

export const ALERT_DEFAULTS: Defaults = toFields(DEFAULT_RULE, RULE_FIELDS);

export const PROBE_DEFAULTS: Defaults = { region: '', enabled: true, allow_private: false };

export const WINDOW_DEFAULTS: Defaults = { description: '', mute: true, exclude_from_uptime: true, public: true };

export const PAGE_DEFAULTS: Defaults = { description: '', indexed: true, enabled: false };

/**
 * Returns the declared fields as a client would send them. Absent fields are still absent, and `null` becomes the
 * default.
 */
export function sentFields(declared: object, without: readonly string[], defaults: Defaults): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(declared).flatMap(([name, value]: [string, unknown]) => {
      if (value === undefined || without.includes(name)) return [];
      const isDefault = value === null && Object.hasOwn(defaults, name);
      return [[name, isDefault ? defaults[name] : value]];
    }),
  );
}
