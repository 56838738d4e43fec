import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { DAY_MS, MINUTE_MS } from '../../platform/time/time-units';
import { hashOf, newToken } from './session.service';

const VALID_MS = 15 * MINUTE_MS;
/** An invitation waits in somebody's mail or chat. */
export const INVITATION_MS = 7 * DAY_MS;

/** One-time links into the dashboard, `/#/sign-in/<token>`: the token is in the fragment, which no server logs. */
@Injectable()
export class SignInLinks {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a link that signs in once, within 15 minutes, with the oldest valid admin key of the organization "Default",
   * and returns its token. Throws when there is no such key.
   */
  async create(): Promise<string> {
    const token = newToken();
    const now = this.clock.now();
    await this.database.query('DELETE FROM sign_in_link WHERE expires_at <= $1', [now]);
    const made = await this.database.query(
      `INSERT INTO sign_in_link (hash, key_id, expires_at)
       SELECT $1, k.id, $2 FROM api_key k JOIN organization o ON o.id = k.org_id
        WHERE o.is_default AND k.role = 'admin' AND k.hash IS NOT NULL AND (k.expires_at IS NULL OR k.expires_at > $3)
        ORDER BY k.id LIMIT 1 RETURNING key_id`,
      [hashOf(token), new Date(now.getTime() + VALID_MS), now],
    );
    if (made.length === 0) throw new Error('there is no admin key to make a sign-in link for');
    return token;
  }

  /**
   * The token of a link that signs in once, until then, with an invited key (uuid), and gives it a secret. It replaces the
   * link that the key had: no key has two. Removes links whose time is over, by a scan of the unused ones.
   */
  async invite(tx: Tx, keyId: string, expiresAt: Date): Promise<string> {
    const token = newToken();
    await tx.query('DELETE FROM sign_in_link WHERE expires_at <= $1 OR (key_id = $2 AND is_invitation)', [
      this.clock.now(),
      keyId,
    ]);
    await tx.query('INSERT INTO sign_in_link (hash, key_id, expires_at, is_invitation) VALUES ($1, $2, $3, true)', [
      hashOf(token),
      keyId,
      expiresAt,
    ]);
    return token;
  }

  /** Uses the link up; returns the uuid of its key and whether it was still valid. `null` for an unknown or used link. */
  async exchange(token: string): Promise<{ keyId: string; isInTime: boolean; isInvitation: boolean } | null> {
    const [link] = await this.database.query<{ key_id: string; expires_at: Date; is_invitation: boolean }>(
      'DELETE FROM sign_in_link WHERE hash = $1 RETURNING key_id, expires_at, is_invitation',
      [hashOf(token)],
    );
    if (!link) return null;
    return { keyId: link.key_id, isInTime: link.expires_at > this.clock.now(), isInvitation: link.is_invitation };
  }
}
