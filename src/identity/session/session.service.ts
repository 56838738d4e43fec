import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiKeyService } from '../api-key/api-key.service';
import { recordChange } from '../../audit/audit-log';
import { type Authorship, authorshipOf, type Origin } from '../../audit/authorship';
import type { Caller } from '../../platform/access/caller';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Database } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/time/time-units';

/** An unused session ends after this. */
const IDLE_MS = 12 * HOUR_MS;
/** A session in use ends after this, too; one that may only read when it was not used for so long, and not before. */
const LIFETIME_MS = 7 * DAY_MS;

/**
 * Whether a session is not over: `$1` and `$2` from `oldest`. With a read key it may be a screen on a wall, which is off at
 * night and has nobody to sign in: it goes on for as long as the key does.
 */
const OPEN = `CASE WHEN k.role = 'read' THEN s.last_seen_at > $2 ELSE s.last_seen_at > $1 AND s.created_at > $2 END`;

/** Sessions that are remembered as known, and values that are remembered as none. */
const REMEMBERED = 10_000;
/** How long a value that is no session is not looked up again. */
const UNKNOWN_MS = 1000;

/** 256 random bits; only their hash is stored. */
export const newToken = (): string => randomBytes(32).toString('base64url');
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Browser sessions: an API key exchanged for an opaque cookie. A session always has the current rights of its key, and ends
 * with the key.
 */
@Injectable()
export class SessionService {
  /** Values of cookies that were a session when they were last looked up. */
  private readonly known = new BoundedMap<string, true>(REMEMBERED);
  private readonly unknown = new BoundedMap<string, number>(REMEMBERED);

  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyService,
    private readonly clock: Clock,
  ) {}

  /** Opens a session for the key (uuid) and returns the value of its cookie. Also removes expired sessions. */
  async open(orgId: string, keyId: string, author: Authorship): Promise<string> {
    const token = newToken();
    const now = this.clock.now();
    await this.database.transaction(async (tx) => {
      await tx.query(`DELETE FROM session s USING api_key k WHERE k.id = s.key_id AND NOT (${OPEN})`, this.oldest(now));
      await tx.query('INSERT INTO session (hash, key_id, created_at, last_seen_at) VALUES ($1, $2, $3, $3)', [
        hashOf(token),
        keyId,
        now,
      ]);
      await recordChange(tx, { orgId, action: 'sign_in', resource: 'session', id: keyId, author });
    });
    this.known.set(hashOf(token).toString('base64'), true);
    return token;
  }

  /** Records in the audit log that a sign-in with this key was refused. */
  async refuse(orgId: string, keyId: string, author: Authorship): Promise<void> {
    await this.database.transaction((tx) =>
      recordChange(tx, { orgId, action: 'sign_in_failed', resource: 'session', id: keyId, author }),
    );
  }

  /**
   * The caller with the current rights of its key, or `null` for an unknown, expired or revoked session. `admit` is called,
   * and may throw, before a cookie is looked up that this process does not know as a session.
   */
  async authenticate(cookie: string, admit: () => void): Promise<Caller | null> {
    const id = hashOf(cookie).toString('base64');
    const monotonic = this.clock.monotonic();
    const isKnown = this.known.get(id) === true;
    if (!isKnown && monotonic - (this.unknown.get(id) ?? -Infinity) < UNKNOWN_MS) return null;
    if (!isKnown) admit();
    const caller = await this.callerOf(cookie);
    if (caller) this.known.set(id, true);
    else {
      this.known.delete(id);
      this.unknown.set(id, monotonic);
    }
    return caller;
  }

  /** Ends the session; an unknown one is no error. The holder of the cookie is the author of the entry. */
  async close(cookie: string, origin: Origin, admit: () => void): Promise<void> {
    const caller = await this.authenticate(cookie, admit);
    if (!caller || caller.keyId === null) return;
    const { orgId, keyId: id } = caller;
    await this.database.transaction(async (tx) => {
      const ended = await tx.query('DELETE FROM session WHERE hash = $1 RETURNING 1', [hashOf(cookie)]);
      if (ended.length === 0) return;
      const author = authorshipOf(caller, 'session', origin);
      await recordChange(tx, { orgId, action: 'sign_out', resource: 'session', id, author });
    });
  }

  private async callerOf(cookie: string): Promise<Caller | null> {
    const now = this.clock.now();
    const [session] = await this.database.query<{ key_id: string; last_seen_at: Date }>(
      `SELECT s.key_id, s.last_seen_at FROM session s JOIN api_key k ON k.id = s.key_id WHERE s.hash = $3 AND ${OPEN}`,
      [...this.oldest(now), hashOf(cookie)],
    );
    if (!session) return null;
    await this.touch(cookie, session.last_seen_at, now);
    const caller = await this.keys.callerOfKey(session.key_id);
    return caller && { ...caller, sessionId: hashOf(cookie).toString('hex') };
  }

  /** Which of these sessions (`Caller.sessionId`) are neither over nor closed. Asking is no use of a session. */
  async stillOpen(sessionIds: readonly string[]): Promise<Set<string>> {
    if (sessionIds.length === 0) return new Set();
    const open = await this.database.query<{ id: string }>(
      `SELECT encode(s.hash, 'hex') AS id FROM session s JOIN api_key k ON k.id = s.key_id
        WHERE s.hash = ANY (SELECT decode(id, 'hex') FROM unnest($3::text[]) AS id) AND ${OPEN}`,
      [...this.oldest(this.clock.now()), sessionIds],
    );
    return new Set(open.map(({ id }) => id));
  }

  /** A session that was used, or made, before is over: see `OPEN`. */
  private oldest(now: Date): [used: Date, made: Date] {
    return [new Date(now.getTime() - IDLE_MS), new Date(now.getTime() - LIFETIME_MS)];
  }

  /** Notes that the session was used: at most one write per session and minute. */
  private async touch(cookie: string, lastSeenAt: Date, now: Date): Promise<void> {
    if (now.getTime() - lastSeenAt.getTime() < MINUTE_MS) return;
    await this.database.query('UPDATE session SET last_seen_at = $2 WHERE hash = $1', [hashOf(cookie), now]);
  }
}
