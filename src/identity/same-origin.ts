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

/**
 * True when anything says that the browser came by https: a proxy in between may terminate TLS. Browsers send
 * `Sec-Fetch-Site` by https, and by http to this machine itself only. Whoever forges one of these headers gets less for
 * it, never more: then only the cookie counts that no other host can set.
 */
export function cameByHttps({ headers, secure }: Pick<Request, 'headers' | 'secure'>): boolean {
  const { origin, host } = headers;
  if (secure) return true;
  const own = origin === undefined ? null : readUrl(origin);
  if (own !== null && own.host === host) return own.protocol === 'https:';
  if (/\bhttps\b/i.test(`${String(headers['x-forwarded-proto'] ?? '')} ${headers.forwarded ?? ''}`)) return true;
  return headers['sec-fetch-site'] !== undefined && !isLoopbackDestination(host);
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
      'With AUTH=off the service is used as localhost, by its address, or by a name in PUBLIC_URL or ALLOWED_HOSTS.',
    );
  }
  if (!SAFE_METHODS.has(request.method) && isFromElsewhere(request)) {
    throw new Problem('origin_not_allowed', 'With AUTH=off browsers must send changes from the dashboard itself.');
  }
}
