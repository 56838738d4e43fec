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

/** The session that a browser has: begun, shown, ended, and its cookie. Who may begin one, the sign-ins decide. */
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

  /** What the page of signing in offers. */
  async methods(): Promise<SignInMethodsView> {
    const { auth, passwords, oidcIssuer, oidcName, publicUrl } = this.config;
    return {
      password: auth && passwords,
      api_key: true,
      single_sign_on: oidcIssuer === null ? null : { name: oidcName },
      needs_account: auth && !(await this.people.isAnybodyThere(this.database)),
      secure_url: publicUrl?.startsWith('https:') ? publicUrl : null,
    };
  }

  /** Begins a session in place of the one that the browser had. */
  async open(
    of: SessionOf,
    via: SignIn,
    author: Authorship,
    request: Request,
    response: Response,
  ): Promise<SessionView> {
    await this.requests.close(request);
    const token = await this.sessions.open(of, via, deviceOf(request), author);
    // The provider sends the browser to PUBLIC_URL, and a navigation states no origin.
    const isAtHome = via === 'single_sign_on' && this.config.publicUrl?.startsWith('https:') === true;
    return this.begun(token, request, response, isAtHome || cameByHttps(request));
  }

  /** As `open`, in the transaction of what else is done, without an end of the old one; `begun` once it has committed. Returns the token. */
  openIn(tx: Tx, of: SessionOf, via: SignIn, author: Authorship, request: Request): Promise<string> {
    return this.sessions.openIn(tx, of, via, deviceOf(request), author);
  }

  /** Gives the browser the cookie of a session that began in a transaction of its own, and shows it. */
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

  /** Records in the audit log that a sign-in was refused. */
  refuse(of: SessionOf, author: Authorship): Promise<void> {
    return this.sessions.refuse(of, author);
  }

  /**
   * Who the browser is signed in as; `undefined`, with status 204, without a session. Not 401: a page that asks before the
   * sign-in did nothing wrong.
   */
  async current(request: Request, response: Response): Promise<SessionView | undefined> {
    if (!this.config.auth) return this.withoutAuth(request);
    const held = await this.requests.asked(request);
    if (held) return this.show(held);
    response.status(204);
    return undefined;
  }

  /** The session of a person goes over to another organization that is theirs (uuids). */
  async move(of: { orgId: string; personId: string }, author: Authorship, request: Request): Promise<SessionView> {
    await this.sessions.moveTo(this.requests.presentedBy(request)?.token ?? '', of, author);
    const moved = await this.held(request);
    if (!moved) throw problems.unauthenticated();
    return this.show(moved);
  }

  /** Refuses a change by a session from another page, as the guard does on routes with an access. Throws `origin_not_allowed`. */
  requireOwnPage(request: Request): void {
    if (this.requests.presentedBy(request) !== null && !sameOrigin(request)) throw problemOfOrigin();
  }

  /** Ends the session on the server and in the browser. */
  async signOut(request: Request, response: Response): Promise<void> {
    if (sessionCookie(request) !== null && !sameOrigin(request)) throw problemOfOrigin();
    await this.requests.close(request);
    clearSessionCookie(request, response);
  }

  /** Who is behind the browser; `null` without a session. Throws `rate_limited`. */
  async held(request: Request): Promise<SignedIn | null> {
    const presented = this.requests.presentedBy(request);
    return presented && this.requests.signedIn(presented, request);
  }

  /** Returns the email of the account that the browser is signed in with. */
  async emailOf(request: Request): Promise<string | null> {
    try {
      return (await this.held(request))?.person?.email ?? null;
    } catch (error) {
      // The proxy names a user without an account.
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

/** A browser must come from our own pages; other clients state nothing. Throws `origin_not_allowed`. */
export function requireOwnOrigin(request: Request): void {
  if (request.headers.origin !== undefined && !sameOrigin(request))
    throw new Problem('origin_not_allowed', 'Sign in from the dashboard itself.');
}

/** What is kept of where a session begins. */
export const deviceOf = (request: Request): Device => ({
  address: originOf(request).address,
  network: ownNetworkOf(request),
  userAgent: request.headers['user-agent'] ?? null,
});
