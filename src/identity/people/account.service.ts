import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { recordChange } from '../../audit/audit-log';
import { Database, type Tx } from '../../platform/database/database';
import { failpoint } from '../../platform/observability/failpoints';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS } from '../../platform/time/time-units';
import { Passwords } from '../person/passwords.service';
import type { PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { RateLimits } from '../rate-limits';
import { BrowserSessions } from '../session/browser-sessions';
import { personAuthor } from '../session/person-sign-in';
import type { SignedIn } from '../session/session.service';
import { type AccountView, type IdentityRow, toAccountView, type UpdateAccountDto } from './account.dto';
import { ownerOf } from './held';
import { LAST_ADMIN } from './last-admin';

/** What may be done without the old password, or at all, only soon after a sign-in. */
const FRESH_MS = 10 * MINUTE_MS;

/** A person's own account: shown, changed, erased. */
@Injectable()
export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly passwords: Passwords,
    private readonly browsers: BrowserSessions,
    private readonly limits: RateLimits,
    private readonly clock: Clock,
  ) {}

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
      if (held.caller)
        await recordOwn(tx, held.caller.orgId, id, { name: name !== before.name, password: password !== null });
      if (password === null) return null;
      await this.people.setPassword(tx, id, password);
      await tx.query('DELETE FROM session WHERE person_id = $1', [id]);
      // It has no cookie and gets none: whoever leaves the proxy is out.
      if (held.via === 'proxy') return null;
      const of = { orgId: held.caller?.orgId ?? null, personId: id };
      // What began by a link goes on by the password that was set: only a link's own session may leave the old one out.
      const via = held.via === 'single_sign_on' ? held.via : 'password';
      return this.browsers.openIn(tx, of, via, personAuthor(before, 'password', request), request);
    });
    if (session !== null) await this.browsers.begun(session, request, response);
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
    await failpoint('account.erasure_committed');
  }

  /** As `erase`, for whoever may: the command line, too. Throws `conflict` for the last administrator of others. */
  async eraseIn(tx: Tx, id: string): Promise<void> {
    const person = await this.people.lock(tx, id);
    if (!person) throw problems.notFound();
    const memberships = await this.people.membershipsOf(tx, id);
    for (const { orgId, orgName, role } of [...memberships].sort((a, b) => (a.orgId < b.orgId ? -1 : 1))) {
      if (await this.people.isLastAdmin(tx, orgId, id)) throw problems.conflict(`${orgName}: ${LAST_ADMIN}`);
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

  /** The proxy in front signs in again with each request. */
  private isFresh({ createdAt, via }: SignedIn): boolean {
    return via === 'proxy' || this.clock.now().getTime() - createdAt.getTime() < FRESH_MS;
  }
}

/** What changed, and neither name nor password: the log cannot be changed. */
async function recordOwn(
  tx: Tx,
  orgId: string,
  id: string,
  isChanged: Readonly<Record<'name' | 'password', boolean>>,
): Promise<void> {
  const nothing = { name: null, password: null };
  const hidden = (['name', 'password'] as const).filter((field) => isChanged[field]);
  await recordChange(tx, {
    orgId,
    action: 'update',
    resource: 'person',
    id,
    before: nothing,
    after: nothing,
    hidden,
  });
}
