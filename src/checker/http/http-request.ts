import { bracketed } from '../../platform/net/egress/host-name';
import { type HttpTarget, httpTargetOf, sameOrigin } from './http-target';
import { readUrl } from '../../platform/text/read-url';
import { isSensitiveHeader } from '../request-headers';

/** A request that a check sends. A redirect derives the next request from it. */
export interface HttpRequest {
  target: HttpTarget;
  method: string;
  headers: readonly { key: string; value: string }[];
  body: string | null;
}

const USER_AGENT = 'uptime-monitor/1 (availability check)';
const DESCRIBES_BODY = /^content-/i;
/** The maximum length of `Location`. Clients need not follow a longer one (RFC 9110, section 4.1 recommends 8,000). */
const MAX_LOCATION = 8 * 1024;
/** Headers are read byte by byte. The bytes of a URL are sent as they were received. */
const NOT_ASCII = /[\x80-\xff]/g;
const encodedByte = (byte: string): string => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
const NONE: ReadonlySet<string> = new Set();
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const isCookie = (key: string): boolean => key.toLowerCase() === 'cookie';

/** Returns the endpoint's own cookies, or `null`. */
export function ownCookies({ headers }: HttpRequest): string | null {
  const own = headers.filter(({ key }) => isCookie(key));
  return own.length === 0 ? null : own.map(({ value }) => value).join('; ');
}

/**
 * Returns the headers to send, in order. The user's headers override the defaults, except for framing. Unless `cookie`
 * is `null`, it replaces the user's own cookies.
 */
export function wireHeaders({ target, method, headers, body }: HttpRequest, cookie: string | null): [string, string][] {
  const given = headers.length === 0 ? NONE : new Set(headers.map(({ key }) => key.toLowerCase()));
  const wire: [string, string][] = [];
  if (!given.has('host')) wire.push(['Host', target.authority]);
  if (!given.has('user-agent')) wire.push(['User-Agent', USER_AGENT]);
  if (!given.has('accept')) wire.push(['Accept', '*/*']);
  if (!given.has('accept-encoding')) wire.push(['Accept-Encoding', 'identity']);
  for (const { key, value } of headers) if (cookie === null || !isCookie(key)) wire.push([key, value]);
  if (cookie !== null) wire.push(['Cookie', cookie]);
  if (body !== null) wire.push(['Content-Length', String(Buffer.byteLength(body))]);
  else if (method === 'POST' || method === 'PUT' || method === 'PATCH') wire.push(['Content-Length', '0']);
  wire.push(['Connection', 'close']);
  return wire;
}

/**
 * Returns the next request after a redirect, or the reason why it cannot be followed. Returns `null` if the response
 * isn't a redirect.
 */
export function followRedirect(
  request: HttpRequest,
  status: number,
  location: string | undefined,
): HttpRequest | { refused: string } | null {
  if (!REDIRECTS.has(status) || location === undefined) return null;
  if (location.length > MAX_LOCATION) return { refused: 'a redirect whose Location is longer than 8 KiB' };
  const base = `${request.target.secure ? 'https' : 'http'}://${request.target.authority}${request.target.path}`;
  const address = location.replace(NOT_ASCII, encodedByte);
  if (readUrl(address, base) === null) return { refused: 'a redirect to an invalid URL' };
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { refused: `a redirect to ${url.protocol.slice(0, 30)}, which is neither http: nor https:` };
  }
  const target = url.port === '0' ? null : httpTargetOf(url);
  if (target === null) return { refused: 'a redirect to an invalid host' };
  return nextRequest(request, status, target);
}

function nextRequest(request: HttpRequest, status: number, target: HttpTarget): HttpRequest {
  const kept = sameOrigin(request.target, target)
    ? request.headers
    : request.headers.filter(({ key }) => !isSensitiveHeader(key));
  const repeats = status > 303 || request.method === 'GET' || request.method === 'HEAD';
  if (repeats) return { ...request, target, headers: kept };
  return { target, method: 'GET', headers: kept.filter(({ key }) => !DESCRIBES_BODY.test(key)), body: null };
}

/** Returns the host and port in the format for messages. */
export const addressOf = ({ host, port }: HttpTarget): string => `${bracketed(host)}:${port}`;
