import type { Application, Request } from 'express';
import { SAFE_METHODS } from '../platform/access/safe-methods';
import { readUrl } from '../platform/text/read-url';
import { isLoopbackDestination, isOwnHost } from './local-host';
import type { Config } from '../platform/config/config';
import { Problem } from '../platform/problem/problem';

/** Where Express keeps the origin of `PUBLIC_URL`: every request has it at hand. */
const PUBLIC_ORIGIN = 'public origin';

/** Tells the application where people reach it from outside; `null` without `PUBLIC_URL`. */
export function setPublicOrigin(app: Pick<Application, 'set'>, publicUrl: string | null): void {
  app.set(PUBLIC_ORIGIN, publicUrl === null ? null : readUrl(publicUrl)?.origin);
}

/**
 * True when the browser states that the request comes from a page of this service: of the host that it asks, or of `PUBLIC_URL`,
 * for a proxy may ask by another name. Other clients send no `Origin`.
 */
export function sameOrigin(request: Pick<Request, 'headers' | 'app'>): boolean {
  return typeof request.headers.origin === 'string' && !isFromElsewhere(request);
}

/** True when a browser states that the request comes from another site's page; other clients state nothing. */
function isFromElsewhere({ headers, app }: Pick<Request, 'headers' | 'app'>): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined) {
    const isOfHost = host !== undefined && readUrl(origin)?.host === host;
    if (!isOfHost && app.get(PUBLIC_ORIGIN) !== origin) return true;
  }
  return site !== undefined && site !== 'same-origin' && !(site === 'none' && origin === undefined);
}

/** Evidence in a request of how the browser came. */
export interface Arrival {
  /** Over TLS that ends here. */
  isEncrypted: boolean;
  host: string | undefined;
  origin: string | undefined;
  /** `X-Forwarded-Proto` and `Forwarded`. */
  forwarded: string;
  /** `Sec-Fetch-Site`, which browsers send by https, and by http to this machine itself only. */
  site: string | undefined;
}

/**
 * Whether the cookies of this request are those of https, with the `__Host-` prefix. With an https `PUBLIC_URL` they are, whatever
 * the proxy passes on. The exception is a browser on this machine that came to localhost and does not state the public origin.
 * Without such a setting anything that says https counts. A client that forges one of these headers gets less for it, never
 * more: then only the cookie counts that no other host can set. `publicOrigin`: that of `PUBLIC_URL`.
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

/** `isByHttps` of a request. */
export function cameByHttps({ headers, secure, app }: Pick<Request, 'headers' | 'secure' | 'app'>): boolean {
  const { origin, host } = headers;
  const forwarded = `${String(headers['x-forwarded-proto'] ?? '')} ${headers.forwarded ?? ''}`;
  const site = headers['sec-fetch-site'];
  const publicOrigin = (app.get(PUBLIC_ORIGIN) as string | null | undefined) ?? null;
  return isByHttps({ isEncrypted: secure, host, origin, forwarded, site }, publicOrigin);
}

/** Why a change by the session's cookie is refused that comes from anywhere else. */
export const problemOfOrigin = (): Problem =>
  new Problem('origin_not_allowed', 'Requests with the session cookie must come from the dashboard itself.');

/**
 * For AUTH=off, where the browser of everybody near is an administrator: refuses a Host that is not our own, which a
 * hostile page may have pointed at us, and changes that come from another site's page. Throws `origin_not_allowed`.
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
