import type { CheckedSettings } from '../../endpoint/check-definitions';
import type { Definition } from '../../probe-protocol/protocol';

/** Returns a definition as sent to probes. The values in `headers` must be decrypted. */
export const definitionOf = (settings: CheckedSettings, headers: Definition['headers']): Definition => ({
  type: settings.type,
  url: settings.url,
  timeout: settings.timeoutSeconds,
  method: settings.method,
  headers,
  body: settings.body,
  follow_redirects: settings.followRedirects,
  assertions: settings.assertions,
  tls: settings.tls && { verify: settings.tls.verify, ca: settings.tls.ca, server_name: settings.tls.serverName },
  certificate_warn_days: settings.certificateWarnDays,
});
