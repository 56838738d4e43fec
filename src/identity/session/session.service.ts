import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiKeyService } from '../api-key/api-key.service';
import { recordChange } from '../../audit/audit-log';
import { type Authorship, authorshipOf, type Origin } from '../../audit/authorship';
import type { Caller, Role } from '../../platform/access/caller';
import { IdentityMetrics } from '../identity.metrics';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Database, type Tx } from '../../platform/database/database';
import { newUuid } from '../../platform/ids/id';
import { Clock } from '../../platform/time/clock';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/time/time-units';

/** An unused session ends after this. */
const IDLE_MS = 12 * HOUR_MS;
/** A session in use ends after this, too; one that may only read when it was not used for so long, and not before. */
const LIFETIME_MS = 7 * DAY_MS;
/** One that began with single sign-on: whoever leaves a group there is out within a day. */
const SINGLE_SIGN_ON_MS = DAY_MS;
/** Of one person; the oldest goes. */
const MOST_OF_PERSON = 50;

/** `$1` and `$2` from `oldest`. */
const BEGAN_LATE_ENOUGH = `s.created_at > CASE WHEN s.via = 'single_sign_on'
    THEN $2::timestamptz + interval '${LIFETIME_MS - SINGLE_SIGN_ON_MS} milliseconds' ELSE $2::timestamptz END`;

/**
 * Whether a session is not over. With a read key it may be a screen on a wall, which is off at night and has nobody to sign in:
 * it goes on for as long as the key does.
 */
const OPEN = `CASE WHEN k.role = 'read' THEN s.last_seen_at > $2 ELSE s.last_seen_at > $1 AND ${BEGAN_LATE_ENOUGH} END`;

/** Sessions that are remembered as known, and values that are remembered as none. */
const REMEMBERED = 10_000;
/** How long a value that is no session is not looked up again. */
const UNKNOWN_MS = 1000;

/** 256 random bits; only their hash is stored. */
export const newToken = (): string => randomBytes(32).toString('base64url');
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** How somebody signed in. */
export const SIGN_INS = ['api_key', 'sign_in_link', 'password', 'invitation', 'single_sign_on', 'proxy'] as const;
export type SignIn = (typeof SIGN_INS)[number];

/** Whom a new session is for (uuids): a key, or a person in one of their organizations or in none. */
export type SessionOf = { orgId: string; keyId: string } | { orgId: string | null; personId: string };

/** What is kept of where a session began. */
export interface Device {
  address: string | null;
  userAgent: string | null;
}

/** Who is behind a cookie. */
export interface SignedIn {
  /** uuid; `null` for a session that an older version began. */
  id: string | null;
  via: SignIn | null;
  createdAt: Date;
  expiresAt: Date;
  /** Who has an account; `null` for the session of a key. */
  person: { id: string; name: string; email: string | null; isOperator: boolean } | null;
  /** With the current rights; `null` for a person who is in no organization, or not any more in that of the session. */
  caller: Caller | null;
}

interface SessionRow {
  id: string | null;
  via: SignIn | null;
  key_id: string | null;
  person_id: string | null;
  created_at: Date;
  last_seen_at: Date;
  name: string | null;
  email: string | null;
  is_operator: boolean | null;
  org_id: string | null;
  org_name: string | null;
  is_default: boolean | null;
  role: Role | null;
}

// Cost: a row by its key, and of a person three more by theirs.
const READ = `
  SELECT s.id, s.via, s.key_id, s.person_id, s.created_at, s.last_seen_at, p.name, p.email, p.is_operator,
         o.id AS org_id, o.name AS org_name, o.is_default, m.role
    FROM session s
    LEFT JOIN api_key k ON k.id = s.key_id
    LEFT JOIN person p ON p.id = s.person_id
    LEFT JOIN membership m ON m.person_id = s.person_id AND m.org_id = s.org_id
    LEFT JOIN organization o ON o.id = m.org_id AND o.deleted_at IS NULL
   WHERE s.hash = $3 AND ${OPEN}`;

/**
 * Browser sessions: an API key, or a person in one organization at a time, behind an opaque cookie. A session always has the
 * current rights of its key or membership, and ends with the key or the account.
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
    private readonly metrics: IdentityMetrics,
  ) {}

  /** Opens a session and returns the value of its cookie. */
  async open(of: SessionOf, via: SignIn, device: Device, author: Authorship): Promise<string> {
    const token = await this.database.transaction((tx) => this.openIn(tx, of, via, device, author));
    this.remember(token);
    return token;
  }

  /**
   * As `open`, in the transaction of what else a sign-in does; `remember` the token once it has committed. Removes expired sessions.
   * `token`: of a session that there may be already; then nothing happens.
   */
  async openIn(
    tx: Tx,
    of: SessionOf,
    via: SignIn,
    device: Device,
    author: Authorship,
    token = newToken(),
  ): Promise<string> {
    const now = this.clock.now();
    const personId = 'personId' in of ? of.personId : null;
    const keyId = 'keyId' in of ? of.keyId : null;
    await tx.query(
      `DELETE FROM session WHERE hash IN (
         SELECT s.hash FROM session s LEFT JOIN api_key k ON k.id = s.key_id WHERE NOT (${OPEN}))`,
      this.oldest(now),
    );
    if (personId !== null) await this.makeRoom(tx, personId);
    const opened = await tx.query(
      `INSERT INTO session (hash, id, key_id, person_id, org_id, via, address, user_agent, created_at, last_seen_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, left($8, 200), $9, $9) ON CONFLICT (hash) DO NOTHING RETURNING 1`,
      [
        hashOf(token),
        newUuid(),
        keyId,
        personId,
        personId === null ? null : of.orgId,
        via,
        device.address,
        device.userAgent,
        now,
      ],
    );
    if (opened.length === 0) return token;
    if (personId !== null) await tx.query('UPDATE person SET last_sign_in_at = $2 WHERE id = $1', [personId, now]);
    await recordSignIn(tx, of, 'sign_in', author);
    tx.afterCommit(() => this.metrics.signedIn(via));
    return token;
  }

  /** The session of this token exists: who uses it need not be admitted to a look-up. */
  remember(token: string): void {
    this.known.set(hashOf(token).toString('base64'), true);
  }

  /** Records in the audit log that a sign-in was refused. */
  async refuse(of: SessionOf, author: Authorship): Promise<void> {
    await this.database.transaction((tx) => recordSignIn(tx, of, 'sign_in_failed', author));
  }

  /**
   * Who is behind the cookie, with current rights, or `null` for an unknown, expired or revoked session. `admit` is called, and
   * may throw, before a cookie is looked up that this process does not know as a session.
   */
  async signedIn(cookie: string, admit: () => void): Promise<SignedIn | null> {
    const id = hashOf(cookie).toString('base64');
    const monotonic = this.clock.monotonic();
    const isKnown = this.known.get(id) === true;
    if (!isKnown && monotonic - (this.unknown.get(id) ?? -Infinity) < UNKNOWN_MS) return null;
    if (!isKnown) admit();
    const found = await this.find(cookie);
    if (found) this.known.set(id, true);
    else {
      this.known.delete(id);
      this.unknown.set(id, monotonic);
    }
    return found;
  }

  /** Ends the session; an unknown one is no error. The holder of the cookie is the author of the entry. */
  async close(cookie: string, origin: Origin, admit: () => void): Promise<void> {
    const held = await this.signedIn(cookie, admit);
    if (!held) return;
    await this.database.transaction(async (tx) => {
      const ended = await tx.query('DELETE FROM session WHERE hash = $1 RETURNING 1', [hashOf(cookie)]);
      if (ended.length === 0 || held.caller === null) return;
      const { orgId, keyId } = held.caller;
      const of = held.person ? { orgId, personId: held.person.id } : { orgId, keyId: keyId ?? '' };
      await recordSignIn(tx, of, 'sign_out', authorshipOf(held.caller, 'session', origin));
    });
  }

  /** The session of a person (uuid) stands for another of their organizations (uuid) from now on, whose audit log says so. */
  async moveTo(cookie: string, of: { orgId: string; personId: string }, author: Authorship): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query('UPDATE session SET org_id = $2 WHERE hash = $1 AND person_id = $3', [
        hashOf(cookie),
        of.orgId,
        of.personId,
      ]);
      await recordSignIn(tx, of, 'sign_in', author);
    });
  }

  private async find(cookie: string): Promise<SignedIn | null> {
    const now = this.clock.now();
    const [row] = await this.database.query<SessionRow>(READ, [...this.oldest(now), hashOf(cookie)]);
    if (!row) return null;
    await this.touch(cookie, row.last_seen_at, now);
    const sessionId = hashOf(cookie).toString('hex');
    const { id, via, created_at: createdAt } = row;
    const shared = { id, via, createdAt, expiresAt: endOf(row) };
    if (row.key_id !== null) {
      const caller = await this.keys.callerOfKey(row.key_id);
      return caller && { ...shared, person: null, caller: { ...caller, sessionId } };
    }
    const person = personOf(row);
    return person && { ...shared, person, caller: callerOf(row, person, sessionId) };
  }

  /** Which of these sessions (`Caller.sessionId`) are neither over nor closed, of a person in the same organization. Asking is no use of a session. */
  async stillOpen(sessions: readonly { sessionId: string; orgId: string }[]): Promise<Set<string>> {
    if (sessions.length === 0) return new Set();
    const open = await this.database.query<{ id: string }>(
      `SELECT q.id FROM unnest($3::text[], $4::uuid[]) AS q (id, org_id)
         JOIN session s ON s.hash = decode(q.id, 'hex')
         LEFT JOIN api_key k ON k.id = s.key_id
        WHERE ${OPEN} AND (s.person_id IS NULL OR (s.org_id = q.org_id
          AND EXISTS (SELECT FROM membership m JOIN organization o ON o.id = m.org_id AND o.deleted_at IS NULL
                       WHERE m.person_id = s.person_id AND m.org_id = q.org_id)))`,
      [
        ...this.oldest(this.clock.now()),
        sessions.map(({ sessionId }) => sessionId),
        sessions.map(({ orgId }) => orgId),
      ],
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

  private async makeRoom(tx: Tx, personId: string): Promise<void> {
    await tx.query(
      `DELETE FROM session WHERE hash IN (
         SELECT hash FROM session WHERE person_id = $1 ORDER BY created_at DESC OFFSET ${MOST_OF_PERSON - 1})`,
      [personId],
    );
  }
}

/** When a session ends, however much it is used. */
export const endOf = ({ created_at, via }: Pick<SessionRow, 'created_at' | 'via'>): Date =>
  new Date(created_at.getTime() + (via === 'single_sign_on' ? SINGLE_SIGN_ON_MS : LIFETIME_MS));

function personOf({ person_id, name, email, is_operator }: SessionRow): SignedIn['person'] {
  return person_id === null || name === null ? null : { id: person_id, name, email, isOperator: is_operator === true };
}

function callerOf(
  { org_id, org_name, is_default, role }: SessionRow,
  { id, name, isOperator }: NonNullable<SignedIn['person']>,
  sessionId: string,
): Caller | null {
  if (org_id === null || org_name === null || role === null) return null;
  const organization = { orgId: org_id, orgName: org_name, isDefaultOrg: is_default === true };
  return { ...organization, role, keyId: null, keyName: name, person: { id, name, isOperator }, sessionId };
}

/** Acts on the key, or on the person; a person who is in no organization has no log that would take it. */
async function recordSignIn(
  tx: Tx,
  of: SessionOf,
  action: 'sign_in' | 'sign_in_failed' | 'sign_out',
  author: Authorship,
): Promise<void> {
  if (of.orgId === null) return;
  const on =
    'keyId' in of
      ? ({ resource: 'session', id: of.keyId } as const)
      : ({ resource: 'person', id: of.personId } as const);
  await recordChange(tx, { orgId: of.orgId, action, ...on, author });
}
