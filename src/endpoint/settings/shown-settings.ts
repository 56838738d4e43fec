import type { Assertion } from '../../checker/assertion/assertion';
import { isSensitiveHeader } from '../../checker/request-headers';
import { mayHoldCredential } from '../../checker/url-credentials';
import { may, type Role } from '../../platform/access/permissions';
import { MASK } from '../../platform/secrets/mask';

const MASKED_QUERY = `?${MASK}`;

/**
 * Returns the URL of an endpoint as this role may see it. The query string of an http(s) URL may contain tokens, so it
 * is hidden from callers without `secrets.read`.
 */
export const shownUrl = (url: string, role: Role): string => (may({ role }, 'secrets.read') ? url : maskedUrl(url));

/** SQL: the part of an endpoint's URL that `maskedUrl` shows. Targets of other types have no `?` or `#`. */
export const shownUrlSql = (url: string): string => `split_part(split_part(${url}, '?', 1), '#', 1)`;

/** Masks everything after the path of an http(s) URL. Targets of other types contain no secrets there. */
export const maskedUrl = (url: string): string => (/^https?:/i.test(url) ? url.replace(/[?#][^]*/, MASKED_QUERY) : url);

/**
 * Returns true if an export by this role replaces the URL with a secret. That is the case if part of the URL is hidden
 * from the role, or if the URL may contain a credential.
 */
export const isExportedHidden = (url: string, role: Role): boolean =>
  may({ role }, 'secrets.read') ? mayHoldCredential(url) : maskedUrl(url) !== url;

/** Returns true for a URL that `maskedUrl` produced. */
export const isMaskedUrl = (url: string): boolean => url.endsWith(MASKED_QUERY);

/** The settings of an endpoint that may contain credentials. */
interface Confidential {
  url: string;
  headers: { key: string; value: string }[] | null;
  body: string | null;
  assertions: Assertion[] | null;
}

/** Returns the settings as read keys and the audit log see them. */
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

/** An assertion without its target. */
interface Compared {
  source: string;
  property?: string;
  comparison: string;
}

/** Returns true if an assertion compares a response header that may be a credential, so its target may be one. */
export const comparesCredential = ({ source, property, comparison }: Compared): boolean =>
  source === 'header' && comparison !== 'exists' && isSensitiveHeader(property ?? '');
