import { bracketed, HOST_FORM, normalizeHost } from '../../platform/net/egress/host-name';
import { isLongerThan } from '../../platform/text/text-limits';
import { InvalidTarget } from '../checker';
import { readUrl } from '../../platform/text/read-url';

export interface HttpTarget {
  secure: boolean;
  /** The host in the form that the dialer takes, which is IPv6 without brackets. */
  host: string;
  port: number;
  path: string;
  /** The value of the `Host` header. */
  authority: string;
  /** The URL without query string, credentials, and fragment. It may be shown. */
  shown: string;
}

const MAX_LENGTH = 2048;

/** Parses a stored URL. Throws: `InvalidTarget` with the accepted form. */
export function parseHttpTarget(url: string, form: string, schemes: RegExp): HttpTarget {
  const invalid = (why: string) => new InvalidTarget(`${why}; the accepted form is ${form}`);
  if (isLongerThan(url, MAX_LENGTH)) throw invalid(`the URL is longer than ${MAX_LENGTH} characters`);
  if (/[\p{Cc}\p{Cf}\s\\]/u.test(url)) throw invalid('the URL contains spaces, control characters or a backslash');
  if (!schemes.test(url)) throw invalid('the URL does not start with an accepted scheme and a host');
  if (/^https?:\/\/[^/?#]*:(?:[/?#]|$)/i.test(url)) throw invalid('the port is missing after the colon');
  if (readUrl(url) === null) throw invalid('the URL is not valid');
  const parsed = new URL(url);
  if (parsed.username !== '' || parsed.password !== '') {
    throw invalid('the URL must not contain a user name or password (send them in a header)');
  }
  if (parsed.port === '0') throw invalid('port 0 is not a valid port');
  const target = httpTargetOf(parsed);
  if (target === null) throw invalid(`the host must be ${HOST_FORM}`);
  return target;
}

/** Returns the target of a parsed http(s) URL without credentials and fragment, or `null` if its host is invalid. */
export function httpTargetOf(url: URL): HttpTarget | null {
  const host = normalizeHost(url.hostname);
  if (host === null) return null;
  const secure = url.protocol === 'https:';
  const authority = url.port === '' ? bracketed(host) : `${bracketed(host)}:${url.port}`;
  return {
    secure,
    host,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    authority,
    shown: `${url.protocol}//${authority}${url.pathname}`,
  };
}

/** Compares scheme, host, and port. Credentials are not sent to another origin. */
export const sameOrigin = (a: HttpTarget, b: HttpTarget): boolean =>
  a.secure === b.secure && a.host === b.host && a.port === b.port;
