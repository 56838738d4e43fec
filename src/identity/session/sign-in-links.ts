import { Injectable } from '@nestjs/common';
import { Database, type Sql, type Tx } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { DAY_MS, MINUTE_MS } from '../../platform/time/time-units';
import { hashOf, newToken } from './session.service';

const VALID_MS = 15 * MINUTE_MS;
const PASSWORD_MS = DAY_MS;

/** What a link is for: to sign in, `first` (of the start: whoever has it may make the first account), or to set a new password. */
type Purpose = 'sign_in' | 'first' | 'password';

/** A link that nobody has used yet, in time or not. Exactly one of the ids (uuids) is set. */
export interface SignInLink {
  keyId: string | null;
  personId: string | null;
  purpose: Purpose;
  /** As 0.1.0 made them for people: it gives its key a secret. */
  isInvitation: boolean;
  expiresAt: Date;
  isInTime: boolean;
}

const COLUMNS = `key_id AS "keyId", person_id AS "personId", purpose, is_invitation AS "isInvitation", expires_at AS "expiresAt"`;

/** One-time links into the dashboard, `/#/sign-in/<token>`: the token is in the fragment, which no server logs. */
@Injectable()
export class SignInLinks {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a link that signs in once, within 15 minutes, with the oldest valid admin key of the organization "Default",
   * and returns its token. While nobody has an account it makes the first one. Throws when there is no such key.
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
    if (made.length === 0) throw new Error('there is no admin key to make a sign-in link for');
    return token;
  }

  /** The token of a link for a person (uuid), and until when it works. It replaces the one that they had for the same. */
  async makeFor(
    tx: Tx,
    personId: string,
    purpose: 'sign_in' | 'password',
  ): Promise<{ token: string; expiresAt: Date }> {
    const token = newToken();
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + (purpose === 'password' ? PASSWORD_MS : VALID_MS));
    await tx.query('DELETE FROM sign_in_link WHERE expires_at <= $1 OR (person_id = $2 AND purpose = $3)', [
      now,
      personId,
      purpose,
    ]);
    await tx.query('INSERT INTO sign_in_link (hash, person_id, expires_at, purpose) VALUES ($1, $2, $3, $4)', [
      hashOf(token),
      personId,
      expiresAt,
      purpose,
    ]);
    return { token, expiresAt };
  }

  /** Uses the link up; `null` for an unknown or used one. */
  async exchange(token: string, sql: Sql = this.database): Promise<SignInLink | null> {
    return this.first(
      await sql.query<Omit<SignInLink, 'isInTime'>>(`DELETE FROM sign_in_link WHERE hash = $1 RETURNING ${COLUMNS}`, [
        hashOf(token),
      ]),
    );
  }

  /** Looks at a link without using it. */
  async find(token: string): Promise<SignInLink | null> {
    return this.first(
      await this.database.query<Omit<SignInLink, 'isInTime'>>(`SELECT ${COLUMNS} FROM sign_in_link WHERE hash = $1`, [
        hashOf(token),
      ]),
    );
  }

  private first([link]: Omit<SignInLink, 'isInTime'>[]): SignInLink | null {
    return link ? { ...link, isInTime: link.expiresAt > this.clock.now() } : null;
  }
}
