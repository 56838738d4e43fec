import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS } from '../../platform/time/time-units';
import { hashOf, newToken } from './session.service';

const VALID_MS = 15 * MINUTE_MS;

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
        WHERE o.is_default AND k.role = 'admin' AND (k.expires_at IS NULL OR k.expires_at > $3)
        ORDER BY k.id LIMIT 1 RETURNING key_id`,
      [hashOf(token), new Date(now.getTime() + VALID_MS), now],
    );
    if (made.length === 0) throw new Error('there is no admin key to make a sign-in link for');
    return token;
  }

  /** Uses the link up; returns the uuid of its key and whether it was still valid. `null` for an unknown or used link. */
  async exchange(token: string): Promise<{ keyId: string; isInTime: boolean } | null> {
    const [link] = await this.database.query<{ key_id: string; expires_at: Date }>(
      'DELETE FROM sign_in_link WHERE hash = $1 RETURNING key_id, expires_at',
      [hashOf(token)],
    );
    return link ? { keyId: link.key_id, isInTime: link.expires_at > this.clock.now() } : null;
  }
}
