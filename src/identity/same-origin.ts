import type { Application, Request } from 'express';
import { SAFE_METHODS } from '../platform/access/safe-methods';
import { readUrl } from '../platform/text/read-url';
import { isLoopbackDestination, isOwnHost } from './local-host';
import type { Config } from '../platform/config/config';
import { Problem } from '../platform/problem/problem';

/** The Express setting that stores the origin of `PUBLIC_URL`, so that every request can read it. */
const PUBLIC_ORIGIN = 'public origin';

/** Stores the application's public origin, or `null` if `PUBLIC_URL` is not set. */
export function setPublicOrigin(app: Pick<Application, 'set'>, publicUrl: string | null): void {
  app.set(PUBLIC_ORIGIN, publicUrl === null ? null : readUrl(publicUrl)?.origin);
}

/**
 * Returns true if the browser states that the request comes from one of this service's pages. Such a page is on the
 * requested host or under `PUBLIC_URL`, because a proxy may use another hostname. Clients that aren't browsers send no
 * `Origin`.
 */
export function sameOrigin(request: Pick<Request, 'headers' | 'app'>): boolean {
  return typeof request.headers.origin === 'string' && !isFromElsewhere(request);
}

/**
 * Returns true if a browser states that the request comes from another site's page. Other clients don't send this
 * information.
 */
function isFromElsewhere({ headers, app }: Pick<Request, 'headers' | 'app'>): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined) {
    const isOfHost = host !== undefined && readUrl(origin)?.host === host;
    if (!isOfHost && app.get(PUBLIC_ORIGIN) !== origin) return true;
  }
  return site !== undefined && site !== 'same-origin' && !(site === 'none' && origin === undefined);
}

/** Evidence in a request that shows whether the browser used https. */
export interface Arrival {
  /** Whether this service terminates TLS for the connection. */
  isEncrypted: boolean;
  host: string | undefined;
  origin: string | undefined;
  /** The values of `X-Forwarded-Proto` and `Forwarded`. */
  forwarded: string;
  /** The value of `Sec-Fetch-Site`. Browsers send this header only over https, or over http to the local machine. */
  site: string | undefined;
}

/**
 * Returns whether this request uses https cookies, which have the `__Host-` prefix. With an https `PUBLIC_URL` it does,
 * regardless of the proxy's headers. The exception is a browser on this machine that requested localhost and doesn't
 * send the public origin. Without `PUBLIC_URL`, any evidence of https is enough. Forging one of these headers gains
 * nothing, because only the cookie that no other host can set is then accepted. `publicOrigin` is the origin of
 * `PUBLIC_URL`.
 */
export function isByHttps(
  { isEncrypted, host, origin, forwarded, site }: Arrival,
  publicOrigin: string | null,
): boolean {
  if (isEncrypted) return true;
  const isLocal = isLoopbackDestination(host);
  if (publicOrigin?.startsWith('https:') && (!isLocal || origin === publicOrigin)) return true;
  const own = origin === undefined ? null : readUrl(origin);
  if (own !== null && own.host === host) return own.protocol === 'https:';
  return /\bhttps\b/i.test(forwarded) || (site !== undefined && !isLocal);
}

export function cameByHttps({ headers, secure, app }: Pick<Request, 'headers' | 'secure' | 'app'>): boolean {
  const { origin, host } = headers;
  const forwarded = `${String(headers['x-forwarded-proto'] ?? '')} ${headers.forwarded ?? ''}`;
  const site = headers['sec-fetch-site'];
  const publicOrigin = (app.get(PUBLIC_ORIGIN) as string | null | undefined) ?? null;
  return isByHttps({ isEncrypted: secure, host, origin, forwarded, site }, publicOrigin);
}

/** Returns the problem for a change that used the session cookie from another origin. */
export const problemOfOrigin = (): Problem =>
  new Problem('origin_not_allowed', 'Requests with the session cookie must come from the dashboard itself.');

/**
 * Protects AUTH=off, where every browser that reaches the service is an administrator. Rejects a foreign Host, which a
 * hostile page may have pointed at this service. Also rejects changes from another site's page. Throws
 * `origin_not_allowed`.
 */
export function requireOwnPage(request: Request, { allowedHosts, publicUrl }: Config): void {
  const { host } = request.headers;
  const published = publicUrl === null ? undefined : readUrl(publicUrl)?.host;
  const allowed = published === undefined ? allowedHosts : [...allowedHosts, published];
  if (!isOwnHost({ host, localAddress: request.socket.localAddress }, allowed)) {
    throw new Problem(
      'origin_not_allowed',
      'With AUTH=off, open the service as localhost, by its IP address, or by a name in PUBLIC_URL or ALLOWED_HOSTS.',
    );
  }
  if (!SAFE_METHODS.has(request.method) && isFromElsewhere(request)) {
    throw new Problem('origin_not_allowed', 'With AUTH=off, browsers must send changes from the dashboard itself.');
  }
}
