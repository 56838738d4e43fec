import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { recordChange } from '../../audit/audit-log';
import { type Authorship, type Credential, originOf } from '../../audit/authorship';
import { Database, type Tx } from '../../platform/database/database';
import { parseId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { Passwords } from '../person/passwords.service';
import { normalizeEmail, type PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { SecondFactors } from '../person/second-factors.service';
import type { SignIn } from '../person/sign-ins';
import { ownNetworkOf, RateLimits } from '../rate-limits';
import { BrowserSessions } from './browser-sessions';
import { KnownNetworks } from './known-networks';
import type { MoveSessionDto, SessionView } from './session.dto';

export interface TypedCredentials {
  email: string;
  password: string;
  secondFactor: string | undefined;
}

/** Signs people in with any kind of proof and switches them between their organizations. */
@Injectable()
export class PersonSignIn {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly passwords: Passwords,
    private readonly networks: KnownNetworks,
    private readonly browsers: BrowserSessions,
    private readonly limits: RateLimits,
    private readonly secondFactors: SecondFactors,
  ) {}

  /**
   * Signs in a person whose credential was correct. Selects the organization (UUID) that they came for, or otherwise
   * the one that they used last. For `hasSecondFactor`, see `proveSecondFactor`. Throws `rate_limited`.
   */
  async begin(
    person: Pick<PersonRow, 'id'>,
    via: SignIn,
    request: Request,
    response: Response,
    { cameFor = null, hasSecondFactor = false }: { cameFor?: string | null; hasSecondFactor?: boolean } = {},
  ): Promise<SessionView> {
    this.limits.countSignIn(person.id);
    const proof = { via, hasSecondFactor: hasSecondFactor || !this.secondFactors.areOn };
    const orgId = cameFor ?? (await this.people.lastOrganizationOpenTo(this.database, person.id, proof));
    const of = { orgId, personId: person.id, hasSecondFactor };
    return this.browsers.open(of, via, personAuthor(person, via, request), request, response);
  }

  /**
   * Signs in with a password. Every kind of failure returns the same problem after the same amount of work. Throws
   * `unauthenticated` or `rate_limited`.
   */
  async withPassword(
    { email: typed, password, secondFactor }: TypedCredentials,
    request: Request,
    response: Response,
  ): Promise<SessionView> {
    this.limits.admitLookUp(request, this.networks.isFamiliar(request) ? 'familiar' : 'password');
    if (!this.passwords.areOn) throw this.limits.refusal(request);
    const email = normalizeEmail(typed);
    const holders = await this.networks.holdersOf(email, request);
    const known = holders.filter(({ isKnown }) => isKnown);
    const by = { owner: ownNetworkOf(request) ?? '', isKnown: known.length > 0 };
    const { holder, isOutdated } = await this.limits.guess(request, email, known.length > 0, (onlyKnown) =>
      this.passwords.find(password, onlyKnown ? known : holders, by),
    );
    if (!holder) {
      await this.passwords.afterWrong(() => this.refused(known.length > 0 ? known : holders, request));
      throw this.limits.refusal(request);
    }
    if (isOutdated) await this.rehash(holder, password);
    const isKnown = known.some(({ id }) => id === holder.id);
    const hasSecondFactor = await this.proveSecondFactor(holder, secondFactor, request, isKnown);
    return this.begin(holder, 'password', request, response, { hasSecondFactor });
  }

  /**
   * Returns whether the person has a second factor and has just proven it. The same limits as for passwords apply, and
   * a wrong code counts as a wrong credential. `isKnown` means that the person has signed in from this network. Throws
   * `second_factor_required` if no code was entered. Throws `unauthenticated` or `rate_limited`.
   */
  async proveSecondFactor(
    person: Pick<PersonRow, 'id' | 'hasSecondFactor'>,
    typed: string | undefined,
    request: Request,
    isKnown = false,
  ): Promise<boolean> {
    if (!person.hasSecondFactor || !this.secondFactors.areOn) return false;
    if (typed === undefined) throw problems.secondFactorRequired();
    const { isRight } = await this.limits.guess(request, `second factor ${person.id}`, isKnown, async () => ({
      isRight: await this.database.transaction((tx) => this.useSecondFactor(tx, person, typed, request)),
    }));
    if (!isRight) {
      await this.refused([person], request);
      throw this.limits.refusal(request);
    }
    return true;
  }

  /** Signs in a person (UUID) with a link that the operator created. Throws `unauthenticated`. */
  async withLink(
    { personId, isInTime, hasSecondFactor }: { personId: string; isInTime: boolean; hasSecondFactor: boolean },
    request: Request,
    response: Response,
  ): Promise<SessionView> {
    const person = await this.people.find(this.database, personId);
    if (!person || !isInTime) throw this.limits.refusal(request);
    return this.begin(person, 'sign_in_link', request, response, { hasSecondFactor });
  }

  /** Works like `proveSecondFactor`, for a person (UUID) with a link. */
  async proveByLink(personId: string, typed: string | undefined, request: Request): Promise<boolean> {
    const person = await this.people.find(this.database, personId);
    return person !== null && this.proveSecondFactor(person, typed, request);
  }

  /**
   * Switches the session to another of the person's organizations that is open to it. Throws `not_found` for any other
   * organization, and `conflict` for a key's session.
   */
  async move({ organization_id }: MoveSessionDto, request: Request): Promise<SessionView> {
    this.browsers.requireOwnPage(request);
    const held = await this.browsers.held(request);
    if (!held) throw this.limits.refusal(request);
    if (!held.person)
      throw problems.conflict('This session was created from an API key, which belongs to only one organization.');
    this.limits.countSignIn(held.person.id);
    const orgId = parseId('organization', organization_id);
    const memberships = await this.people.openTo(this.database, held.person.id, held);
    if (orgId === null || !memberships.some((one) => one.orgId === orgId)) throw problems.notFound();
    const author = personAuthor(held.person, 'session', request);
    return this.browsers.move({ orgId, personId: held.person.id }, author, request);
  }

  /** Returns whether the code is correct. Records the use of a recovery code in the audit log. */
  private async useSecondFactor(
    tx: Tx,
    person: Pick<PersonRow, 'id'>,
    typed: string,
    request: Request,
  ): Promise<boolean> {
    const used = await this.secondFactors.use(tx, person.id, typed);
    const orgId = used === 'recovery_code' ? await this.people.lastOrganization(tx, person.id) : null;
    const [hidden, nothing] = [['recovery_codes'], { recovery_codes: null }];
    const on = {
      action: 'update',
      resource: 'person',
      id: person.id,
      before: nothing,
      after: nothing,
      hidden,
    } as const;
    if (orgId !== null) await recordChange(tx, { ...on, orgId, author: personAuthor(person, 'password', request) });
    return used !== null;
  }

  /**
   * Records a rejected sign-in in the log of everyone who may be affected: people who have signed in from that network,
   * or otherwise everyone with the email.
   */
  private async refused(people: readonly Pick<PersonRow, 'id'>[], request: Request): Promise<void> {
    for (const person of people) {
      const orgId = await this.people.lastOrganization(this.database, person.id);
      await this.browsers.refuse({ orgId, personId: person.id }, personAuthor(person, 'password', request));
    }
  }

  private async rehash(person: PersonRow, password: string): Promise<void> {
    const hash = await this.passwords.hash(password, person.password);
    await this.database.query('UPDATE person SET password = $2 WHERE id = $1 AND password = $3', [
      person.id,
      hash,
      person.password,
    ]);
  }
}

/** Returns the author to record for actions of a person who is signing in. */
export const personAuthor = ({ id }: Pick<PersonRow, 'id'>, via: Credential, request: Request): Authorship => ({
  via,
  keyId: null,
  keyName: null,
  personId: id,
  ...originOf(request),
});
