import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { authorshipOf, originOf } from '../../audit/authorship';
import { ApiKeyService, type KeyHolder } from '../api-key/api-key.service';
import { OrganizationService } from '../organization/organization.service';
import { RateLimits } from '../rate-limits';
import { requireOwnPage, cameByHttps, sameOrigin } from '../same-origin';
import { PLAIN_SESSION_COOKIE, SECURE_SESSION_COOKIE, sessionCookie } from './session-cookie';
import { Config } from '../../platform/config/config';
import { Problem, problems } from '../../platform/problem/problem';
import { type CreatedSessionView, type CreateSessionDto, type SessionView, toSessionView } from './session.dto';
import { SessionService } from './session.service';
import { SignInLinks } from './sign-in-links';

/** A sign-in with a known key or link, valid or expired. */
interface Attempt extends KeyHolder {
  via: 'api_key' | 'sign_in_link';
  /** The link was that of an invitation: the key gets its secret now. */
  isInvitation: boolean;
}

/** Signs in and out of the dashboard: exchanges credentials for a session cookie, and ends the session. */
@Injectable()
export class SignInService {
  constructor(
    private readonly keys: ApiKeyService,
    private readonly sessions: SessionService,
    private readonly links: SignInLinks,
    private readonly organizations: OrganizationService,
    private readonly config: Config,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Sets the session cookie for a valid key or link token; 401 otherwise, with one text for every reason, and 429 for an
   * address with many wrong credentials and for a key that is used too often. A browser must come from our own pages, so
   * that no other site can sign its visitors in to an organization of its choice. A failed attempt with a known key or link
   * is recorded in the audit log of its organization. The link of an invitation also gives its key a secret, told this once.
   */
  async signIn(credentials: CreateSessionDto, request: Request, response: Response): Promise<CreatedSessionView> {
    if (request.headers.origin !== undefined && !sameOrigin(request)) {
      throw new Problem('origin_not_allowed', 'Sign in from the dashboard itself.');
    }
    const attempt = await this.recognize(credentials, request);
    if (!attempt || attempt.caller.keyId === null) throw this.limits.refusal(request);
    const { orgId, keyId } = attempt.caller;
    const origin = originOf(request);
    const author = authorshipOf(attempt.caller, attempt.via, origin);
    if (!attempt.isValid) {
      await this.sessions.refuse(orgId, keyId, author);
      throw this.limits.refusal(request);
    }
    const old = sessionCookie(request);
    if (old !== null) await this.sessions.close(old, origin, this.admitting(request));
    const key = attempt.isInvitation ? await this.keys.accept(keyId, author) : null;
    setCookie(request, response, await this.sessions.open(orgId, keyId, author));
    response.setHeader('Location', '/auth/session');
    response.setHeader('Cache-Control', 'no-store');
    return { ...toSessionView(attempt.caller, this.config), api_key: key };
  }

  /**
   * Who the browser is signed in as; `undefined`, with status 204, without a session. Not 401: a page that asks before the
   * sign-in did nothing wrong.
   */
  async current(request: Request, response: Response): Promise<SessionView | undefined> {
    const cookie = sessionCookie(request);
    response.setHeader('Cache-Control', 'no-store');
    if (!this.config.auth) return this.withoutAuth(request);
    const caller = cookie === null ? null : await this.sessions.authenticate(cookie, this.admitting(request));
    if (caller) return toSessionView(caller, this.config);
    // Nobody is told so, but many cookies that are no session make the address a doubtful one.
    if (cookie !== null) this.limits.refusal(request);
    response.status(204);
    return undefined;
  }

  /** Ends the session on the server and in the browser. */
  async signOut(request: Request, response: Response): Promise<void> {
    const cookie = sessionCookie(request);
    if (cookie !== null) await this.sessions.close(cookie, originOf(request), this.admitting(request));
    response.clearCookie(SECURE_SESSION_COOKIE, { path: '/', secure: true });
    response.clearCookie(PLAIN_SESSION_COOKIE, { path: '/' });
  }

  private admitting(request: Request): () => void {
    return () => this.limits.admitLookUp(request);
  }

  private async withoutAuth(request: Request): Promise<SessionView> {
    requireOwnPage(request, this.config);
    const caller = await this.organizations.defaultAdmin();
    if (!caller) throw problems.storageUnavailable();
    return toSessionView(caller, this.config);
  }

  /** Whose key or link it is, valid or expired; `null` for an unknown one. Throws `rate_limited` for a key. */
  private async recognize({ api_key, sign_in_token }: CreateSessionDto, request: Request): Promise<Attempt | null> {
    if (api_key !== undefined) {
      const holder = await this.keys.holderOf(api_key, this.admitting(request));
      if (holder?.caller.keyId) this.limits.countSignIn(holder.caller.keyId);
      return holder && { ...holder, via: 'api_key', isInvitation: false };
    }
    this.limits.admitLookUp(request);
    const link = sign_in_token === undefined ? null : await this.links.exchange(sign_in_token);
    const holder = link && (await this.keys.holderOfKey(link.keyId));
    if (!link || !holder) return null;
    const isValid = holder.isValid && link.isInTime;
    return { caller: holder.caller, isValid, via: 'sign_in_link', isInvitation: link.isInvitation };
  }
}

function setCookie(request: Request, response: Response, token: string): void {
  const secure = cameByHttps(request);
  response.cookie(secure ? SECURE_SESSION_COOKIE : PLAIN_SESSION_COOKIE, token, {
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure,
  });
}
