import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { authorshipOf, originOf } from '../../audit/authorship';
import { ApiKeyService, type KeyHolder } from '../api-key/api-key.service';
import { OrganizationService } from '../organization/organization.service';
import { RateLimits } from '../rate-limits';
import { sameOrigin } from '../same-origin';
import { PLAIN_SESSION_COOKIE, SECURE_SESSION_COOKIE, sessionCookie } from './session-cookie';
import { Config } from '../../platform/config/config';
import { Problem, problems } from '../../platform/problem/problem';
import { type CreateSessionDto, type SessionView, toSessionView } from './session.dto';
import { SessionService } from './session.service';
import { SignInLinks } from './sign-in-links';

/** A sign-in with a known key or link, valid or expired. */
interface Attempt extends KeyHolder {
  via: 'api_key' | 'sign_in_link';
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
   * is recorded in the audit log of its organization.
   */
  async signIn(credentials: CreateSessionDto, request: Request, response: Response): Promise<SessionView> {
    if (request.headers.origin !== undefined && !sameOrigin(request)) {
      throw new Problem('origin_not_allowed', 'Sign in from the dashboard itself.');
    }
    const attempt = await this.recognize(credentials);
    if (!attempt || attempt.caller.keyId === null) throw this.limits.refusal(request.socket.remoteAddress);
    const { orgId, keyId } = attempt.caller;
    const origin = originOf(request);
    const author = authorshipOf(attempt.caller, attempt.via, origin);
    if (!attempt.isValid) {
      await this.sessions.refuse(orgId, keyId, author);
      throw this.limits.refusal(request.socket.remoteAddress);
    }
    const old = sessionCookie(request);
    if (old !== null) await this.sessions.close(old, origin);
    setCookie(request, response, await this.sessions.open(orgId, keyId, author));
    response.setHeader('Location', '/auth/session');
    response.setHeader('Cache-Control', 'no-store');
    return toSessionView(attempt.caller);
  }

  /**
   * Who the browser is signed in as; `undefined`, with status 204, without a session. Not 401: a page that asks before the
   * sign-in did nothing wrong.
   */
  async current(request: Request, response: Response): Promise<SessionView | undefined> {
    const cookie = sessionCookie(request);
    response.setHeader('Cache-Control', 'no-store');
    if (!this.config.auth) return this.withoutAuth();
    const caller = cookie === null ? null : await this.sessions.authenticate(cookie);
    if (caller) return toSessionView(caller);
    response.status(204);
    return undefined;
  }

  /** Ends the session on the server and in the browser. */
  async signOut(request: Request, response: Response): Promise<void> {
    const cookie = sessionCookie(request);
    if (cookie !== null) await this.sessions.close(cookie, originOf(request));
    response.clearCookie(SECURE_SESSION_COOKIE, { path: '/', secure: true });
    response.clearCookie(PLAIN_SESSION_COOKIE, { path: '/' });
  }

  private async withoutAuth(): Promise<SessionView> {
    const caller = await this.organizations.defaultAdmin();
    if (!caller) throw problems.storageUnavailable();
    return toSessionView(caller);
  }

  /** Whose key or link it is, valid or expired; `null` for an unknown one. Throws `rate_limited` for a key. */
  private async recognize({ api_key, sign_in_token }: CreateSessionDto): Promise<Attempt | null> {
    if (api_key !== undefined) {
      const holder = await this.keys.holderOf(api_key);
      if (holder?.caller.keyId) this.limits.countSignIn(holder.caller.keyId);
      return holder && { ...holder, via: 'api_key' };
    }
    const link = sign_in_token === undefined ? null : await this.links.exchange(sign_in_token);
    const holder = link && (await this.keys.holderOfKey(link.keyId));
    return holder && { caller: holder.caller, isValid: holder.isValid && link.isInTime, via: 'sign_in_link' };
  }
}

/** The browser's `Origin` says whether the page came by https: a proxy in between may terminate TLS. */
function setCookie(request: Request, response: Response, token: string): void {
  const secure = request.secure || (request.headers.origin?.startsWith('https://') ?? false);
  response.cookie(secure ? SECURE_SESSION_COOKIE : PLAIN_SESSION_COOKIE, token, {
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure,
  });
}
