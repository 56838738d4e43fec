import { toWireTls } from '../../checker/tls-settings';
import type { CheckedSettings } from '../../endpoint/check-definitions';
import type { OpenedSecrets } from '../../endpoint/settings/endpoint-settings';
import type { Definition } from '../../probe-protocol/protocol';

/** Returns a definition as sent to probes, with decrypted secrets. */
export const definitionOf = (checked: CheckedSettings, { headers, settings }: OpenedSecrets): Definition => ({
  type: checked.type,
  url: checked.url,
  timeout: checked.timeoutSeconds,
  method: checked.method,
  headers,
  body: checked.body,
  follow_redirects: checked.followRedirects,
  assertions: checked.assertions,
  tls: checked.tls && toWireTls(checked.tls),
  certificate_warn_days: checked.certificateWarnDays,
  ...(Object.keys(settings).length > 0 && { settings }),
});

/**
 * Returns a definition that the probe can't misunderstand. A probe without the capability would ignore the settings and
 * check something else, so it gets a type that it doesn't know, and reports that it must be updated.
 */
export const readableBy = (definition: Definition, readsSettings: boolean): Definition => {
  const { settings, ...rest } = definition;
  return settings === undefined || readsSettings ? definition : { ...rest, type: `${rest.type} with settings` };
};
