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

/** Everybody with an account, in whatever organization: for the command line of who runs the installation. */
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

  /** Oldest first. Cost: four scans of all people, for a person who waits for a list. */
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

  /** Finds a person by email or id (`per_…`). Throws `conflict` if several accounts have the email. */
  async find(who: string): Promise<PersonRow | null> {
    const id = parseId('person', who);
    if (id !== null) return this.people.find(this.database, id);
    const [person = null, ...others] = await this.people.findByEmail(this.database, normalizeEmail(who));
    if (person === null || others.length === 0) return person;
    const named = [person, ...others].map((one) => `${formatId('person', one.id)} (${one.name})`);
    throw problems.conflict(`Several accounts have the email ${who}. Use the ID of one of them: ${named.join(', ')}.`);
  }

  /** The token of a link that signs the person (uuid) in once, also with PASSWORDS=off, and until when. */
  signInLink(id: string): Promise<{ token: string; expiresAt: Date }> {
    return this.change(id, 'sign_in_link', (tx) => this.links.makeSignIn(tx, id));
  }

  /** Ends every open link that signs the person in or sets their password. Returns the number of links. */
  endLinks(id: string): Promise<number> {
    return this.change(id, 'sign_in_link', (tx) => this.people.endLinks(tx, id));
  }

  /** From now on the password alone signs the person (uuid) in: the app and the recovery codes are lost. Throws `not_found`. */
  resetSecondFactor(id: string): Promise<void> {
    return this.change(id, 'second_factor', async (tx, person) => {
      if (!(await this.secondFactors.remove(tx, id))) throw problems.notFound();
      if (person.hasSecondFactor) await this.mails.tell(tx, person, 'second_factor_removed');
    });
  }

  setOperator(id: string, isOperator: boolean): Promise<void> {
    return this.change(id, 'operator', (tx) => this.people.setOperator(tx, id, isOperator));
  }

  /** What they sign in with. Throws `conflict` when it is somebody else's. */
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

  /** From now on whom the issuer calls so is this person. Throws `conflict` when that is somebody else. */
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

  /** Neither single sign-on nor the proxy means this person any more; sessions that began so end. Returns how many identities are gone. */
  disconnect(id: string): Promise<number> {
    return this.change(id, 'identities', (tx) => this.identities.removeAll(tx, id));
  }

  /** As a person erases themselves. Throws `conflict` for the last administrator of an organization that has others. */
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

  /** In the log of every organization that the person is in, and the operator's. What changed is named, its value is personal. */
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
