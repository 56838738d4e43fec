import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Authorship, originOf } from '../../audit/authorship';
import { Config } from '../../platform/config/config';
import { Database, type Tx } from '../../platform/database/database';
import { Problem, problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { OrganizationService } from '../organization/organization.service';
import { PersonStore } from '../person/person-store';
import type { SignIn } from '../person/sign-ins';
import { ownNetworkOf } from '../rate-limits';
import { cameByHttps, problemOfOrigin, requireOwnPage, sameOrigin } from '../same-origin';
import { clearSessionCookie, sessionCookie, setSessionCookie } from './session-cookie';
import { type SessionView, type SignInMethodsView, toSessionView } from './session.dto';
import { RequestSessions } from './request-sessions';
import { type Device, type SessionOf, SessionService, type SignedIn } from './session.service';

/** Opens, returns, and ends a browser's session, and sets its cookie. The sign-in services decide who may open one. */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionService,
    private readonly people: PersonStore,
    private readonly organizations: OrganizationService,
    private readonly config: Config,
    private readonly requests: RequestSessions,
    private readonly clock: Clock,
  ) {}

  async methods(): Promise<SignInMethodsView> {
    const { auth, passwordLogin, oidcIssuer, oidcName, publicUrl } = this.config;
    return {
      password: auth && passwordLogin,
      api_key: true,
      single_sign_on: oidcIssuer === null ? null : { name: oidcName },
      needs_account: auth && !(await this.people.isAnybodyThere(this.database)),
      secure_url: publicUrl?.startsWith('https:') ? publicUrl : null,
    };
  }

  /** Opens a session and replaces the browser's previous one. */
  async open(
    of: SessionOf,
    via: SignIn,
    author: Authorship,
    request: Request,
    response: Response,
  ): Promise<SessionView> {
    await this.requests.close(request);
    const token = await this.sessions.open(of, via, deviceOf(request), author);
    // The provider redirects the browser to PUBLIC_URL, and a navigation sends no origin.
    const isAtHome = via === 'single_sign_on' && this.config.publicUrl?.startsWith('https:') === true;
    return this.begun(token, request, response, isAtHome || cameByHttps(request));
  }

  /**
   * Opens a session in the caller's transaction without ending the previous one. Returns the token. Call `begun` after
   * the commit.
   */
  openIn(tx: Tx, of: SessionOf, via: SignIn, author: Authorship, request: Request): Promise<string> {
    return this.sessions.openIn(tx, of, via, deviceOf(request), author);
  }

  /** Sets the browser's cookie for a session that was opened in a separate transaction, and returns the session. */
  async begun(
    token: string,
    request: Request,
    response: Response,
    isSecure = cameByHttps(request),
  ): Promise<SessionView> {
    this.sessions.remember(token);
    setSessionCookie(request, response, token, isSecure);
    const held = await this.sessions.signedIn(token, () => undefined);
    if (!held) throw problems.unauthenticated();
    return this.show(held);
  }

  refuse(of: SessionOf, author: Authorship): Promise<void> {
    return this.sessions.refuse(of, author);
  }

  /**
   * Returns the browser's session. If there is none, returns `undefined` and sets status 204. This isn't a 401, because
   * a page that checks before sign-in did nothing wrong.
   */
  async current(request: Request, response: Response): Promise<SessionView | undefined> {
    if (!this.config.auth) return this.withoutAuth(request);
    const held = await this.requests.asked(request);
    if (held) return this.show(held);
    response.status(204);
    return undefined;
  }

  /** Switches a person's session to another of their organizations (UUIDs). */
  async move(of: { orgId: string; personId: string }, author: Authorship, request: Request): Promise<SessionView> {
    await this.sessions.moveTo(this.requests.presentedBy(request)?.token ?? '', of, author);
    const moved = await this.held(request);
    if (!moved) throw problems.unauthenticated();
    return this.show(moved);
  }

  /**
   * Rejects a change by a session if it comes from another site's page, like the guard does on protected routes. Throws
   * `origin_not_allowed`.
   */
  requireOwnPage(request: Request): void {
    if (this.requests.presentedBy(request) !== null && !sameOrigin(request)) throw problemOfOrigin();
  }

  /** Ends the session on the server and in the browser. */
  async signOut(request: Request, response: Response): Promise<void> {
    if (sessionCookie(request) !== null && !sameOrigin(request)) throw problemOfOrigin();
    await this.requests.close(request);
    clearSessionCookie(request, response);
  }

  /** Returns the browser's session, or `null` if it has none. Throws `rate_limited`. */
  async held(request: Request): Promise<SignedIn | null> {
    const presented = this.requests.presentedBy(request);
    return presented && this.requests.signedIn(presented, request);
  }

  /** Returns the email of the account to which the browser is signed in. */
  async emailOf(request: Request): Promise<string | null> {
    try {
      return (await this.held(request))?.person?.email ?? null;
    } catch (error) {
      // The proxy's user has no account.
      if (error instanceof Problem && error.code === 'unauthenticated') return null;
      throw error;
    }
  }

  private async show(held: SignedIn): Promise<SessionView> {
    const memberships = held.person ? await this.people.membershipsOf(this.database, held.person.id) : [];
    return toSessionView(held, memberships, this.config, this.clock.now());
  }

  private async withoutAuth(request: Request): Promise<SessionView> {
    requireOwnPage(request, this.config);
    const caller = await this.organizations.defaultAdmin();
    if (!caller) throw problems.storageUnavailable();
    const nobody = { caller, person: null, via: null, hasSecondFactor: false, expiresAt: null };
    return toSessionView(nobody, [], this.config, this.clock.now());
  }
}

/**
 * Requires requests from browsers to come from the service's own pages. Other clients send no origin. Throws
 * `origin_not_allowed`.
 */
export function requireOwnOrigin(request: Request): void {
  if (request.headers.origin !== undefined && !sameOrigin(request))
    throw new Problem('origin_not_allowed', 'Sign in from the dashboard itself.');
}

/** Returns the information that is stored about the device that opens a session. */
export const deviceOf = (request: Request): Device => ({
  address: originOf(request).address,
  network: ownNetworkOf(request),
  userAgent: request.headers['user-agent'] ?? null,
});
