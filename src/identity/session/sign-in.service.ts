import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Authorship, authorshipOf, type Credential, originOf } from '../../audit/authorship';
import { clientAddress, networkOf } from '../../platform/access/client-network';
import { Config } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { parseId } from '../../platform/ids/id';
import { type FieldProblem, Problem, problems } from '../../platform/problem/problem';
import { ServerSecrets } from '../../platform/secrets/server-secrets';
import { ApiKeyService, type KeyHolder } from '../api-key/api-key.service';
import { OrganizationService } from '../organization/organization.service';
import { Passwords } from '../person/passwords.service';
import { normalizeEmail, type PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { RateLimits } from '../rate-limits';
import { requireOwnPage, sameOrigin } from '../same-origin';
import { BrowserSessions } from './browser-sessions.service';
import { PLAIN_SESSION_COOKIE, SECURE_SESSION_COOKIE, sessionCookie, setSessionCookie } from './session-cookie';
import {
  type CreatedSessionView,
  type CreateSessionDto,
  type MoveSessionDto,
  type SessionView,
  toSessionView,
} from './session.dto';
import { type Device, SessionService, type SignedIn, type SignIn } from './session.service';
import { SignInLinks } from './sign-in-links';

/** A sign-in with a known key or link of a key, valid or expired. */
interface KeyAttempt extends KeyHolder {
  via: 'api_key' | 'sign_in_link';
  /** The link was that of an invitation: the key gets its secret now. */
  isInvitation: boolean;
}

/** Networks of successful sign-ins that are kept of a person. */
const MOST_NETWORKS = 10;

/** Signs in and out of the dashboard: exchanges credentials for a session cookie, and ends the session. */
@Injectable()
export class SignInService {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyService,
    private readonly sessions: SessionService,
    private readonly browsers: BrowserSessions,
    private readonly links: SignInLinks,
    private readonly organizations: OrganizationService,
    private readonly people: PersonStore,
    private readonly passwords: Passwords,
    private readonly secrets: ServerSecrets,
    private readonly config: Config,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Sets the session cookie for a valid key, link token, or e-mail and password; 401 otherwise, with one text for every reason,
   * and 429 for an address with many wrong credentials and for a key that is used too often. A browser must come from our own
   * pages, so that no other site can sign its visitors in to an organization of its choice. A failed attempt with a known key,
   * link or e-mail is recorded in the audit log of its organization. The link of an invited key also gives it a secret, told
   * this once.
   */
  async signIn(credentials: CreateSessionDto, request: Request, response: Response): Promise<CreatedSessionView> {
    requireOwnOrigin(request, this.config);
    refuseMixed(credentials);
    if (credentials.email !== undefined)
      return this.withPassword(credentials.email, credentials.password ?? '', request, response);
    const link =
      credentials.sign_in_token === undefined ? null : await this.exchange(credentials.sign_in_token, request);
    if (link && link.personId !== null) return this.withLink(link.personId, link.isInTime, request, response);
    const attempt =
      credentials.api_key === undefined ? await this.ofLink(link) : await this.ofKey(credentials.api_key, request);
    if (!attempt || attempt.caller.keyId === null) throw this.limits.refusal(request);
    const { orgId, keyId } = attempt.caller;
    const author = authorshipOf(attempt.caller, attempt.via, originOf(request));
    if (!attempt.isValid) {
      await this.sessions.refuse({ orgId, keyId }, author);
      throw this.limits.refusal(request);
    }
    await this.closeOld(request);
    const key = attempt.isInvitation ? await this.keys.accept(keyId, author) : null;
    const token = await this.sessions.open({ orgId, keyId }, attempt.via, deviceOf(request), author);
    return { ...(await this.begun(token, request, response)), api_key: key };
  }

  /** Signs a person in whose credential was found right, in the organization where they were last. */
  async begin(person: PersonRow, via: SignIn, request: Request, response: Response): Promise<CreatedSessionView> {
    await this.closeOld(request);
    const orgId = await this.people.lastOrganization(this.database, person.id);
    const author = this.authorOf(person, via, request);
    const token = await this.sessions.open({ orgId, personId: person.id }, via, deviceOf(request), author);
    await this.database.query(
      `UPDATE person SET networks = (ARRAY[$2::bytea] || array_remove(networks, $2))[1:${MOST_NETWORKS}] WHERE id = $1`,
      [person.id, this.network(request)],
    );
    return { ...(await this.begun(token, request, response)), api_key: null };
  }

  /** Gives the browser the cookie of a session that began in a transaction of its own, and shows it. */
  async begun(token: string, request: Request, response: Response): Promise<SessionView> {
    this.sessions.remember(token);
    setSessionCookie(request, response, token);
    const held = await this.sessions.signedIn(token, () => undefined);
    if (!held) throw problems.unauthenticated();
    return this.show(held);
  }

  /**
   * Who the browser is signed in as; `undefined`, with status 204, without a session. Not 401: a page that asks before the
   * sign-in did nothing wrong.
   */
  async current(request: Request, response: Response): Promise<SessionView | undefined> {
    response.setHeader('Cache-Control', 'no-store');
    if (!this.config.auth) return this.withoutAuth(request);
    const presented = this.browsers.presentedBy(request);
    const held = presented && (await this.browsers.signedIn(presented, request));
    if (held) return this.show(held);
    // Nobody is told so, but many cookies that are no session make the address a doubtful one.
    if (presented) this.limits.refusal(request);
    response.status(204);
    return undefined;
  }

  /** The session goes over to another organization of its person. Throws `not_found` for any other, `conflict` for a key's session. */
  async move({ organization_id }: MoveSessionDto, request: Request): Promise<SessionView> {
    requireOwnOrigin(request, this.config);
    const presented = this.browsers.presentedBy(request);
    const held = presented && (await this.browsers.signedIn(presented, request));
    if (!held) throw this.limits.refusal(request);
    if (!held.person) throw problems.conflict('This session stands for a key, which belongs to one organization.');
    const orgId = parseId('organization', organization_id);
    const memberships = await this.people.membershipsOf(this.database, held.person.id);
    if (orgId === null || !memberships.some((one) => one.orgId === orgId)) throw problems.notFound();
    await this.sessions.moveTo(presented.token, orgId);
    const moved = await this.browsers.signedIn(presented, request);
    if (!moved) throw problems.unauthenticated();
    return toSessionView(moved, memberships, this.config);
  }

  /** Ends the session on the server and in the browser. */
  async signOut(request: Request, response: Response): Promise<void> {
    if (sessionCookie(request) !== null && !sameOrigin(request, this.config))
      throw new Problem('origin_not_allowed', 'Requests with the session cookie must come from the dashboard itself.');
    await this.closeOld(request);
    response.clearCookie(SECURE_SESSION_COOKIE, { path: '/', secure: true });
    response.clearCookie(PLAIN_SESSION_COOKIE, { path: '/' });
  }

  /** The author of what somebody does who is being signed in. */
  authorOf(person: Pick<PersonRow, 'id'>, via: Credential, request: Request): Authorship {
    return { via, keyId: null, keyName: null, personId: person.id, ...originOf(request) };
  }

  private async withPassword(
    typed: string,
    password: string,
    request: Request,
    response: Response,
  ): Promise<CreatedSessionView> {
    this.limits.admitLookUp(request);
    const email = normalizeEmail(typed);
    const person = await this.people.findByEmail(this.database, email);
    const isKnown = person !== null && (await this.isKnownNetwork(person.id, request));
    const { isRight, isOutdated } = await this.limits.guess(request, email, isKnown, () =>
      this.passwords.compare(password, person?.password ?? null),
    );
    if (!person || !isRight) {
      if (person) await this.refused(person, request);
      throw this.limits.refusal(request);
    }
    if (isOutdated) {
      const hash = await this.passwords.hash(password);
      await this.database.query('UPDATE person SET password = $2 WHERE id = $1 AND password = $3', [
        person.id,
        hash,
        person.password,
      ]);
    }
    return this.begin(person, 'password', request, response);
  }

  private async withLink(
    personId: string,
    isInTime: boolean,
    request: Request,
    response: Response,
  ): Promise<CreatedSessionView> {
    const person = await this.people.find(this.database, personId);
    if (!person || !isInTime) throw this.limits.refusal(request);
    return this.begin(person, 'sign_in_link', request, response);
  }

  private async refused(person: PersonRow, request: Request): Promise<void> {
    const orgId = await this.people.lastOrganization(this.database, person.id);
    await this.sessions.refuse({ orgId, personId: person.id }, this.authorOf(person, 'password', request));
  }

  private async isKnownNetwork(personId: string, request: Request): Promise<boolean> {
    const rows = await this.database.query('SELECT FROM person WHERE id = $1 AND $2 = ANY (networks)', [
      personId,
      this.network(request),
    ]);
    return rows.length > 0;
  }

  /** What is kept of where somebody signed in: it tells nobody the address. */
  private network(request: Request): Buffer {
    return createHmac('sha256', this.secrets.get('network'))
      .update(networkOf(clientAddress(request)))
      .digest();
  }

  private async show(held: SignedIn): Promise<SessionView> {
    const memberships = held.person ? await this.people.membershipsOf(this.database, held.person.id) : [];
    return toSessionView(held, memberships, this.config);
  }

  private async closeOld(request: Request): Promise<void> {
    const old = sessionCookie(request);
    if (old !== null) await this.sessions.close(old, originOf(request), this.admitting(request));
  }

  private admitting(request: Request): () => void {
    return () => this.limits.admitLookUp(request);
  }

  private async withoutAuth(request: Request): Promise<SessionView> {
    requireOwnPage(request, this.config);
    const caller = await this.organizations.defaultAdmin();
    if (!caller) throw problems.storageUnavailable();
    return toSessionView({ caller, person: null, expiresAt: null }, [], this.config);
  }

  /** Whose key it is, valid or expired; `null` for an unknown one. Throws `rate_limited`. */
  private async ofKey(key: string, request: Request): Promise<KeyAttempt | null> {
    const holder = await this.keys.holderOf(key, this.admitting(request));
    if (holder?.caller.keyId) this.limits.countSignIn(holder.caller.keyId);
    return holder && { ...holder, via: 'api_key', isInvitation: false };
  }

  /** A link that sets a password, or makes an account, is used by those routes only. */
  private async exchange(token: string, request: Request) {
    this.limits.admitLookUp(request);
    const found = await this.links.find(token);
    return found && found.purpose !== 'password' ? this.links.exchange(token) : null;
  }

  private async ofLink(
    link: { keyId: string | null; isInTime: boolean; isInvitation: boolean } | null,
  ): Promise<KeyAttempt | null> {
    const holder = link?.keyId ? await this.keys.holderOfKey(link.keyId) : null;
    if (!link || !holder) return null;
    const isValid = holder.isValid && link.isInTime;
    return { caller: holder.caller, isValid, via: 'sign_in_link', isInvitation: link.isInvitation };
  }
}

/** A browser must come from our own pages; other clients state nothing. Throws `origin_not_allowed`. */
export function requireOwnOrigin(request: Request, config: Pick<Config, 'publicUrl'>): void {
  if (request.headers.origin !== undefined && !sameOrigin(request, config))
    throw new Problem('origin_not_allowed', 'Sign in from the dashboard itself.');
}

export const deviceOf = (request: Request): Device => ({
  address: originOf(request).address,
  userAgent: request.headers['user-agent'] ?? null,
});

/** Exactly one way to sign in. Throws `validation_failed`. */
function refuseMixed({ api_key, sign_in_token, email, password }: CreateSessionDto): void {
  const problem = (pointer: string, code: FieldProblem['code'], message: string): FieldProblem => ({
    pointer,
    code,
    message,
  });
  if (email !== undefined && password === undefined)
    throw problems.validationFailed([problem('/password', 'required', 'password is sent with email')]);
  if (password !== undefined && email === undefined)
    throw problems.validationFailed([problem('/email', 'required', 'email is sent with password')]);
  if ([api_key, sign_in_token, email].filter((one) => one !== undefined).length > 1)
    throw problems.validationFailed([
      problem('', 'invalid_format', 'send one of api_key, sign_in_token, and email with password'),
    ]);
}
