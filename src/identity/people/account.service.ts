import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { recordChange } from '../../audit/audit-log';
import { Database, type Tx } from '../../platform/database/database';
import { failpoint } from '../../platform/observability/failpoints';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { Passwords } from '../person/passwords.service';
import type { PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { SecondFactors } from '../person/second-factors.service';
import { RateLimits } from '../rate-limits';
import { BrowserSessions } from '../session/browser-sessions';
import { isFresh, requireFresh } from '../session/fresh';
import { personAuthor } from '../session/person-sign-in';
import type { SignedIn } from '../session/session.service';
import { SignInLinks } from '../session/sign-in-links';
import { type AccountView, toAccountView, type UpdateAccountDto } from './account.dto';
import { AccountMails } from './account-mails';
import { ownerOf } from './held';
import { Identities } from './identities.service';
import { LAST_ADMIN } from './last-admin';
import { OpenLinks } from './open-links';

@Injectable()
export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly passwords: Passwords,
    private readonly browsers: BrowserSessions,
    private readonly links: SignInLinks,
    private readonly openLinks: OpenLinks,
    private readonly identities: Identities,
    private readonly mails: AccountMails,
    private readonly limits: RateLimits,
    private readonly clock: Clock,
    private readonly secondFactors: SecondFactors,
  ) {}

  async get(held: SignedIn): Promise<AccountView> {
    const { id } = ownerOf(held);
    const person = await this.people.find(this.database, id);
    if (!person) throw problems.notFound();
    return this.viewOf(person);
  }

  /**
   * Updates the fields that were sent. A new password requires the old one, unless there is none or the session was
   * just opened with the operator's link. A first password requires a fresh sign-in. Either change ends all other
   * sessions and gives this browser a new cookie. Throws `validation_failed` at `/current_password`, counted as a wrong
   * password. Throws `conflict` for a first password in a session that isn't fresh.
   */
  async update(held: SignedIn, dto: UpdateAccountDto, request: Request, response: Response): Promise<AccountView> {
    const { id } = ownerOf(held);
    this.limits.countSignIn(id);
    const before = await this.people.find(this.database, id);
    if (!before) throw problems.notFound();
    const name = dto.name?.trim() ?? before.name;
    const password =
      dto.password === undefined
        ? null
        : await this.newPassword(before, { ...dto, password: dto.password }, held, request);
    const session = await this.database.transaction(async (tx) => {
      await tx.query('UPDATE person SET name = $2 WHERE id = $1', [id, name]);
      const changed: OwnField[] = name === before.name ? [] : ['name'];
      if (held.caller)
        await recordOwn(tx, held.caller.orgId, id, password === null ? changed : [...changed, 'password']);
      if (password === null) return null;
      await this.people.setPassword(tx, id, password);
      await this.mails.tell(tx, before, 'password_changed');
      // A session from the proxy has no cookie and isn't given one.
      if (held.via === 'proxy') return null;
      const of = {
        orgId: held.caller?.orgId ?? null,
        personId: id,
        hasSecondFactor: held.hasSecondFactor && this.secondFactors.areOn,
      };
      // A session that a link opened continues as a password session. Only a session that was opened with a link may
      // omit the old password.
      const via = held.via === 'single_sign_on' ? held.via : 'password';
      return this.browsers.openIn(tx, of, via, personAuthor(before, 'password', request), request);
    });
    if (session !== null) await this.browsers.begun(session, request, response);
    return this.viewOf({ ...before, name, password: password ?? before.password });
  }

  /**
   * Erases the person. Deletes memberships, sessions, links, and identities. Keys and records are kept without the
   * name. Throws `conflict` for the last administrator of an organization with other members, and for a session that
   * isn't fresh.
   */
  async erase(held: SignedIn): Promise<void> {
    const { id } = ownerOf(held);
    // Behind the proxy, a person can't sign in again.
    if (held.via !== 'proxy' && !isFresh(held, this.clock.now()))
      throw problems.conflict('Sign in again first. This action requires a session that is less than ten minutes old.');
    await this.database.transaction((tx) => this.eraseIn(tx, id));
    await failpoint('account.erasure_committed');
  }

  /**
   * Erases a person without checking the session. Also used by the command line. Throws `conflict` for the last
   * administrator of an organization with other members.
   */
  async eraseIn(tx: Tx, id: string): Promise<void> {
    const person = await this.people.lock(tx, id);
    if (!person) throw problems.notFound();
    const memberships = await this.people.membershipsOf(tx, id);
    for (const { orgId, orgName, role } of [...memberships].sort((a, b) => (a.orgId < b.orgId ? -1 : 1))) {
      if (await this.people.isLastAdmin(tx, orgId, id)) throw problems.conflict(`${orgName}: ${LAST_ADMIN}`);
      await this.openLinks.endInvitationOf(tx, orgId, id);
      await this.openLinks.endMadeBy(tx, orgId, id);
      await recordChange(tx, { orgId, action: 'delete', resource: 'person', id, before: { role } });
    }
    await tx.query('DELETE FROM person WHERE id = $1', [id]);
    await failpoint('account.erased');
  }

  private async viewOf(person: PersonRow): Promise<AccountView> {
    return toAccountView(person, {
      identities: await this.identities.of(this.database, person.id),
      memberships: await this.people.membershipsOf(this.database, person.id),
      link: await this.links.openPassword(person.id),
      secondFactor: await this.secondFactors.stateOf(this.database, person.id),
    });
  }

  private async newPassword(
    person: PersonRow,
    dto: UpdateAccountDto & { password: string },
    held: SignedIn,
    request: Request,
  ): Promise<string> {
    const wrong = this.passwords.findingsIn(dto.password, { email: person.email, name: dto.name ?? person.name });
    if (wrong.length > 0) throw problems.validationFailed(wrong);
    const now = this.clock.now();
    if (person.password === null) requireFresh(held, now);
    const isByLink = held.via === 'sign_in_link' && isFresh(held, now);
    if (person.password !== null && !isByLink) await this.requirePassword(person, dto.current_password, request);
    return this.passwords.hash(
      dto.password,
      person.password ?? (await this.people.saltOf(this.database, person.email)),
    );
  }

  /**
   * Requires the password for changes that need more than a session. Throws `validation_failed` at `/current_password`,
   * counted as a wrong password.
   */
  async requirePassword(
    person: Pick<PersonRow, 'id' | 'password'>,
    typed: string | undefined,
    request: Request,
  ): Promise<void> {
    const { isRight } = await this.limits.guess(request, person.id, true, () =>
      this.passwords.compare(typed ?? '', person.password),
    );
    if (isRight) return;
    this.limits.refusal(request);
    throw problems.validationFailed([
      {
        pointer: '/current_password',
        code: typed === undefined ? 'required' : 'invalid_format',
        message: 'current_password is not your password',
      },
    ]);
  }
}

/** A part of their account that a person may change. */
export type OwnField = 'name' | 'password' | 'second_factor' | 'recovery_codes';

/** Records which fields changed. Never records their values, because log entries can't be edited. */
export async function recordOwn(tx: Tx, orgId: string, id: string, hidden: readonly OwnField[]): Promise<void> {
  const nothing = Object.fromEntries(hidden.map((field) => [field, null]));
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
