import { Injectable } from '@nestjs/common';
import type { Role } from '../../platform/access/permissions';
import type { Sql, Tx } from '../../platform/database/database';
import { newUuid } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { type MembershipRow, type MembershipSource, MOST_OF_EMAIL, PERSON_COLUMNS, type PersonRow } from './person-row';
import { holds, type SessionProof } from './rights';

export interface NewPerson {
  name: string;
  email: string | null;
  /** The hash of the password. */
  password: string | null;
  isOperator: boolean;
  /** Whether the single sign-on provider has verified the email. */
  isVerified: boolean;
  /** The organization (UUID) whose invitation was used to create the account with a password. */
  madeByOrgId: string | null;
}

/** A person's identity at a single sign-on provider or at the proxy in front. */
export interface Identity {
  issuer: string;
  subject: string;
}

/** Runs single statements on people and their memberships, each by key. IDs are UUIDs. */
@Injectable()
export class PersonStore {
  constructor(private readonly clock: Clock) {}

  async isAnybodyThere(sql: Sql): Promise<boolean> {
    return (await sql.query('SELECT FROM person LIMIT 1')).length > 0;
  }

  /** Ensures that only one of two concurrent requests creates the first account. Throws `conflict`. */
  async beFirst(tx: Tx): Promise<void> {
    await tx.query('LOCK TABLE person IN SHARE ROW EXCLUSIVE MODE');
    if (await this.isAnybodyThere(tx))
      throw problems.conflict('Someone else has created the first account in the meantime. Ask to be invited.');
  }

  /** Returns the accounts with this email, oldest first. Several people may claim the same email. */
  findByEmail(sql: Sql, email: string): Promise<PersonRow[]> {
    return sql.query<PersonRow>(
      `SELECT ${PERSON_COLUMNS} FROM person p WHERE p.email = $1 ORDER BY p.created_at, p.id LIMIT ${MOST_OF_EMAIL}`,
      [email],
    );
  }

  /** Returns a stored password for this email, or `null` if there is none. A new password shares its salt. */
  async saltOf(sql: Sql, email: string | null): Promise<string | null> {
    const [row] = await sql.query<{ password: string }>(
      'SELECT password FROM person WHERE email = $1 AND password IS NOT NULL ORDER BY created_at, id LIMIT 1',
      [email],
    );
    return row?.password ?? null;
  }

  async find(sql: Sql, id: string): Promise<PersonRow | null> {
    const [row] = await sql.query<PersonRow>(`SELECT ${PERSON_COLUMNS} FROM person p WHERE p.id = $1`, [id]);
    return row ?? null;
  }

  /** Returns the person (UUID) who owns an identity, or `null` if no one does. */
  async ownerOf(sql: Sql, { issuer, subject }: Identity): Promise<string | null> {
    const [row] = await sql.query<{ personId: string }>(
      'SELECT person_id AS "personId" FROM identity WHERE issuer = $1 AND subject = $2',
      [issuer, subject],
    );
    return row?.personId ?? null;
  }

  /** Adds an identity that no one has yet. Call `lockIdentity` before looking it up. */
  async addIdentity(tx: Tx, personId: string, { issuer, subject }: Identity): Promise<void> {
    await tx.query('INSERT INTO identity (issuer, subject, person_id, created_at) VALUES ($1, $2, $3, $4)', [
      issuer,
      subject,
      personId,
      this.clock.now(),
    ]);
  }

  /**
   * Serializes transactions that add the same new identity, so that the second one finds what the first one created.
   */
  async lockIdentity(tx: Tx, { issuer, subject }: Identity): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${issuer} ${subject}`]);
  }

  /** Keeps other transactions from changing or erasing the person until this one ends. */
  async lock(tx: Tx, id: string): Promise<PersonRow | null> {
    const [row] = await tx.query<PersonRow>(`SELECT ${PERSON_COLUMNS} FROM person p WHERE p.id = $1 FOR UPDATE`, [id]);
    return row ?? null;
  }

  /**
   * Stores a new person without an organization. Returns `null` if the provider has verified the email for another
   * account. Also returns `null` if an account has the same email and password, because it belongs to the same person.
   */
  async insert(tx: Tx, person: NewPerson): Promise<PersonRow | null> {
    const now = this.clock.now();
    await this.lockEmail(tx, person.email);
    const [row] = await tx.query<PersonRow>(
      `INSERT INTO person AS p (id, name, email, password, is_operator, email_verified, made_by_org_id, created_at, homeless_since)
       SELECT $1, $2, $3::varchar, $4::varchar, $5, $6, $7::uuid, $8, $8
        WHERE NOT EXISTS (SELECT FROM person WHERE email = $3::varchar AND password = $4::varchar)
       ON CONFLICT DO NOTHING RETURNING ${PERSON_COLUMNS}`,
      [
        newUuid(),
        person.name,
        person.email,
        person.password,
        person.isOperator,
        person.isVerified,
        person.madeByOrgId,
        now,
      ],
    );
    return row ?? null;
  }

  /**
   * Deletes an account with this email that the organization (UUID) created earlier, if the account is no longer in any
   * organization and has only a password. Call this before creating another account, to limit the number of accounts
   * with one email.
   */
  async replaceForgotten(tx: Tx, email: string, orgId: string): Promise<void> {
    await this.lockEmail(tx, email);
    await tx.query(
      `DELETE FROM person p WHERE p.email = $1 AND p.made_by_org_id = $2 AND NOT p.is_operator
          AND NOT EXISTS (SELECT FROM membership m WHERE m.person_id = p.id)
          AND NOT EXISTS (SELECT FROM identity i WHERE i.person_id = p.id)`,
      [email, orgId],
    );
  }

  /** Returns whether an account with this email has this password, hashed with the email's salt. */
  async isSame(sql: Sql, email: string, password: string): Promise<boolean> {
    return (
      (await sql.query('SELECT FROM person WHERE email = $1 AND password = $2 LIMIT 1', [email, password])).length > 0
    );
  }

  /** Blocks other transactions that assign the same email to an account. */
  async lockEmail(tx: Tx, email: string | null): Promise<void> {
    if (email !== null) await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [email]);
  }

  /** Records that the provider has verified a person's (UUID) email, unless it is verified for another account. */
  async verifyEmail(tx: Tx, personId: string, email: string): Promise<void> {
    await this.lockEmail(tx, email);
    await tx.query(
      `UPDATE person SET email_verified = true WHERE id = $1 AND email = $2
          AND NOT EXISTS (SELECT FROM person WHERE email = $2 AND email_verified)`,
      [personId, email],
    );
  }

  /** Grants or revokes operator rights. When a person becomes an operator, the links that open their account end. */
  async setOperator(tx: Tx, personId: string, isOperator: boolean): Promise<void> {
    await tx.query('UPDATE person SET is_operator = $2, operator_by_group = false WHERE id = $1', [
      personId,
      isOperator,
    ]);
    if (isOperator) await this.endLinks(tx, personId);
  }

  /**
   * Grants or revokes operator rights by group. Returns `null` if nothing changes. A person who became an operator
   * through the first account or the command line remains one without a group.
   */
  async setOperatorByGroup(tx: Tx, personId: string, isOperator: boolean): Promise<boolean | null> {
    const [changed] = await tx.query<{ operator: boolean }>(
      `UPDATE person SET is_operator = $2, operator_by_group = $2
        WHERE id = $1 AND CASE WHEN $2 THEN NOT is_operator ELSE operator_by_group END RETURNING is_operator AS operator`,
      [personId, isOperator],
    );
    if (!changed) return null;
    if (isOperator) await this.endLinks(tx, personId);
    return changed.operator;
  }

  /**
   * Adds a member. Returns false if the person is already a member. An invitation replaces a group as the source, so
   * that groups no longer change the membership. Links that open the account end, because they would open this
   * organization as well.
   */
  async join(
    tx: Tx,
    personId: string,
    { orgId, role, source }: { orgId: string; role: Role; source: MembershipSource },
  ): Promise<boolean> {
    const joined = await tx.query(
      `INSERT INTO membership (person_id, org_id, role, source, created_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (person_id, org_id) DO UPDATE SET role = excluded.role, source = excluded.source
         WHERE membership.source = 'groups' AND excluded.source = 'invited' RETURNING 1`,
      [personId, orgId, role, source, this.clock.now()],
    );
    if (joined.length === 0) return false;
    await tx.query('UPDATE person SET homeless_since = NULL WHERE id = $1', [personId]);
    await this.endLinks(tx, personId);
    return true;
  }

  /**
   * Ends a membership. The person's sessions in that organization are then without an organization, and links that open
   * the account end. `person-retention` finds people without an organization.
   */
  async leave(tx: Tx, personId: string, orgId: string): Promise<void> {
    await tx.query('DELETE FROM membership WHERE person_id = $1 AND org_id = $2', [personId, orgId]);
    await tx.query('UPDATE session SET org_id = NULL WHERE person_id = $1 AND org_id = $2', [personId, orgId]);
    await this.endLinks(tx, personId);
  }

  async setRole(tx: Tx, personId: string, orgId: string, role: Role): Promise<void> {
    await tx.query('UPDATE membership SET role = $3 WHERE person_id = $1 AND org_id = $2', [personId, orgId, role]);
  }

  /** Returns a person's organizations, sorted by name. */
  membershipsOf(sql: Sql, personId: string): Promise<MembershipRow[]> {
    return sql.query<MembershipRow>(
      `SELECT m.org_id AS "orgId", o.name AS "orgName", m.role, m.source, m.created_at AS "joinedAt",
              p.groups_confirmed_at AS "confirmedAt", o.requires_second_factor AS "needsSecondFactor"
         FROM membership m JOIN organization o ON o.id = m.org_id AND o.deleted_at IS NULL
         JOIN person p ON p.id = m.person_id
        WHERE m.person_id = $1 ORDER BY o.name, m.org_id`,
      [personId],
    );
  }

  /** Returns the person's organizations that such a session may open, sorted by name. */
  async openTo(sql: Sql, personId: string, session: SessionProof): Promise<MembershipRow[]> {
    const now = this.clock.now();
    const memberships = await this.membershipsOf(sql, personId);
    return memberships.filter((one) => holds(one, { ...session, confirmedAt: one.confirmedAt }, now));
  }

  /**
   * Returns the organization that the person used last, or their first one by name. `null` for a person without an
   * organization.
   */
  async lastOrganization(sql: Sql, personId: string): Promise<string | null> {
    return (await this.byLastVisit(sql, personId))[0]?.orgId ?? null;
  }

  /** Works like `lastOrganization`, limited to organizations that such a session may open. */
  async lastOrganizationOpenTo(sql: Sql, personId: string, session: SessionProof): Promise<string | null> {
    const now = this.clock.now();
    const visited = await this.byLastVisit(sql, personId);
    return visited.find((one) => holds(one, { ...session, confirmedAt: one.confirmedAt }, now))?.orgId ?? null;
  }

  private byLastVisit(
    sql: Sql,
    personId: string,
  ): Promise<Pick<MembershipRow, 'orgId' | 'source' | 'confirmedAt' | 'needsSecondFactor'>[]> {
    return sql.query(
      `SELECT m.org_id AS "orgId", m.source, p.groups_confirmed_at AS "confirmedAt",
              o.requires_second_factor AS "needsSecondFactor" FROM membership m
         JOIN organization o ON o.id = m.org_id AND o.deleted_at IS NULL
         JOIN person p ON p.id = m.person_id
         LEFT JOIN LATERAL (SELECT max(s.last_seen_at) AS at FROM session s
                             WHERE s.person_id = m.person_id AND s.org_id = m.org_id) AS seen ON true
        WHERE m.person_id = $1 ORDER BY seen.at DESC NULLS LAST, o.name`,
      [personId],
    );
  }

  /**
   * Returns whether the organization would have other members but no administrator without this member (UUID). Locks
   * the administrators and the member in ID order, so that concurrent requests see each other's changes.
   */
  async isLastAdmin(tx: Tx, orgId: string, memberId: string): Promise<boolean> {
    const locked = await tx.query<{ id: string; role: Role }>(
      `SELECT person_id AS id, role FROM membership WHERE org_id = $1 AND (role = 'admin' OR person_id = $2)
        ORDER BY person_id FOR UPDATE`,
      [orgId, memberId],
    );
    const [first, ...others] = locked.filter(({ role }) => role === 'admin');
    return first?.id === memberId && others.length === 0 && (await this.countMembers(tx, orgId)) > 1;
  }

  /** Returns the number of members in an organization, optionally limited to one role. */
  async countMembers(sql: Sql, orgId: string, role: Role | null = null): Promise<number> {
    const [row] = await sql.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM membership WHERE org_id = $1 AND ($2::text IS NULL OR role = $2)',
      [orgId, role],
    );
    return row?.count ?? 0;
  }

  /** Sets the password. Also ends all of the person's sessions and the links that open the account. */
  async setPassword(tx: Tx, id: string, password: string): Promise<void> {
    await tx.query('UPDATE person SET password = $2 WHERE id = $1', [id, password]);
    await tx.query('DELETE FROM session WHERE person_id = $1', [id]);
    await this.endLinks(tx, id);
  }

  /** Ends the links that sign the person in or set their password. Returns the number of links. */
  async endLinks(tx: Tx, personId: string): Promise<number> {
    return (await tx.query('DELETE FROM sign_in_link WHERE person_id = $1 RETURNING 1', [personId])).length;
  }
}
