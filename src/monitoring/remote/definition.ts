import type { CheckedSettings } from '../../endpoint/check-definitions';
import type { Definition } from '../../probe-protocol/protocol';

/** A definition as probes get it. `headers`: with their values opened. */
export const definitionOf = (settings: CheckedSettings, headers: Definition['headers']): Definition => ({
  type: settings.type,
  url: settings.url,
  timeout: settings.timeoutSeconds,
  method: settings.method,
  headers,
  body: settings.body,
  follow_redirects: settings.followRedirects,
  assertions: settings.assertions,
  tls: settings.tls,
  certificate_warn_days: settings.certificateWarnDays,
});
