import type { Request, Response } from 'express';
import { cameByHttps } from '../same-origin';

/** Over https: the prefix makes browsers refuse the cookie from another host or over http. */
export const SECURE_SESSION_COOKIE = '__Host-uptime_session';
/** Over plain http (localhost, a trusted network), where browsers reject `Secure` cookies. */
export const PLAIN_SESSION_COOKIE = 'uptime_session';

const SECURE = patternOf(SECURE_SESSION_COOKIE);
const PLAIN = patternOf(PLAIN_SESSION_COOKIE);

/**
 * The value of the session cookie, or `null`. 256 bits in base64url; anything else is no session. The prefixed cookie wins
 * wherever it stands, and over https no other counts: a sibling host could have set it, to sign the browser in elsewhere.
 */
export function sessionCookie(request: Pick<Request, 'headers' | 'secure'>): string | null {
  const cookies = request.headers.cookie ?? '';
  const secure = SECURE.exec(cookies)?.[1];
  if (secure !== undefined) return secure;
  return cameByHttps(request) ? null : (PLAIN.exec(cookies)?.[1] ?? null);
}

/** Gives the browser the cookie of a session that has begun. */
export function setSessionCookie(request: Request, response: Response, token: string): void {
  const secure = cameByHttps(request);
  response.cookie(secure ? SECURE_SESSION_COOKIE : PLAIN_SESSION_COOKIE, token, {
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure,
  });
  response.setHeader('Location', '/auth/session');
  response.setHeader('Cache-Control', 'no-store');
}

function patternOf(name: string): RegExp {
  return new RegExp(`(?:^|;\\s*)${name}=([A-Za-z0-9_-]{43})(?:;|$)`);
}
