import type { Assertion } from '../../checker/assertion/assertion';
import { isSensitiveHeader } from '../../checker/request-headers';
import { mayHoldCredential } from '../../checker/url-credentials';
import type { Role } from '../../platform/access/caller';
import { MASK } from '../../platform/secrets/mask';

const MASKED_QUERY = `?${MASK}`;

/** The URL of an endpoint as this role may see it: tokens stand in the query of an http(s) URL, so read keys see none. */
export const shownUrl = (url: string, role: Role): string => (role === 'read' ? maskedUrl(url) : url);

/** Without what follows the path. Targets of other types have nothing there that is secret. */
export const maskedUrl = (url: string): string => (/^https?:/i.test(url) ? url.replace(/[?#][^]*/, MASKED_QUERY) : url);

/** True when an export by this role has a secret in place of the URL: what read keys are not shown, and what may be a credential. */
export const isExportedHidden = (url: string, role: Role): boolean =>
  role === 'read' ? maskedUrl(url) !== url : mayHoldCredential(url);

/** True for a URL that a client got from `maskedUrl`. */
export const isMaskedUrl = (url: string): boolean => url.endsWith(MASKED_QUERY);

/** What of an endpoint's settings may hold credentials. */
interface Confidential {
  url: string;
  headers: { key: string; value: string }[] | null;
  body: string | null;
  assertions: Assertion[] | null;
}

/** The settings as read keys and the audit log see them. */
export const withoutCredentials = <Settings extends Confidential>(settings: Settings): Settings => ({
  ...settings,
  url: maskedUrl(settings.url),
  headers: settings.headers?.map(({ key, value }) => ({ key, value: isSensitiveHeader(key) ? MASK : value })) ?? null,
  body: settings.body ? MASK : settings.body,
  assertions:
    settings.assertions?.map((assertion) =>
      comparesCredential(assertion) ? { ...assertion, target: MASK } : assertion,
    ) ?? null,
});

/** Of an assertion all but its target. */
interface Compared {
  source: string;
  property?: string;
  comparison: string;
}

/** True when what the target answers in a header that may be a credential is compared with the same. */
export const comparesCredential = ({ source, property, comparison }: Compared): boolean =>
  source === 'header' && comparison !== 'exists' && isSensitiveHeader(property ?? '');
