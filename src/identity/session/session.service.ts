import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiKeyService } from '../api-key/api-key.service';
import { recordChange } from '../../audit/audit-log';
import { type Authorship, authorshipOf, type Origin } from '../../audit/authorship';
import type { Caller } from '../../platform/access/caller';
import type { SessionAuthenticator } from './session-cookie';
import { Database } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A session nobody uses ends after this. */
const IDLE_MS = 12 * HOUR_MS;
/** Even a session in use ends after this. */
const LIFETIME_MS = 7 * 24 * HOUR_MS;

/** 256 random bits; what is stored is only their hash. */
export const newToken = (): string => randomBytes(32).toString('base64url');
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Browser sessions: an API key exchanged for an opaque cookie. A session has exactly the rights its key has at the moment,
 * and is gone with the key.
 */
@Injectable()
export class SessionService implements SessionAuthenticator {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyService,
    private readonly clock: Clock,
  ) {}

  /** The cookie value of a new session for the key (uuid). Also forgets the sessions that have run out. */
  async open(orgId: string, keyId: string, author: Authorship): Promise<string> {
    const token = newToken();
    const now = this.clock.now();
    await this.database.transaction(async (tx) => {
      await tx.query('DELETE FROM session WHERE last_seen_at <= $1 OR created_at <= $2', this.limits(now));
      await tx.query('INSERT INTO session (hash, key_id, created_at, last_seen_at) VALUES ($1, $2, $3, $3)', [
        hashOf(token),
        keyId,
        now,
      ]);
      await recordChange(tx, { orgId, action: 'sign_in', resource: 'session', id: keyId, author });
    });
    return token;
  }

  /** Writes down that somebody tried to open one and was refused. */
  async refuse(orgId: string, keyId: string, author: Authorship): Promise<void> {
    await this.database.transaction((tx) =>
      recordChange(tx, { orgId, action: 'sign_in_failed', resource: 'session', id: keyId, author }),
    );
  }

  async authenticate(cookie: string): Promise<Caller | null> {
    const now = this.clock.now();
    const [session] = await this.database.query<{ key_id: string; last_seen_at: Date }>(
      'SELECT key_id, last_seen_at FROM session WHERE hash = $3 AND last_seen_at > $1 AND created_at > $2',
      [...this.limits(now), hashOf(cookie)],
    );
    if (!session) return null;
    await this.touch(cookie, session.last_seen_at, now);
    return this.keys.callerOfKey(session.key_id);
  }

  /** Ends the session; an unknown one is fine. Who asked for it is whoever has the cookie. */
  async close(cookie: string, origin: Origin): Promise<void> {
    const caller = await this.authenticate(cookie);
    await this.database.transaction(async (tx) => {
      const ended = await tx.query('DELETE FROM session WHERE hash = $1 RETURNING 1', [hashOf(cookie)]);
      if (ended.length === 0 || !caller || caller.keyId === null) return;
      const { orgId, keyId: id } = caller;
      const author = authorshipOf(caller, 'session', origin);
      await recordChange(tx, { orgId, action: 'sign_out', resource: 'session', id, author });
    });
  }

  private limits(now: Date): [Date, Date] {
    return [new Date(now.getTime() - IDLE_MS), new Date(now.getTime() - LIFETIME_MS)];
  }

  /** At most one write a minute and session. */
  private async touch(cookie: string, lastSeenAt: Date, now: Date): Promise<void> {
    if (now.getTime() - lastSeenAt.getTime() < MINUTE_MS) return;
    await this.database.query('UPDATE session SET last_seen_at = $2 WHERE hash = $1', [hashOf(cookie), now]);
  }
}
