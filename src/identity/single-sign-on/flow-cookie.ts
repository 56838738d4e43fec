import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { MINUTE_MS } from '../../platform/time/time-units';
import { cookieName, cookieValue } from '../own-cookie';
import { cameByHttps } from '../same-origin';

/** How long somebody may take at the provider. */
export const FLOW_MS = 10 * MINUTE_MS;

/** What a browser keeps while its user is at the provider. */
export interface Flow {
  /** 256 random bits each, in base64url. */
  state: string;
  nonce: string;
  verifier: string;
  /** The token of an invitation, or of the link of the start. */
  token: string | null;
  /** The account (uuid) that gets the identity, and 256 random bits whose hash the session that asked for it holds. */
  connect: { personId: string; proof: string } | null;
  /** Milliseconds since 1970. */
  beganAt: number;
}

const NAME = 'uptime_oidc';
const SEALED = '[\\w.-]*';

/** Lax: the way back is the navigation of another site, which sends no Strict cookie. */
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

/** The value of the flow's cookie, whatever it is; `null` without one. */
export function flowCookie(request: Pick<Request, 'headers' | 'secure' | 'app'>): string | null {
  const cookies = request.headers.cookie ?? '';
  const secure = cookieValue(cookies, cookieName(NAME, request, true), SEALED);
  return secure !== null || cameByHttps(request)
    ? secure
    : cookieValue(cookies, cookieName(NAME, request, false), SEALED);
}

/** A flow is used once: the browser forgets it. */
export function clearFlowCookie(request: Request, response: Response): void {
  response.clearCookie(cookieName(NAME, request, true), { path: '/', secure: true });
  response.clearCookie(cookieName(NAME, request, false), { path: '/' });
}

/** The flow as text that only this installation makes. */
export function sealFlow(flow: Flow, secret: Buffer): string {
  const text = Buffer.from(JSON.stringify(flow)).toString('base64url');
  return `${text}.${macOf(text, secret).toString('base64url')}`;
}

/** `null` for what this installation has not sealed. */
export function openFlow(sealed: string, secret: Buffer): Flow | null {
  const [text = '', mac = ''] = sealed.split('.');
  const given = Buffer.from(mac, 'base64url');
  const right = macOf(text, secret);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Flow;
}

const macOf = (text: string, secret: Buffer): Buffer => createHmac('sha256', secret).update(text).digest();
