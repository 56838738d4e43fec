import { Injectable } from '@nestjs/common';
import { authorName } from '../../platform/access/author';
import { Database, type Sql, type Tx } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { DAY_MS, MINUTE_MS } from '../../platform/time/time-units';
import { type Maker, makerIsAdmin, opensOnly } from '../person/maker';
import { hashOf, newToken } from './session.service';

const VALID_MS = 15 * MINUTE_MS;
const PASSWORD_MS = DAY_MS;

/** The creator of links that were created on the command line. */
const NOBODY: Maker = { personId: null, keyId: null, name: null };

/**
 * The purpose of a link: to sign in, to create the first account (`first`, the start link), or to set a new password.
 */
type Purpose = 'sign_in' | 'first' | 'password';

/** An open link as shown to users: its creator, when it was created, and when it expires. */
export interface OpenLink {
  by: string | null;
  at: Date;
  until: Date;
}

/** An unused link, expired or not. Exactly one of the IDs (UUIDs) is set. */
export interface SignInLink {
  keyId: string | null;
  personId: string | null;
  purpose: Purpose;
  /** Whether 0.1.0 created the link as an invitation. If so, using the link gives the key a secret. */
  isInvitation: boolean;
  expiresAt: Date;
  isInTime: boolean;
}

const COLUMNS = `l.key_id AS "keyId", l.person_id AS "personId", l.purpose, l.is_invitation AS "isInvitation", l.expires_at AS "expiresAt"`;

/**
 * SQL: whether a link (`l`) is still valid. For a link that sets a password, the conditions under which it was created
 * must still be met: the account can access only that organization, and the link's creator is still an admin there.
 * Start links and links from the command line have no such conditions.
 */
const holds = (now: string): string =>
  `(l.purpose <> 'password' OR (${opensOnly('l.org_id', 'l.person_id')} AND ${makerIsAdmin('l', now, 'false')}))`;

/**
 * SQL, for `LEFT JOIN LATERAL`: the open link that sets the password for the person `p`. `now` is a parameter. Cost:
 * one or two rows by the index on the person's links.
 */
export const openPasswordLink = (now: string): string => `
  SELECT ${authorName('l.created_by', 'l.created_by_id')} AS by, l.created_at AS at, l.expires_at AS until
    FROM sign_in_link l WHERE l.person_id = p.id AND l.purpose = 'password' AND l.expires_at > ${now} AND ${holds(now)} LIMIT 1`;

/**
 * Manages one-time links to the dashboard, `/#/sign-in/<token>`. The token is in the fragment, which no server logs.
 */
@Injectable()
export class SignInLinks {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a link that signs in once within 15 minutes with the oldest valid admin key of the Default organization.
   * Returns the link's token. If no account exists yet, the link creates the first one. Throws if there is no such key.
   */
  async create(): Promise<string> {
    const token = newToken();
    const now = this.clock.now();
    await this.database.query('DELETE FROM sign_in_link WHERE expires_at <= $1', [now]);
    const made = await this.database.query(
      `INSERT INTO sign_in_link (hash, key_id, expires_at, purpose)
       SELECT $1, k.id, $2, 'first' FROM api_key k JOIN organization o ON o.id = k.org_id
        WHERE o.is_default AND k.role = 'admin' AND k.hash IS NOT NULL AND (k.expires_at IS NULL OR k.expires_at > $3)
        ORDER BY k.id LIMIT 1 RETURNING key_id`,
      [hashOf(token), new Date(now.getTime() + VALID_MS), now],
    );
    if (made.length === 0) throw new Error('there is no admin key from which a sign-in link can be created');
    return token;
  }

  /**
   * Creates a link that signs a person (UUID) in, and replaces any previous link. Only for the command line, because it
   * has no restrictions.
   */
  makeSignIn(tx: Tx, personId: string): Promise<{ token: string; expiresAt: Date }> {
    return this.make(tx, personId, { purpose: 'sign_in', validMs: VALID_MS, orgId: null, by: NOBODY });
  }

  /**
   * Creates a link with which a person (UUID) can set a password, and replaces any previous link. `mayOpen` decides
   * whether the organization (UUID) may create it.
   */
  makePassword(tx: Tx, personId: string, orgId: string, by: Maker): Promise<{ token: string; expiresAt: Date }> {
    return this.make(tx, personId, { purpose: 'password', validMs: PASSWORD_MS, orgId, by });
  }

  /**
   * Returns whether an organization may open a person's account (UUIDs). It may if the account can access nothing else.
   */
  async mayOpen(sql: Sql, orgId: string, personId: string): Promise<boolean> {
    return (await sql.query(`SELECT WHERE ${opensOnly('$1::uuid', '$2::uuid')}`, [orgId, personId])).length > 0;
  }

  /** Returns the open link that sets a person's (UUID) password. */
  async openPassword(personId: string): Promise<OpenLink | null> {
    const [row] = await this.database.query<OpenLink>(
      `SELECT link.by, link.at, link.until FROM person p JOIN LATERAL (${openPasswordLink('$2')}) AS link ON true WHERE p.id = $1`,
      [personId, this.clock.now()],
    );
    return row ?? null;
  }

  /** Works like `openPassword`, for all people. */
  openPasswords(): Promise<(OpenLink & { personId: string })[]> {
    return this.database.query<OpenLink & { personId: string }>(
      `SELECT p.id AS "personId", link.by, link.at, link.until
         FROM person p JOIN LATERAL (${openPasswordLink('$1')}) AS link ON true`,
      [this.clock.now()],
    );
  }

  /** Ends the links with which a person (UUID) can set a password. Returns the number of links. */
  async endPassword(tx: Tx, personId: string): Promise<number> {
    const ended = await tx.query(
      `DELETE FROM sign_in_link WHERE person_id = $1 AND purpose = 'password' AND expires_at > $2 RETURNING 1`,
      [personId, this.clock.now()],
    );
    return ended.length;
  }

  /**
   * Uses up the link if it is still valid. Returns `null` for any other link, including unknown and used links. Lock
   * the link's person first, so that a change that would end the link waits.
   */
  async exchange(token: string, sql: Sql = this.database): Promise<SignInLink | null> {
    return this.first(
      await sql.query<Omit<SignInLink, 'isInTime'>>(
        `DELETE FROM sign_in_link l WHERE l.hash = $1 AND ${holds('$2')} RETURNING ${COLUMNS}`,
        [hashOf(token), this.clock.now()],
      ),
    );
  }

  /** Returns a link without using it, or `null` in the same cases as `exchange`. */
  async find(token: string): Promise<SignInLink | null> {
    return this.first(
      await this.database.query<Omit<SignInLink, 'isInTime'>>(
        `SELECT ${COLUMNS} FROM sign_in_link l WHERE l.hash = $1 AND ${holds('$2')}`,
        [hashOf(token), this.clock.now()],
      ),
    );
  }

  private async make(
    tx: Tx,
    personId: string,
    { purpose, validMs, orgId, by }: { purpose: Purpose; validMs: number; orgId: string | null; by: Maker },
  ): Promise<{ token: string; expiresAt: Date }> {
    const token = newToken();
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + validMs);
    await tx.query('DELETE FROM sign_in_link WHERE expires_at <= $1 OR (person_id = $2 AND purpose = $3)', [
      now,
      personId,
      purpose,
    ]);
    await tx.query(
      `INSERT INTO sign_in_link (hash, person_id, expires_at, purpose, org_id, created_by_id, created_by_key_id, created_by, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [hashOf(token), personId, expiresAt, purpose, orgId, by.personId, by.keyId, by.name, now],
    );
    return { token, expiresAt };
  }

  private first([link]: Omit<SignInLink, 'isInTime'>[]): SignInLink | null {
    return link ? { ...link, isInTime: link.expiresAt > this.clock.now() } : null;
  }
}
