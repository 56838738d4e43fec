import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { MINUTE_MS } from '../../platform/time/time-units';
import { cookieName, cookieValue } from '../own-cookie';
import { cameByHttps } from '../same-origin';

/** The maximum time that a user may spend at the provider. */
export const FLOW_MS = 10 * MINUTE_MS;

/** The state that a browser keeps while its user is at the provider. */
export interface Flow {
  /** Each value is 256 random bits in base64url. */
  state: string;
  nonce: string;
  verifier: string;
  /** The token from an invitation or a start link. */
  token: string | null;
  /**
   * The account (UUID) to connect the identity to, and 256 random bits. Their hash is stored in the session that
   * requested the connection.
   */
  connect: { personId: string; proof: string } | null;
  /** In milliseconds since 1970. */
  beganAt: number;
}

const NAME = 'uptime_oidc';
const SEALED = '[\\w.-]*';

/**
 * Sets the cookie as Lax, because the user returns through a navigation from another site, for which browsers send no
 * Strict cookie.
 */
export function setFlowCookie(request: Request, response: Response, flow: Flow, secret: Buffer): void {
  const secure = cameByHttps(request);
  const value = sealFlow(flow, secret);
  response.cookie(cookieName(NAME, request, secure), value, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure,
    maxAge: FLOW_MS,
  });
}

/** Returns the value of the flow's cookie, valid or not, or `null` if there is none. */
export function flowCookie(request: Pick<Request, 'headers' | 'secure' | 'app'>): string | null {
  const cookies = request.headers.cookie ?? '';
  const secure = cookieValue(cookies, cookieName(NAME, request, true), SEALED);
  return secure !== null || cameByHttps(request)
    ? secure
    : cookieValue(cookies, cookieName(NAME, request, false), SEALED);
}

/** Clears the cookie, because a flow can be used only once. */
export function clearFlowCookie(request: Request, response: Response): void {
  response.clearCookie(cookieName(NAME, request, true), { path: '/', secure: true });
  response.clearCookie(cookieName(NAME, request, false), { path: '/' });
}

/** Returns the flow as a string that only this installation can create. */
export function sealFlow(flow: Flow, secret: Buffer): string {
  const text = Buffer.from(JSON.stringify(flow)).toString('base64url');
  return `${text}.${macOf(text, secret).toString('base64url')}`;
}

/** Returns the flow, or `null` if this installation did not create the string. */
export function openFlow(sealed: string, secret: Buffer): Flow | null {
  const [text = '', mac = ''] = sealed.split('.');
  const given = Buffer.from(mac, 'base64url');
  const right = macOf(text, secret);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Flow;
}

const macOf = (text: string, secret: Buffer): Buffer => createHmac('sha256', secret).update(text).digest();
