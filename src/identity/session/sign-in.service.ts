import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { authorshipOf, originOf } from '../../audit/authorship';
import { type FieldProblem, problems } from '../../platform/problem/problem';
import { ApiKeyService, type KeyHolder } from '../api-key/api-key.service';
import { IdentityMetrics } from '../identity.metrics';
import type { SignIn } from '../person/sign-ins';
import { RateLimits } from '../rate-limits';
import { lookUpOf } from '../api-key/api-key-secret';
import { BrowserSessions, requireOwnOrigin } from './browser-sessions';
import { PersonSignIn } from './person-sign-in';
import type { CreatedSessionView, CreateSessionDto } from './session.dto';
import { type SignInLink, SignInLinks } from './sign-in-links';

/** A sign-in attempt with a known key or a key's link, valid or expired. */
interface KeyAttempt extends KeyHolder {
  via: 'api_key' | 'sign_in_link';
  /** Whether the link was an invitation. If so, its key now gets a secret. */
  isInvitation: boolean;
}

/** Signs in to the dashboard by exchanging credentials for a session cookie. */
@Injectable()
export class SignInService {
  constructor(
    private readonly keys: ApiKeyService,
    private readonly links: SignInLinks,
    private readonly browsers: BrowserSessions,
    private readonly people: PersonSignIn,
    private readonly limits: RateLimits,
    private readonly metrics: IdentityMetrics,
  ) {}

  /**
   * Sets the session cookie for a valid key, link token, or email and password. Otherwise returns 401, with the same
   * message for every reason. Returns 429 for an address with many wrong credentials, and for a key that is used too
   * often. Requests from browsers must come from the service's own pages, so that no other site can sign its visitors
   * in to an organization of its choice. A failed attempt with a known key, link, or email is recorded in that
   * organization's audit log. The link for an invited key also returns a secret for the key, only once.
   */
  signIn(credentials: CreateSessionDto, request: Request, response: Response): Promise<CreatedSessionView> {
    return this.metrics.countFailure(viaOf(credentials), () => this.exchanged(credentials, request, response));
  }

  private async exchanged(
    credentials: CreateSessionDto,
    request: Request,
    response: Response,
  ): Promise<CreatedSessionView> {
    requireOwnOrigin(request);
    refuseMixed(credentials);
    const { api_key, sign_in_token, email, password = '', second_factor: secondFactor } = credentials;
    if (email !== undefined)
      return ofPerson(await this.people.withPassword({ email, password, secondFactor }, request, response));
    if (api_key !== undefined) return this.withKey(await this.ofKey(api_key, request), request, response);
    return this.withToken(sign_in_token, secondFactor, request, response);
  }

  /** Requires the person's second factor before the link is used up. */
  private async withToken(
    token: string | undefined,
    secondFactor: string | undefined,
    request: Request,
    response: Response,
  ): Promise<CreatedSessionView> {
    const found = token === undefined ? null : await this.find(token, request);
    const personId = found?.isInTime ? found.personId : null;
    const hasSecondFactor = personId !== null && (await this.people.proveByLink(personId, secondFactor, request));
    const link = found && token !== undefined ? await this.links.exchange(token) : null;
    if (link && link.personId !== null)
      return ofPerson(
        await this.people.withLink({ ...link, personId: link.personId, hasSecondFactor }, request, response),
      );
    return this.withKey(await this.ofLink(link), request, response);
  }

  private async withKey(attempt: KeyAttempt | null, request: Request, response: Response): Promise<CreatedSessionView> {
    if (!attempt || attempt.caller.keyId === null) throw this.limits.refusal(request);
    const { orgId, keyId } = attempt.caller;
    const author = authorshipOf(attempt.caller, attempt.via, originOf(request));
    if (!attempt.isValid) {
      await this.browsers.refuse({ orgId, keyId }, author);
      throw this.limits.refusal(request);
    }
    const key = attempt.isInvitation ? await this.keys.accept(keyId, author) : null;
    return { ...(await this.browsers.open({ orgId, keyId }, attempt.via, author, request, response)), api_key: key };
  }

  /** Returns the key's holder, valid or expired, or `null` for an unknown key. Throws `rate_limited`. */
  private async ofKey(key: string, request: Request): Promise<KeyAttempt | null> {
    const holder = await this.keys.holderOf(key, () => this.limits.admitLookUp(request, lookUpOf(key)));
    if (holder?.caller.keyId) this.limits.countSignIn(holder.caller.keyId);
    return holder && { ...holder, via: 'api_key', isInvitation: false };
  }

  /** Ignores links that set a password, which are only valid on their dedicated route. */
  private async find(token: string, request: Request): Promise<SignInLink | null> {
    this.limits.admitLookUp(request, 'other');
    const found = await this.links.find(token);
    return found && found.purpose !== 'password' ? found : null;
  }

  private async ofLink(link: SignInLink | null): Promise<KeyAttempt | null> {
    const holder = link?.keyId ? await this.keys.holderOfKey(link.keyId) : null;
    if (!link || !holder) return null;
    const isValid = holder.isValid && link.isInTime;
    return { caller: holder.caller, isValid, via: 'sign_in_link', isInvitation: link.isInvitation };
  }
}

const ofPerson = (session: Omit<CreatedSessionView, 'api_key'>): CreatedSessionView => ({ ...session, api_key: null });

const viaOf = ({ email, sign_in_token }: CreateSessionDto): SignIn =>
  email !== undefined ? 'password' : sign_in_token !== undefined ? 'sign_in_link' : 'api_key';

/** Requires exactly one way to sign in. Throws `validation_failed`. */
function refuseMixed({ api_key, sign_in_token, email, password, second_factor }: CreateSessionDto): void {
  const problem = (pointer: string, code: FieldProblem['code'], message: string): FieldProblem => ({
    pointer,
    code,
    message,
  });
  if (email !== undefined && password === undefined)
    throw problems.validationFailed([problem('/password', 'required', 'password is required with email')]);
  if (password !== undefined && email === undefined)
    throw problems.validationFailed([problem('/email', 'required', 'email is required with password')]);
  if (second_factor !== undefined && api_key !== undefined)
    throw problems.validationFailed([problem('/second_factor', 'invalid_format', 'a key has no second factor')]);
  if ([api_key, sign_in_token, email].filter((one) => one !== undefined).length > 1)
    throw problems.validationFailed([
      problem('', 'invalid_format', 'send exactly one of api_key, sign_in_token, and email with password'),
    ]);
}
