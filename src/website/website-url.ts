import { bracketed, HOST_FORM, normalizeHost } from '../platform/net/egress/host-name';
import type { FieldProblem } from '../platform/problem/problem';
import { readUrl } from '../platform/text/read-url';
import { isLongerThan } from '../platform/text/text-limits';

const MAX_LENGTH = 2048;
const FORM = 'https://example.com or http://example.com:8080/path';

/**
 * Returns the stored form of a website's URL, or its problem. The stored form is http or https, with a normalized host
 * and without a fragment. Characters that URL parsers drop silently are refused before parsing.
 */
export function parseWebsiteUrl(text: string, pointer = '/url'): { url: string } | { problem: FieldProblem } {
  const refuse = (code: FieldProblem['code'], message: string) => ({ problem: { pointer, code, message } });
  const tooLong = `url must have at most ${MAX_LENGTH} characters when percent-encoded`;
  if (isLongerThan(text, MAX_LENGTH)) return refuse('too_long', tooLong);
  if (/[\p{Cc}\p{Cf}\s]/u.test(text))
    return refuse('invalid_characters', 'url must not contain spaces or control characters');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https' && !/^[^/]+:\d/.test(text)) {
    return refuse('unsupported_scheme', `url must start with http:// or https://, such as ${FORM}`);
  }
  if (!/^https?:\/\/[^/?#]/i.test(text) || readUrl(text) === null)
    return refuse('invalid_format', `url must be a complete URL, such as ${FORM}`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    return refuse('credentials_in_url', 'url must not contain a user name or password');
  if (url.port === '0') return refuse('invalid_format', 'url must not have port 0');
  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
  const host = normalizeHost(authority.replace(/:\d*$/, '')) ?? normalizeHost(url.hostname);
  if (host === null) return refuse('invalid_format', `the host of url must be ${HOST_FORM}`);
  url.hash = '';
  url.hostname = bracketed(host);
  return url.href.length > MAX_LENGTH ? refuse('too_long', tooLong) : { url: url.href };
}
