import { Injectable } from '@nestjs/common';
import { recordChange, recordOperatorAct } from '../../audit/audit-log';
import { Database, type Tx } from '../../platform/database/database';
import { formatId, parseId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { SignInLinks } from '../session/sign-in-links';
import { type AccountView, type IdentityRow, toAccountView } from './account.dto';
import { AccountMails } from './account-mails';
import { AccountService } from './account.service';
import { Identities } from './identities.service';
import { type MembershipRow, normalizeEmail, PERSON_COLUMNS, type PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { SecondFactors, type SecondFactorState } from '../person/second-factors.service';

/** Manages all people who have an account in any organization. For the operator's command line. */
@Injectable()
export class InstallationPeople {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly links: SignInLinks,
    private readonly accounts: AccountService,
    private readonly secondFactors: SecondFactors,
    private readonly identities: Identities,
    private readonly mails: AccountMails,
  ) {}

  /** Lists all people, oldest first. Cost: four scans of all people, which is acceptable on the command line. */
  async list(): Promise<AccountView[]> {
    const people = await this.database.query<PersonRow>(
      `SELECT ${PERSON_COLUMNS} FROM person p ORDER BY p.created_at, p.id`,
    );
    const identities = await this.database.query<IdentityRow & { personId: string }>(
      `SELECT person_id AS "personId", issuer, subject, created_at AS "createdAt" FROM identity ORDER BY created_at, issuer`,
    );
    const memberships = await this.database.query<MembershipRow & { personId: string }>(
      `SELECT m.person_id AS "personId", m.org_id AS "orgId", o.name AS "orgName", m.role, m.source, m.created_at AS "joinedAt",
              NULL::timestamptz AS "confirmedAt", o.requires_second_factor AS "needsSecondFactor"
         FROM membership m JOIN organization o ON o.id = m.org_id AND o.deleted_at IS NULL ORDER BY o.name, m.org_id`,
    );
    const secondFactors = await this.database.query<SecondFactorState & { personId: string }>(
      `SELECT f.id AS "personId", f.confirmed_at AS since,
              (SELECT count(*)::int FROM recovery_code r WHERE r.person_id = f.id) AS "recoveryCodesLeft"
         FROM second_factor f WHERE f.confirmed_at IS NOT NULL`,
    );
    const secondFactorOf = new Map(secondFactors.map((one) => [one.personId, one]));
    const links = await this.links.openPasswords();
    const identitiesOf = byPerson(identities);
    const membershipsOf = byPerson(memberships);
    const linksOf = byPerson(links);
    return people.map((person) =>
      toAccountView(person, {
        identities: identitiesOf.get(person.id) ?? [],
        memberships: membershipsOf.get(person.id) ?? [],
        link: linksOf.get(person.id)?.[0] ?? null,
        secondFactor: secondFactorOf.get(person.id) ?? null,
      }),
    );
  }

  /** Finds a person by email or ID (`per_…`). Throws `conflict` if several accounts have the email. */
  async find(who: string): Promise<PersonRow | null> {
    const id = parseId('person', who);
    if (id !== null) return this.people.find(this.database, id);
    const [person = null, ...others] = await this.people.findByEmail(this.database, normalizeEmail(who));
    if (person === null || others.length === 0) return person;
    const named = [person, ...others].map((one) => `${formatId('person', one.id)} (${one.name})`);
    throw problems.conflict(`Several accounts have the email ${who}. Use the ID of one of them: ${named.join(', ')}.`);
  }

  /**
   * Creates a link that signs the person (UUID) in once, even with PASSWORD_LOGIN=off. Returns its token and expiry.
   */
  signInLink(id: string): Promise<{ token: string; expiresAt: Date }> {
    return this.change(id, 'sign_in_link', (tx) => this.links.makeSignIn(tx, id));
  }

  /** Ends all open links that sign the person in or set their password. Returns the number of links. */
  endLinks(id: string): Promise<number> {
    return this.change(id, 'sign_in_link', (tx) => this.people.endLinks(tx, id));
  }

  /**
   * Removes the second factor and the recovery codes. The password alone is then enough to sign the person (UUID) in.
   * Throws `not_found`.
   */
  resetSecondFactor(id: string): Promise<void> {
    return this.change(id, 'second_factor', async (tx, person) => {
      if (!(await this.secondFactors.remove(tx, id))) throw problems.notFound();
      if (person.hasSecondFactor) await this.mails.tell(tx, person, 'second_factor_removed');
    });
  }

  setOperator(id: string, isOperator: boolean): Promise<void> {
    return this.change(id, 'operator', (tx) => this.people.setOperator(tx, id, isOperator));
  }

  /** Sets the email with which the person signs in. Throws `conflict` if another account has it. */
  setEmail(id: string, email: string): Promise<void> {
    return this.change(id, 'email', async (tx, person) => {
      await this.people.lockEmail(tx, email);
      const others = await this.people.findByEmail(tx, email);
      if (others.some((other) => other.id !== id))
        throw problems.conflict(`The email ${email} already belongs to another account.`);
      await tx.query(
        'UPDATE person SET email = $2::varchar, email_verified = email_verified AND email = $2::varchar WHERE id = $1',
        [id, email],
      );
      if (person.email === email) return;
      await this.people.endLinks(tx, id);
      for (const one of [person.email, email]) await this.mails.tell(tx, { id, email: one }, 'email_changed');
    });
  }

  /** Connects an identity from the issuer to this person. Throws `conflict` if it belongs to another person. */
  connect(id: string, issuer: string, subject: string): Promise<void> {
    return this.change(id, 'identities', async (tx, person) => {
      await this.people.lockIdentity(tx, { issuer, subject });
      const owner = await this.people.ownerOf(tx, { issuer, subject });
      if (owner === null) {
        await this.people.addIdentity(tx, id, { issuer, subject });
        await this.mails.tell(tx, person, 'identity_connected');
      } else if (owner !== id)
        throw problems.conflict('This identity already belongs to another account. Disconnect it there first.');
    });
  }

  /**
   * Removes all of the person's identities and ends the sessions that were started with them. Returns the number of
   * identities.
   */
  disconnect(id: string): Promise<number> {
    return this.change(id, 'identities', (tx) => this.identities.removeAll(tx, id));
  }

  /**
   * Erases a person, like the person could do themselves. Throws `conflict` for the last administrator of an
   * organization with other members.
   */
  erase(id: string): Promise<void> {
    return this.database.transaction((tx) => this.accounts.eraseIn(tx, id));
  }

  private change<T>(id: string, changed: string, work: (tx: Tx, person: PersonRow) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      const person = await this.people.lock(tx, id);
      if (!person) throw problems.notFound();
      const result = await work(tx, person);
      await this.record(tx, id, changed);
      return result;
    });
  }

  /**
   * Records the change in the log of each of the person's organizations and in the operator's log. Names the field but
   * omits its value, which is personal.
   */
  private async record(tx: Tx, id: string, changed: string): Promise<void> {
    const hidden = { [changed]: null };
    const act = { action: 'update', resource: 'person', id, before: hidden, after: hidden, hidden: [changed] } as const;
    for (const { orgId } of await this.people.membershipsOf(tx, id)) await recordChange(tx, { ...act, orgId });
    await recordOperatorAct(tx, act);
  }
}

function byPerson<Row extends { personId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) found.set(row.personId, [...(found.get(row.personId) ?? []), row]);
  return found;
}
