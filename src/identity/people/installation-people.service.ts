import { Injectable } from '@nestjs/common';
import { recordChange, recordOperatorAct } from '../../audit/audit-log';
import { Database, type Tx } from '../../platform/database/database';
import { parseId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { SignInLinks } from '../session/sign-in-links';
import { type AccountView, type IdentityRow, toAccountView } from './account.dto';
import { AccountService } from './account.service';
import { type MembershipRow, normalizeEmail, PERSON_COLUMNS, type PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';

/** Everybody with an account, in whatever organization: for the command line of who runs the installation. */
@Injectable()
export class InstallationPeople {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly links: SignInLinks,
    private readonly accounts: AccountService,
  ) {}

  /** Oldest first. Cost: three scans of everybody, for somebody who waits for a list. */
  async list(): Promise<AccountView[]> {
    const people = await this.database.query<PersonRow>(
      `SELECT ${PERSON_COLUMNS} FROM person p ORDER BY p.created_at, p.id`,
    );
    const identities = await this.database.query<IdentityRow & { personId: string }>(
      `SELECT person_id AS "personId", issuer, subject, created_at AS "createdAt" FROM identity ORDER BY created_at, issuer`,
    );
    const memberships = await this.database.query<MembershipRow & { personId: string }>(
      `SELECT m.person_id AS "personId", m.org_id AS "orgId", o.name AS "orgName", m.role, m.source, m.created_at AS "joinedAt"
         FROM membership m JOIN organization o ON o.id = m.org_id AND o.deleted_at IS NULL ORDER BY o.name, m.org_id`,
    );
    const identitiesOf = byPerson(identities);
    const membershipsOf = byPerson(memberships);
    return people.map((person) =>
      toAccountView(person, identitiesOf.get(person.id) ?? [], membershipsOf.get(person.id) ?? []),
    );
  }

  /** By e-mail or id (`per_…`); `null` for nobody. */
  find(who: string): Promise<PersonRow | null> {
    const id = parseId('person', who);
    return id === null
      ? this.people.findByEmail(this.database, normalizeEmail(who))
      : this.people.find(this.database, id);
  }

  /** The token of a link that signs the person (uuid) in once, also with PASSWORDS=off, and until when. */
  signInLink(id: string): Promise<{ token: string; expiresAt: Date }> {
    return this.change(id, 'sign_in_link', (tx) => this.links.makeFor(tx, id, 'sign_in'));
  }

  setOperator(id: string, isOperator: boolean): Promise<void> {
    return this.change(id, 'operator', async (tx) => {
      await tx.query('UPDATE person SET is_operator = $2, operator_by_group = false WHERE id = $1', [id, isOperator]);
    });
  }

  /** What they sign in with. Throws `conflict` when it is somebody else's. */
  setEmail(id: string, email: string): Promise<void> {
    return this.change(id, 'email', async (tx) => {
      const other = await this.people.findByEmail(tx, email);
      if (other && other.id !== id) throw problems.conflict(`${email} is somebody else's already.`);
      await tx.query('UPDATE person SET email = $2 WHERE id = $1', [id, email]);
    });
  }

  /** From now on whom the issuer calls so is this person. Throws `conflict` when that is somebody else. */
  connect(id: string, issuer: string, subject: string): Promise<void> {
    return this.change(id, 'identities', async (tx) => {
      await this.people.lockIdentity(tx, { issuer, subject });
      const owner = await this.people.ownerOf(tx, { issuer, subject });
      if (owner === null) await this.people.addIdentity(tx, id, { issuer, subject });
      else if (owner !== id) throw problems.conflict('That is somebody else already: disconnect them first.');
    });
  }

  /** Neither single sign-on nor the proxy means this person any more; sessions that began so end. Returns how many identities are gone. */
  disconnect(id: string): Promise<number> {
    return this.change(id, 'identities', async (tx) => {
      const gone = await tx.query('DELETE FROM identity WHERE person_id = $1 RETURNING 1', [id]);
      await tx.query(`DELETE FROM session WHERE person_id = $1 AND via IN ('single_sign_on', 'proxy')`, [id]);
      return gone.length;
    });
  }

  /** As a person erases themselves. Throws `conflict` for the last administrator of an organization that has others. */
  erase(id: string): Promise<void> {
    return this.database.transaction((tx) => this.accounts.eraseIn(tx, id));
  }

  private change<T>(id: string, changed: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      if (!(await this.people.lock(tx, id))) throw problems.notFound();
      const result = await work(tx);
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
