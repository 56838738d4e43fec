import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { MINUTE_MS } from '../../platform/time/time-units';
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
  /** Whose account gets the identity, and the session that asked for it (uuids). */
  connect: { personId: string; sessionId: string } | null;
  /** Milliseconds since 1970. */
  beganAt: number;
}

/** As the session's: over https the prefix keeps others from setting it, and over plain http browsers reject it. */
const SECURE = '__Host-uptime_oidc';
const PLAIN = 'uptime_oidc';

/** Lax: the way back is the navigation of another site, which sends no Strict cookie. */
export function setFlowCookie(request: Request, response: Response, flow: Flow, secret: Buffer): void {
  const secure = cameByHttps(request);
  const value = sealFlow(flow, secret);
  response.cookie(secure ? SECURE : PLAIN, value, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure,
    maxAge: FLOW_MS,
  });
}

/** The value of the flow's cookie, whatever it is; `null` without one. */
export function flowCookie(request: Pick<Request, 'headers' | 'secure'>): string | null {
  const cookies = request.headers.cookie ?? '';
  const secure = valueOf(cookies, SECURE);
  return secure !== null || cameByHttps(request) ? secure : valueOf(cookies, PLAIN);
}

/** A flow is used once: the browser forgets it. */
export function clearFlowCookie(response: Response): void {
  response.clearCookie(SECURE, { path: '/', secure: true });
  response.clearCookie(PLAIN, { path: '/' });
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

const valueOf = (cookies: string, name: string): string | null =>
  new RegExp(`(?:^|;\\s*)${name}=([\\w.-]*)(?:;|$)`).exec(cookies)?.[1] ?? null;
