import type { Request, Response } from 'express';
import { rootFor } from '../../platform/http/own-address';
import { cookieName, cookieValue } from '../own-cookie';
import { cameByHttps } from '../same-origin';

const NAME = 'uptime_session';
/** 256 bits in base64url; anything else is no session. */
const TOKEN = '[A-Za-z0-9_-]{43}';

/**
 * The value of the session cookie, or `null`. The prefixed cookie wins wherever it stands, and over https no other counts: a
 * sibling host could have set it, to sign the browser in elsewhere.
 */
export function sessionCookie(request: Pick<Request, 'headers' | 'secure' | 'app'>): string | null {
  const cookies = request.headers.cookie ?? '';
  const secure = cookieValue(cookies, cookieName(NAME, request, true), TOKEN);
  if (secure !== null) return secure;
  return cameByHttps(request) ? null : cookieValue(cookies, cookieName(NAME, request, false), TOKEN);
}

/**
 * Gives the browser the cookie of a new session. `secure`: whether the browser came by https. Clears a cookie of the other name, which
 * belongs to an older session.
 */
export function setSessionCookie(request: Request, response: Response, token: string, secure: boolean): void {
  const other = cookieName(NAME, request, !secure);
  if (cookieValue(request.headers.cookie ?? '', other, TOKEN) !== null)
    response.clearCookie(other, { path: '/', secure: !secure });
  response.cookie(cookieName(NAME, request, secure), token, { httpOnly: true, sameSite: 'strict', path: '/', secure });
  response.setHeader('Location', `${rootFor(request)}/auth/session`);
}

/** Makes the browser forget the cookie, however it got it. */
export function clearSessionCookie(request: Request, response: Response): void {
  response.clearCookie(cookieName(NAME, request, true), { path: '/', secure: true });
  response.clearCookie(cookieName(NAME, request, false), { path: '/' });
}
