import type { Request, Response } from 'express';
import { rootFor } from '../../platform/http/own-address';
import { cookieName, cookieValue } from '../own-cookie';
import { cameByHttps } from '../same-origin';

const NAME = 'uptime_session';
/** A session token is 256 bits in base64url. Any other value can't be a session. */
const TOKEN = '[A-Za-z0-9_-]{43}';

/**
 * Returns the value of the session cookie, or `null`. The prefixed cookie takes precedence regardless of order. Over
 * https, no other cookie is accepted, because a sibling host could set one to sign the browser in to a different
 * account.
 */
export function sessionCookie(request: Pick<Request, 'headers' | 'secure' | 'app'>): string | null {
  const cookies = request.headers.cookie ?? '';
  const secure = cookieValue(cookies, cookieName(NAME, request, true), TOKEN);
  if (secure !== null) return secure;
  return cameByHttps(request) ? null : cookieValue(cookies, cookieName(NAME, request, false), TOKEN);
}

/**
 * Sets the cookie for a new session. `secure` means that the browser used https. Clears the cookie with the other name,
 * which belongs to an older session.
 */
export function setSessionCookie(request: Request, response: Response, token: string, secure: boolean): void {
  const other = cookieName(NAME, request, !secure);
  if (cookieValue(request.headers.cookie ?? '', other, TOKEN) !== null)
    response.clearCookie(other, { path: '/', secure: !secure });
  response.cookie(cookieName(NAME, request, secure), token, { httpOnly: true, sameSite: 'strict', path: '/', secure });
  response.setHeader('Location', `${rootFor(request)}/auth/session`);
}

/** Makes the browser delete the cookie, under both names. */
export function clearSessionCookie(request: Request, response: Response): void {
  response.clearCookie(cookieName(NAME, request, true), { path: '/', secure: true });
  response.clearCookie(cookieName(NAME, request, false), { path: '/' });
}
