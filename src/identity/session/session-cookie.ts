import type { Request } from 'express';

/** Over https: the prefix makes browsers refuse the cookie from another host or over http. */
export const SECURE_SESSION_COOKIE = '__Host-uptime_session';
/** Over plain http (localhost, a trusted network), where browsers reject `Secure` cookies. */
export const PLAIN_SESSION_COOKIE = 'uptime_session';

const COOKIE = new RegExp(`(?:^|;\\s*)(?:${SECURE_SESSION_COOKIE}|${PLAIN_SESSION_COOKIE})=([A-Za-z0-9_-]{43})(?:;|$)`);

/** The value of the session cookie, or `null`. 256 bits in base64url; anything else is no session. */
export function sessionCookie(request: Pick<Request, 'headers'>): string | null {
  return COOKIE.exec(request.headers.cookie ?? '')?.[1] ?? null;
}
