import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { recordChange } from '../../audit/audit-log';
import type { Role } from '../../platform/access/caller';
import { Config } from '../../platform/config/config';
import { Database, type Tx } from '../../platform/database/database';
import { formatId } from '../../platform/ids/id';
import { type FieldProblem, problems } from '../../platform/problem/problem';
import { failpoint } from '../../platform/observability/failpoints';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS } from '../../platform/time/time-units';
import { Quotas } from '../quota/quotas.service';
import { RateLimits } from '../rate-limits';
import type { SessionView } from '../session/session.dto';
import { SessionService, type SignedIn } from '../session/session.service';
import { deviceOf, requireOwnOrigin, SignInService } from '../session/sign-in.service';
import {
  type AccountView,
  type CreateAccountDto,
  type IdentityRow,
  type LinkView,
  type SetPasswordDto,
  type SignInMethodsView,
  toAccountView,
  type TokenDto,
  type UpdateAccountDto,
} from './account.dto';
import { isEmail } from './email';
import { LAST_ADMIN } from './last-admin';
import { Passwords } from './passwords.service';
import { normalizeEmail, type PersonRow } from './person-row';
import { PersonStore } from './person-store';
import { type Token, Tokens } from './tokens';

/** What may be done without the old password, or at all, only soon after a sign-in. */
const FRESH_MS = 10 * MINUTE_MS;
const HAS_ACCOUNT = 'This e-mail has an account: sign in, then open the link again to join.';

/** A person's own account: made from a token, changed, erased. */
@Injectable()
export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly tokens: Tokens,
    private readonly passwords: Passwords,
    private readonly sessions: SessionService,
    private readonly signIns: SignInService,
    private readonly quotas: Quotas,
    private readonly limits: RateLimits,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async methods(): Promise<SignInMethodsView> {
    const needsAccount = this.config.auth && !(await this.people.isAnybodyThere(this.database));
    return { password: this.config.auth, api_key: true, single_sign_on: null, needs_account: needsAccount };
  }

  /** What a token is for, without using it. Throws `unauthenticated`, counted as a wrong credential. */
  async describe({ token }: TokenDto, request: Request): Promise<LinkView> {
    const found = await this.look(token, request);
    const holder = found.email === null ? null : await this.people.findByEmail(this.database, found.email);
    return {
      kind: found.kind,
      organization: found.organization && {
        id: formatId('organization', found.organization.id),
        name: found.organization.name,
      },
      role: found.role,
      email: found.email,
      has_account: holder !== null,
      invited_by: found.invitedBy,
      expires_at: found.expiresAt.toISOString(),
    };
  }

  /**
   * Makes the account of a link of the start or of an invitation, joins, signs in and uses the token up, all or nothing.
   * Throws `unauthenticated` for a token that makes no account, `conflict` when the e-mail has one, or another request made the
   * first account meanwhile.
   */
  async create(dto: CreateAccountDto, request: Request, response: Response): Promise<SessionView> {
    requireOwnOrigin(request, this.config);
    const token = await this.look(dto.token, request);
    const { organization, role } = token;
    if ((token.kind !== 'first_account' && token.kind !== 'invitation') || !organization || !role)
      throw this.limits.refusal(request);
    const email = token.email ?? normalizeEmail(dto.email ?? '');
    const name = dto.name.trim();
    const wrong = [...emailFindings(token, dto.email), ...this.passwords.findingsIn(dto.password, { email, name })];
    if (wrong.length > 0) throw problems.validationFailed(wrong);
    const password = await this.passwords.hash(dto.password);
    const isFirst = token.kind === 'first_account';
    const via = isFirst ? ('sign_in_link' as const) : ('invitation' as const);
    const session = await this.database.transaction(async (tx) => {
      if (isFirst) await this.beFirst(tx);
      if (!(await this.tokens.use(tx, dto.token, token))) throw this.limits.refusal(request);
      await failpoint('account.token_used');
      // The invitation that is used up made room for its person.
      await this.quotas.claim(tx, organization.id, { people: 1 });
      const person = await this.people.insert(tx, { name, email, password, isOperator: token.isOperator });
      if (!person) throw problems.conflict(HAS_ACCOUNT);
      await this.people.join(tx, person.id, { orgId: organization.id, role, source: 'invited' });
      await failpoint('account.joined');
      const author = this.signIns.authorOf(person, via, request);
      await recordJoin(tx, organization.id, person.id, role, author);
      return this.sessions.openIn(tx, { orgId: organization.id, personId: person.id }, via, deviceOf(request), author);
    });
    return this.signIns.begun(session, request, response);
  }

  /** A signed-in person joins by an invitation, and is there. Throws `unauthenticated`; `conflict` for a member. */
  async join(held: SignedIn, dto: TokenDto, request: Request): Promise<SessionView> {
    const person = ownerOf(held);
    const token = await this.look(dto.token, request);
    const { organization, role } = token;
    if (token.kind !== 'invitation' || !organization || !role) throw this.limits.refusal(request);
    await this.database.transaction(async (tx) => {
      if (!(await this.tokens.use(tx, dto.token, token))) throw this.limits.refusal(request);
      await this.quotas.claim(tx, organization.id, { people: 1 });
      if (!(await this.people.join(tx, person.id, { orgId: organization.id, role, source: 'invited' })))
        throw problems.conflict('You are in this organization already.');
      if (token.isOperator) await tx.query('UPDATE person SET is_operator = true WHERE id = $1', [person.id]);
      await recordJoin(tx, organization.id, person.id, role, this.signIns.authorOf(person, 'invitation', request));
    });
    return this.signIns.move({ organization_id: formatId('organization', organization.id) }, request);
  }

  /** Sets the password of a link for it: every session of the person ends, this one begins. Throws `unauthenticated`. */
  async setPassword(dto: SetPasswordDto, request: Request, response: Response): Promise<SessionView> {
    requireOwnOrigin(request, this.config);
    const token = await this.look(dto.token, request);
    const person = token.personId === null ? null : await this.people.find(this.database, token.personId);
    if (token.kind !== 'password' || !person) throw this.limits.refusal(request);
    const wrong = this.passwords.findingsIn(dto.password, person);
    if (wrong.length > 0) throw problems.validationFailed(wrong);
    const password = await this.passwords.hash(dto.password);
    await this.database.transaction(async (tx) => {
      if (!(await this.tokens.use(tx, dto.token, token))) throw this.limits.refusal(request);
      await this.people.setPassword(tx, person.id, password);
      await tx.query('DELETE FROM session WHERE person_id = $1', [person.id]);
    });
    return this.signIns.begin(person, 'sign_in_link', request, response);
  }

  async get(held: SignedIn): Promise<AccountView> {
    const { id } = ownerOf(held);
    const person = await this.people.find(this.database, id);
    if (!person) throw problems.notFound();
    return this.viewOf(person);
  }

  /**
   * Partial. A new password needs the old one, where there is one and nobody came by the operator's link just now; it ends all
   * other sessions, and this browser gets a new cookie. Throws `validation_failed` at `/current_password`, counted as a wrong password.
   */
  async update(held: SignedIn, dto: UpdateAccountDto, request: Request, response: Response): Promise<AccountView> {
    const { id } = ownerOf(held);
    const before = await this.people.find(this.database, id);
    if (!before) throw problems.notFound();
    const name = dto.name?.trim() ?? before.name;
    const password =
      dto.password === undefined
        ? null
        : await this.newPassword(before, { ...dto, password: dto.password }, held, request);
    const session = await this.database.transaction(async (tx) => {
      await tx.query('UPDATE person SET name = $2 WHERE id = $1', [id, name]);
      if (password === null) return null;
      await this.people.setPassword(tx, id, password);
      await tx.query('DELETE FROM session WHERE person_id = $1', [id]);
      // It has no cookie and gets none: whoever leaves the proxy is out.
      if (held.via === 'proxy') return null;
      const of = { orgId: held.caller?.orgId ?? null, personId: id };
      const author = this.signIns.authorOf(before, 'password', request);
      return this.sessions.openIn(tx, of, held.via ?? 'password', deviceOf(request), author);
    });
    if (session !== null) await this.signIns.begun(session, request, response);
    return this.viewOf({ ...before, name, password: password ?? before.password });
  }

  /**
   * Erases the person: memberships, sessions, links and identities go, keys and what was said stay, without the name. Throws
   * `conflict` for the last administrator of an organization that has others, and for a session that is not fresh.
   */
  async erase(held: SignedIn): Promise<void> {
    const { id } = ownerOf(held);
    if (!this.isFresh(held)) throw problems.conflict('Sign in again: this is for whoever has just signed in.');
    await this.database.transaction((tx) => this.eraseIn(tx, id));
  }

  /** As `erase`, for whoever may: the command line, too. Throws `conflict` for the last administrator of others. */
  async eraseIn(tx: Tx, id: string): Promise<void> {
    const person = await this.people.lock(tx, id);
    if (!person) throw problems.notFound();
    const memberships = await this.people.membershipsOf(tx, id);
    for (const { orgId, orgName, role } of [...memberships].sort((a, b) => (a.orgId < b.orgId ? -1 : 1))) {
      const admins = role === 'admin' ? await this.people.lockAdmins(tx, orgId) : [];
      const isLast = role === 'admin' && admins.every((admin) => admin === id);
      if (isLast && (await this.people.countMembers(tx, orgId)) > 1)
        throw problems.conflict(`${orgName}: ${LAST_ADMIN}`);
      await recordChange(tx, { orgId, action: 'delete', resource: 'person', id, before: { role } });
    }
    await tx.query('DELETE FROM person WHERE id = $1', [id]);
    await failpoint('account.erased');
  }

  private async viewOf(person: PersonRow): Promise<AccountView> {
    const identities = await this.database.query<IdentityRow>(
      'SELECT issuer, subject, created_at AS "createdAt" FROM identity WHERE person_id = $1 ORDER BY created_at, issuer',
      [person.id],
    );
    return toAccountView(person, identities, await this.people.membershipsOf(this.database, person.id));
  }

  private async newPassword(
    person: PersonRow,
    dto: UpdateAccountDto & { password: string },
    held: SignedIn,
    request: Request,
  ): Promise<string> {
    const wrong = this.passwords.findingsIn(dto.password, { email: person.email, name: dto.name ?? person.name });
    if (wrong.length > 0) throw problems.validationFailed(wrong);
    const isByLink = held.via === 'sign_in_link' && this.isFresh(held);
    if (person.password !== null && !isByLink) {
      const { isRight } = await this.limits.guess(request, person.id, true, () =>
        this.passwords.compare(dto.current_password ?? '', person.password),
      );
      if (!isRight) {
        this.limits.refusal(request);
        throw problems.validationFailed([
          {
            pointer: '/current_password',
            code: dto.current_password === undefined ? 'required' : 'invalid_format',
            message: 'current_password is not your password',
          },
        ]);
      }
    }
    return this.passwords.hash(dto.password);
  }

  /** The proxy in front signs in anew with each request. */
  private isFresh({ createdAt, via }: SignedIn): boolean {
    return via === 'proxy' || this.clock.now().getTime() - createdAt.getTime() < FRESH_MS;
  }

  /** A token that still works. Throws `unauthenticated`, counted as a wrong credential, and `conflict` with AUTH=off. */
  private async look(token: string, request: Request): Promise<Token> {
    if (!this.config.auth) throw problems.conflict('With AUTH=off there are no accounts.');
    this.limits.admitLookUp(request);
    const found = await this.tokens.find(token);
    if (!found) throw this.limits.refusal(request);
    return found;
  }

  /** Of two that race for the first account one makes it. Throws `conflict`. */
  private async beFirst(tx: Tx): Promise<void> {
    await tx.query('LOCK TABLE person IN SHARE ROW EXCLUSIVE MODE');
    if (await this.people.isAnybodyThere(tx))
      throw problems.conflict('Somebody has made the first account meanwhile: ask to be invited.');
  }
}

/** The person behind a session that the guard has let through. */
function ownerOf({ person }: SignedIn): NonNullable<SignedIn['person']> {
  if (person === null) throw problems.notFound();
  return person;
}

function emailFindings({ email }: Token, sent: string | undefined): FieldProblem[] {
  const pointer = '/email';
  if (email !== null)
    return sent === undefined || normalizeEmail(sent) === email
      ? []
      : [{ pointer, code: 'immutable', message: 'email is that of the invitation' }];
  if (sent === undefined) return [{ pointer, code: 'required', message: 'email is what you sign in with' }];
  return isEmail(normalizeEmail(sent))
    ? []
    : [{ pointer, code: 'invalid_format', message: 'email must be an address such as ada@example.com' }];
}

/** Neither name nor e-mail: the log joins the name. */
async function recordJoin(
  tx: Tx,
  orgId: string,
  personId: string,
  role: Role,
  author: ReturnType<SignInService['authorOf']>,
): Promise<void> {
  await recordChange(tx, { orgId, action: 'create', resource: 'person', id: personId, after: { role }, author });
}
