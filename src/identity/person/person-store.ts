import { Injectable } from '@nestjs/common';
import type { Role } from '../../platform/access/caller';
import type { Sql, Tx } from '../../platform/database/database';
import { newUuid } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { type MembershipRow, type MembershipSource, PERSON_COLUMNS, type PersonRow } from './person-row';

/** An account that is to be made. */
export interface NewPerson {
  name: string;
  email: string | null;
  /** Hashed. */
  password: string | null;
  isOperator: boolean;
}

/** Who somebody is for a single sign-on, or for the proxy in front. */
export interface Identity {
  issuer: string;
  subject: string;
}

/** Single statements about people and their place in organizations; each by a key. Ids are uuids. */
@Injectable()
export class PersonStore {
  constructor(private readonly clock: Clock) {}

  async isAnybodyThere(sql: Sql): Promise<boolean> {
    return (await sql.query('SELECT FROM person LIMIT 1')).length > 0;
  }

  /** Of two that race for the first account one makes it. Throws `conflict`. */
  async beFirst(tx: Tx): Promise<void> {
    await tx.query('LOCK TABLE person IN SHARE ROW EXCLUSIVE MODE');
    if (await this.isAnybodyThere(tx))
      throw problems.conflict('Somebody has made the first account meanwhile: ask to be invited.');
  }

  async findByEmail(sql: Sql, email: string): Promise<PersonRow | null> {
    const [row] = await sql.query<PersonRow>(`SELECT ${PERSON_COLUMNS} FROM person p WHERE p.email = $1`, [email]);
    return row ?? null;
  }

  async find(sql: Sql, id: string): Promise<PersonRow | null> {
    const [row] = await sql.query<PersonRow>(`SELECT ${PERSON_COLUMNS} FROM person p WHERE p.id = $1`, [id]);
    return row ?? null;
  }

  /** Whose identity it is (uuid); `null` for one that nobody has. */
  async ownerOf(sql: Sql, { issuer, subject }: Identity): Promise<string | null> {
    const [row] = await sql.query<{ personId: string }>(
      'SELECT person_id AS "personId" FROM identity WHERE issuer = $1 AND subject = $2',
      [issuer, subject],
    );
    return row?.personId ?? null;
  }

  /** For an identity that nobody has: `lockIdentity` before it is looked for. */
  async addIdentity(tx: Tx, personId: string, { issuer, subject }: Identity): Promise<void> {
    await tx.query('INSERT INTO identity (issuer, subject, person_id, created_at) VALUES ($1, $2, $3, $4)', [
      issuer,
      subject,
      personId,
      this.clock.now(),
    ]);
  }

  /** Of two transactions that come with one new identity the second waits, and finds what the first has made. */
  async lockIdentity(tx: Tx, { issuer, subject }: Identity): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${issuer} ${subject}`]);
  }

  /** Keeps others from changing or erasing the person until the transaction ends. */
  async lock(tx: Tx, id: string): Promise<PersonRow | null> {
    const [row] = await tx.query<PersonRow>(`SELECT ${PERSON_COLUMNS} FROM person p WHERE p.id = $1 FOR UPDATE`, [id]);
    return row ?? null;
  }

  /** `null` when somebody has the e-mail. In no organization yet. */
  async insert(tx: Tx, person: NewPerson): Promise<PersonRow | null> {
    const now = this.clock.now();
    const [row] = await tx.query<PersonRow>(
      `INSERT INTO person AS p (id, name, email, password, is_operator, created_at, homeless_since)
       VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT (email) DO NOTHING RETURNING ${PERSON_COLUMNS}`,
      [newUuid(), person.name, person.email, person.password, person.isOperator, now],
    );
    return row ?? null;
  }

  async makeOperator(tx: Tx, personId: string): Promise<void> {
    await tx.query('UPDATE person SET is_operator = true WHERE id = $1', [personId]);
  }

  /** Whether they were not a member before. */
  async join(
    tx: Tx,
    personId: string,
    { orgId, role, source }: { orgId: string; role: Role; source: MembershipSource },
  ): Promise<boolean> {
    const joined = await tx.query(
      `INSERT INTO membership (person_id, org_id, role, source, created_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (person_id, org_id) DO NOTHING RETURNING 1`,
      [personId, orgId, role, source, this.clock.now()],
    );
    if (joined.length > 0) await tx.query('UPDATE person SET homeless_since = NULL WHERE id = $1', [personId]);
    return joined.length > 0;
  }

  /** The membership is over; sessions in that organization stand for none from now on. Who is in none is found by `person-retention`. */
  async leave(tx: Tx, personId: string, orgId: string): Promise<void> {
    await tx.query('DELETE FROM membership WHERE person_id = $1 AND org_id = $2', [personId, orgId]);
    await tx.query('UPDATE session SET org_id = NULL WHERE person_id = $1 AND org_id = $2', [personId, orgId]);
  }

  /** Of a membership that there is. */
  async setRole(tx: Tx, personId: string, orgId: string, role: Role): Promise<void> {
    await tx.query('UPDATE membership SET role = $3 WHERE person_id = $1 AND org_id = $2', [personId, orgId, role]);
  }

  /** The organizations of a person, by name. */
  membershipsOf(sql: Sql, personId: string): Promise<MembershipRow[]> {
    return sql.query<MembershipRow>(
      `SELECT m.org_id AS "orgId", o.name AS "orgName", m.role, m.source, m.created_at AS "joinedAt"
         FROM membership m JOIN organization o ON o.id = m.org_id AND o.deleted_at IS NULL
        WHERE m.person_id = $1 ORDER BY o.name, m.org_id`,
      [personId],
    );
  }

  /** Where the person was last; else the first by name; `null` for who is in none. */
  async lastOrganization(sql: Sql, personId: string): Promise<string | null> {
    const [row] = await sql.query<{ orgId: string }>(
      `SELECT m.org_id AS "orgId" FROM membership m
         JOIN organization o ON o.id = m.org_id AND o.deleted_at IS NULL
         LEFT JOIN LATERAL (SELECT max(s.last_seen_at) AS at FROM session s
                             WHERE s.person_id = m.person_id AND s.org_id = m.org_id) AS seen ON true
        WHERE m.person_id = $1 ORDER BY seen.at DESC NULLS LAST, o.name LIMIT 1`,
      [personId],
    );
    return row?.orgId ?? null;
  }

  /**
   * Whether nobody would look after the others if this member (uuid) were no administrator of the organization any more. Locks
   * the administrators and the member, in id order: of two requests one sees what the other has done.
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

  /** The members of an organization, or those of them with one role. */
  async countMembers(sql: Sql, orgId: string, role: Role | null = null): Promise<number> {
    const [row] = await sql.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM membership WHERE org_id = $1 AND ($2::text IS NULL OR role = $2)',
      [orgId, role],
    );
    return row?.count ?? 0;
  }

  async setPassword(tx: Tx, id: string, password: string): Promise<void> {
    await tx.query('UPDATE person SET password = $2 WHERE id = $1', [id, password]);
  }
}
