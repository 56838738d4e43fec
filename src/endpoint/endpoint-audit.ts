import type { Settings } from '../audit/audited-change';
import { formatId } from '../platform/ids/id';
import { MASK } from './endpoint.dto';
import type { EndpointSettings } from './endpoint-settings';

/**
 * The settings of an endpoint as the audit log keeps them: the API's names and units, sealed header values masked. No
 * website: it is only being tried out.
 */
export const auditedSettings = (websiteId: string | null, settings: EndpointSettings): Settings => ({
  website_id: websiteId === null ? null : formatId('website', websiteId),
  name: settings.name,
  url: settings.url,
  type: settings.type,
  method: settings.method,
  interval: settings.intervalSeconds,
  timeout: settings.timeoutSeconds,
  enabled: settings.enabled,
  headers: settings.headers.map(({ key, value, sealed }) => ({ key, value: sealed ? MASK : value })),
  body: settings.body,
  follow_redirects: settings.followRedirects,
  assertions: settings.assertions,
});
