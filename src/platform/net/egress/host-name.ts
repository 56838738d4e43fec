import { isIP } from 'node:net';
import { readUrl } from '../../text/read-url';

/** The valid forms of a host, for error messages. */
export const HOST_FORM = 'a host name, an IPv4 address or an IPv6 address in brackets';

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
// oxlint-disable-next-line no-control-regex -- control characters are what is being refused.
const NEVER_IN_HOST = /[\u0000-\u0020\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff/\\?#@%]/;

/**
 * Returns the only spelling in which a host is stored, checked, and connected to. This is either a plain IP address
 * (IPv6 without brackets) or an ASCII hostname in lower case without a trailing dot. Notations that some resolvers read
 * as an IP address (`127.1`, `0x7f.1`, `2130706433`, `0177.0.0.1`, full-width digits) are converted to that address.
 * Returns `null` if the string isn't a host.
 */
export function normalizeHost(text: string): string | null {
  if (isIP(text) === 4) return text;
  if (text.length === 0 || text.length > 255 || NEVER_IN_HOST.test(text)) return null;
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (bare.includes(':')) return isIP(bare) === 6 ? compressIPv6(bare) : null;
  if (bare !== text) return null;
  const url = `http://${text}/`;
  const read = readUrl(url);
  if (read === null) return null;
  const name = read.hostname.replace(/\.$/, '');
  return isIP(name) === 4 || isHostName(name) ? name : null;
}

/** Returns a host as written in a URL or before a port, with brackets around IPv6 addresses. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

function compressIPv6(address: string): string | null {
  const url = `http://[${address}]/`;
  return readUrl(url)?.hostname.slice(1, -1) ?? null;
}

function isHostName(name: string): boolean {
  return name.length > 0 && name.length <= 253 && name.split('.').every((label) => LABEL.test(label));
}
