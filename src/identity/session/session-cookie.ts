import type { Request } from 'express';
import type { Caller } from '../../platform/access/caller';

/** Who a session cookie speaks for. The guard asks it for requests that carry no API key. */
export interface SessionAuthenticator {
  /** The caller with the rights its key has now, or `null` for an unknown, expired or revoked session. */
  authenticate(cookie: string): Promise<Caller | null>;
}

/** Injection token of the `SessionAuthenticator`. */
export const SESSION_AUTHENTICATOR = Symbol('auth:session-authenticator');

/** Over https: the prefix makes browsers refuse the cookie from another host or over http. */
export const SECURE_SESSION_COOKIE = '__Host-uptime_session';
/** Over plain http (localhost, a trusted network), where browsers refuse `Secure` cookies. */
export const PLAIN_SESSION_COOKIE = 'uptime_session';

const COOKIE = new RegExp(`(?:^|;\\s*)(?:${SECURE_SESSION_COOKIE}|${PLAIN_SESSION_COOKIE})=([A-Za-z0-9_-]{43})(?:;|$)`);

/** The session cookie's value as sent by the browser, or `null`. 256 bits in base64url; anything else is no session. */
export function sessionCookie(request: Pick<Request, 'headers'>): string | null {
  return COOKIE.exec(request.headers.cookie ?? '')?.[1] ?? null;
}
