import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Authorship, type Credential, originOf } from '../../audit/authorship';
import { Database } from '../../platform/database/database';
import { parseId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { Passwords } from '../person/passwords.service';
import { normalizeEmail, type PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { RateLimits } from '../rate-limits';
import { BrowserSessions, requireOwnOrigin } from './browser-sessions';
import { KnownNetworks } from './known-networks';
import type { MoveSessionDto, SessionView } from './session.dto';
import type { SignIn } from './session.service';

/** Signs people in, by whatever proves who they are, and takes them from one of their organizations to another. */
@Injectable()
export class PersonSignIn {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly passwords: Passwords,
    private readonly networks: KnownNetworks,
    private readonly browsers: BrowserSessions,
    private readonly limits: RateLimits,
  ) {}

  /** Signs a person in whose credential was found right: in the organization (uuid) that they came for, else where they were last. */
  async begin(
    person: Pick<PersonRow, 'id'>,
    via: SignIn,
    request: Request,
    response: Response,
    cameFor: string | null = null,
  ): Promise<SessionView> {
    const orgId = cameFor ?? (await this.people.lastOrganization(this.database, person.id));
    const of = { orgId, personId: person.id };
    const session = await this.browsers.open(of, via, personAuthor(person, via, request), request, response);
    await this.networks.remember(person.id, request);
    return session;
  }

  /** One problem for whatever is wrong, after the same work. Throws `unauthenticated`, `rate_limited`. */
  async withPassword(typed: string, password: string, request: Request, response: Response): Promise<SessionView> {
    this.limits.admitLookUp(request);
    if (!this.passwords.areOn) throw this.limits.refusal(request);
    const email = normalizeEmail(typed);
    const person = await this.networks.holderOf(email, request);
    const isKnown = person?.isKnown === true;
    const { isRight, isOutdated } = await this.limits.guess(request, email, isKnown, () =>
      this.passwords.compare(password, person?.password ?? null),
    );
    if (!person || !isRight) {
      await this.passwords.afterWrong(async () => person && this.refused(person, request));
      throw this.limits.refusal(request);
    }
    if (isOutdated) await this.rehash(person, password);
    return this.begin(person, 'password', request, response);
  }

  /** By a link that the operator made for a person (uuid). Throws `unauthenticated`. */
  async withLink(personId: string, isInTime: boolean, request: Request, response: Response): Promise<SessionView> {
    const person = await this.people.find(this.database, personId);
    if (!person || !isInTime) throw this.limits.refusal(request);
    return this.begin(person, 'sign_in_link', request, response);
  }

  /** The session goes over to another organization of its person. Throws `not_found` for any other, `conflict` for a key's session. */
  async move({ organization_id }: MoveSessionDto, request: Request): Promise<SessionView> {
    requireOwnOrigin(request);
    const held = await this.browsers.held(request);
    if (!held) throw this.limits.refusal(request);
    if (!held.person) throw problems.conflict('This session stands for a key, which belongs to one organization.');
    const orgId = parseId('organization', organization_id);
    const memberships = await this.people.membershipsOf(this.database, held.person.id);
    if (orgId === null || !memberships.some((one) => one.orgId === orgId)) throw problems.notFound();
    const author = personAuthor(held.person, 'session', request);
    return this.browsers.move({ orgId, personId: held.person.id }, author, request);
  }

  private async refused(person: PersonRow, request: Request): Promise<void> {
    const orgId = await this.people.lastOrganization(this.database, person.id);
    await this.browsers.refuse({ orgId, personId: person.id }, personAuthor(person, 'password', request));
  }

  private async rehash(person: PersonRow, password: string): Promise<void> {
    const hash = await this.passwords.hash(password);
    await this.database.query('UPDATE person SET password = $2 WHERE id = $1 AND password = $3', [
      person.id,
      hash,
      person.password,
    ]);
  }
}

/** The author of what a person does who is being signed in. */
export const personAuthor = ({ id }: Pick<PersonRow, 'id'>, via: Credential, request: Request): Authorship => ({
  via,
  keyId: null,
  keyName: null,
  personId: id,
  ...originOf(request),
});
