import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Database } from '../../platform/database/database';
import { formatId } from '../../platform/ids/id';
import { failpoint } from '../../platform/observability/failpoints';
import { type FieldProblem, problems } from '../../platform/problem/problem';
import { isEmail } from '../person/email';
import { Passwords } from '../person/passwords.service';
import { normalizeEmail } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { RateLimits } from '../rate-limits';
import { BrowserSessions, requireOwnOrigin } from '../session/browser-sessions';
import { personAuthor } from '../session/person-sign-in';
import type { SessionView } from '../session/session.dto';
import type { SignedIn } from '../session/session.service';
import { type CreateAccountDto, type LinkView, type TokenDto } from './account.dto';
import { ownerOf } from './held';
import { Memberships } from './memberships';
import { type Token, Tokens } from './tokens';

const HAS_ACCOUNT =
  'You already have an account with this email and password. Sign in, then open the link again to join.';

/** Lets people join with the token of a start link or an invitation. */
@Injectable()
export class JoinService {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly memberships: Memberships,
    private readonly tokens: Tokens,
    private readonly passwords: Passwords,
    private readonly browsers: BrowserSessions,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Describes a token without using it. Reveals that an account with the email exists only to a browser that is signed
   * in to that account. Throws `unauthenticated`, counted as a wrong credential.
   */
  async describe({ token }: TokenDto, request: Request): Promise<LinkView> {
    const { kind, organization, role, email, invitedBy, expiresAt } = await this.tokens.find(token, request);
    return {
      kind,
      organization: organization && { id: formatId('organization', organization.id), name: organization.name },
      role,
      email,
      has_account: email !== null && (await this.browsers.emailOf(request)) === email,
      invited_by: invitedBy,
      expires_at: expiresAt.toISOString(),
    };
  }

  /**
   * Accepts a start link or an invitation: creates the account, joins the organization, signs in, and uses up the
   * token, all or nothing. An email proves nothing, so another account may have the same email. Throws
   * `unauthenticated` for a token of another kind. Throws `conflict` if an account with this email and password exists,
   * or if another request has created the first account.
   */
  async create(dto: CreateAccountDto, request: Request, response: Response): Promise<SessionView> {
    requireOwnOrigin(request);
    const token = await this.tokens.find(dto.token, request, ['first_account', 'invitation']);
    const place = placeOf(token);
    const email = token.email ?? normalizeEmail(dto.email ?? '');
    const name = dto.name.trim();
    const wrong = [...emailFindings(token, dto.email), ...this.passwords.findingsIn(dto.password, { email, name })];
    if (wrong.length > 0) throw problems.validationFailed(wrong);
    const password = await this.newPassword(email, dto.password, request);
    const isFirst = token.kind === 'first_account';
    const via = isFirst ? ('sign_in_link' as const) : ('invitation' as const);
    const session = await this.database.transaction(async (tx) => {
      if (isFirst) await this.people.beFirst(tx);
      await this.tokens.use(tx, dto.token, token, request);
      await failpoint('account.token_used');
      await this.people.replaceForgotten(tx, email, place.orgId);
      const person = await this.people.insert(tx, {
        name,
        email,
        password,
        isOperator: token.isOperator,
        isVerified: false,
        madeByOrgId: place.orgId,
      });
      if (!person) throw problems.conflict(HAS_ACCOUNT);
      const author = personAuthor(person, via, request);
      await this.memberships.join(tx, person.id, place, author);
      await failpoint('account.joined');
      const opened = await this.browsers.openIn(tx, { orgId: place.orgId, personId: person.id }, via, author, request);
      await failpoint('account.signed_in');
      return opened;
    });
    await failpoint('account.committed');
    return this.browsers.begun(session, request, response);
  }

  /**
   * Joins the signed-in person to an organization by invitation and switches the session to it. Throws
   * `unauthenticated`, and `conflict` if the person is already a member.
   */
  async join(held: SignedIn, dto: TokenDto, request: Request): Promise<SessionView> {
    const person = ownerOf(held);
    const token = await this.tokens.find(dto.token, request, ['invitation']);
    const place = placeOf(token);
    const author = personAuthor(person, 'invitation', request);
    await this.database.transaction(async (tx) => {
      await this.tokens.use(tx, dto.token, token, request);
      await failpoint('account.token_used');
      if (!(await this.memberships.join(tx, person.id, place, author)))
        throw problems.conflict('You are already a member of this organization.');
      if (token.isOperator) await this.people.setOperator(tx, person.id, true);
      await failpoint('account.joined');
    });
    await failpoint('account.committed');
    return this.browsers.move({ orgId: place.orgId, personId: person.id }, author, request);
  }

  /**
   * Returns the hash of a new account's password. If an account has the same email and password, it belongs to the same
   * person, who should sign in instead. The error reveals that, so each attempt counts as a password guess.
   */
  private async newPassword(email: string, typed: string, request: Request): Promise<string> {
    const password = await this.passwords.hash(typed, await this.people.saltOf(this.database, email));
    const { isRight } = await this.limits.guess(request, email, false, async () => ({
      isRight: await this.people.isSame(this.database, email, password),
    }));
    if (isRight) throw problems.conflict(HAS_ACCOUNT);
    return password;
  }
}

function placeOf({ organization, role }: Token) {
  if (!organization || !role) throw new Error('the token belongs to no organization');
  return { orgId: organization.id, role, source: 'invited' as const };
}

function emailFindings({ email }: Token, sent: string | undefined): FieldProblem[] {
  const pointer = '/email';
  if (email !== null)
    return sent === undefined || normalizeEmail(sent) === email
      ? []
      : [{ pointer, code: 'immutable', message: 'email must be the email of the invitation, or be left out' }];
  if (sent === undefined) return [{ pointer, code: 'required', message: 'email is required: you sign in with it' }];
  return isEmail(normalizeEmail(sent))
    ? []
    : [{ pointer, code: 'invalid_format', message: 'email must be an address such as ada@example.com' }];
}
