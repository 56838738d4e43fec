import { createHash, randomBytes } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ApiKeyService } from '../api-key/api-key.service';
import { recordChange } from '../../audit/audit-log';
import { type Authorship, authorshipOf, type Origin } from '../../audit/authorship';
import type { Caller } from '../../platform/access/caller';
import type { Role } from '../../platform/access/permissions';
import { Config } from '../../platform/config/config';
import { IdentityMetrics } from '../identity.metrics';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Database, type Tx } from '../../platform/database/database';
import { newUuid } from '../../platform/ids/id';
import type { MembershipSource } from '../person/person-row';
import { holds, operatorRight, type Proof, type Right } from '../person/rights';
import type { SignIn } from '../person/sign-ins';
import { endOf, oldest, OPEN } from './session-life';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS } from '../../platform/time/time-units';
import { KnownNetworks } from './known-networks';

/** The maximum number of sessions per person or key. */
const MOST = 50;

/** The maximum number of cookies in each of two caches: for sessions and for invalid cookies. */
const REMEMBERED = 10_000;
/** How long an invalid cookie is cached to avoid repeated lookups. */
const UNKNOWN_MS = 1000;

/** Returns 256 random bits. Only their hash is stored. */
export const newToken = (): string => randomBytes(32).toString('base64url');
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The owner of a new session (UUIDs): a key, or a person with or without one of their organizations. */
export type SessionOf =
  | { orgId: string; keyId: string }
  | {
      orgId: string | null;
      personId: string;
      hasSecondFactor?: boolean;
    };

/** The information that is stored about the device that opened a session. */
export interface Device {
  address: string | null;
  /** The network for counting guesses by strangers, or `null` if a proxy doesn't distinguish the client from others. */
  network: string | null;
  userAgent: string | null;
}

export interface SignedInPerson {
  id: string;
  name: string;
  email: string | null;
  /** Whether the person may call the operator's routes in this session. */
  isOperator: boolean;
  /** Whether a group made the person an operator and this session does not prove the group. */
  isOperatorElsewhere: boolean;
}

/** The session that a cookie belongs to. */
export interface SignedIn {
  /** A UUID, or `null` for a session from an older version. */
  id: string | null;
  via: SignIn | null;
  createdAt: Date;
  expiresAt: Date;
  /**
   * Whether the person has proven a second factor in this session. Also true if no second factor is required anywhere.
   */
  hasSecondFactor: boolean;
  /** The signed-in person, or `null` for a key's session. */
  person: SignedInPerson | null;
  /**
   * The caller with current rights. `null` for a person who has no organization or is no longer in the session's
   * organization.
   */
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
  operator_by_group: boolean | null;
  groups_confirmed_at: Date | null;
  second_factor: boolean;
  needs_second_factor: boolean | null;
  org_id: string | null;
  org_name: string | null;
  is_default: boolean | null;
  role: Role | null;
  source: MembershipSource | null;
}

// Cost: one row by key, plus three more for a person.
const READ = `
  SELECT s.id, s.via, s.key_id, s.person_id, s.created_at, s.last_seen_at, s.second_factor, p.name, p.email, p.is_operator,
         p.operator_by_group, p.groups_confirmed_at, o.id AS org_id, o.name AS org_name, o.is_default, m.role, m.source,
         o.requires_second_factor AS needs_second_factor
    FROM session s
    LEFT JOIN api_key k ON k.id = s.key_id
    LEFT JOIN person p ON p.id = s.person_id
    LEFT JOIN membership m ON m.person_id = s.person_id AND m.org_id = s.org_id
    LEFT JOIN organization o ON o.id = m.org_id AND o.deleted_at IS NULL
   WHERE s.hash = $3 AND ${OPEN}`;

/**
 * Manages browser sessions. An opaque cookie represents an API key, or a person in one organization at a time. A
 * session always has the current rights of its key or membership, and ends when the key or the account does.
 */
@Injectable()
export class SessionService implements OnApplicationBootstrap {
  /** The owner of each known session cookie: an organization or a person (UUID). */
  private readonly known = new BoundedMap<string, string>(REMEMBERED);
  private readonly unknown = new BoundedMap<string, number>(REMEMBERED);
  /** When an action of each key was last recorded. */
  private readonly recorded = new BoundedMap<string, number>(REMEMBERED);

  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyService,
    private readonly clock: Clock,
    private readonly metrics: IdentityMetrics,
    private readonly networks: KnownNetworks,
    private readonly config: Config,
  ) {}

  async open(of: SessionOf, via: SignIn, device: Device, author: Authorship): Promise<string> {
    const token = await this.database.transaction((tx) => this.openIn(tx, of, via, device, author));
    this.remember(token);
    return token;
  }

  /**
   * Opens a session in the caller's transaction. Call `remember` with the token after the commit. If `token` is set and
   * its session exists, nothing happens. Cost: 50 rows by an index.
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
    await this.makeRoom(tx, of);
    const opened = await tx.query(
      `INSERT INTO session (hash, id, key_id, person_id, org_id, via, address, user_agent, created_at, last_seen_at, second_factor)
       VALUES ($1, $2, $3, $4, $5, $6, $7, left($8, 200), $9, $9, $10) ON CONFLICT (hash) DO NOTHING RETURNING 1`,
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
        'personId' in of && of.hasSecondFactor === true,
      ],
    );
    if (opened.length === 0) return token;
    if (personId !== null) {
      await tx.query('UPDATE person SET last_sign_in_at = $2 WHERE id = $1', [personId, now]);
      // From here on, strangers who guess don't lock the person out on this network.
      await this.networks.remember(tx, personId, device.network);
    }
    await this.record(tx, of, 'sign_in', author);
    tx.afterCommit(() => this.metrics.signedIn(via));
    return token;
  }

  /** Records that this token's session exists, so that looking it up needs no admission. */
  remember(token: string): void {
    const id = hashOf(token).toString('base64');
    this.known.set(id, id);
  }

  /**
   * Returns the owner of the cookie's session as of this process's last check, or `null` if the process doesn't know
   * the cookie. Cost: no query.
   */
  knownOwner(cookie: string): string | null {
    return this.known.get(hashOf(cookie).toString('base64')) ?? null;
  }

  /** Loads the sessions that were used before the process started. Cost: one pass over the sessions. */
  async onApplicationBootstrap(): Promise<void> {
    const rows = await this.database.query<{ hash: Buffer; owner: string }>(
      `SELECT s.hash, coalesce(s.org_id, k.org_id, s.person_id) AS owner FROM session s LEFT JOIN api_key k ON k.id = s.key_id
        WHERE s.via IS DISTINCT FROM 'proxy' ORDER BY s.last_seen_at DESC LIMIT ${REMEMBERED}`,
    );
    for (const { hash, owner } of rows.reverse()) this.known.set(hash.toString('base64'), owner);
  }

  /** Records a rejected sign-in in the audit log. */
  async refuse(of: SessionOf, author: Authorship): Promise<void> {
    await this.database.transaction((tx) => this.record(tx, of, 'sign_in_failed', author));
  }

  /**
   * Returns the session for a cookie with current rights, or `null` if it is unknown, expired, or revoked. Calls
   * `admit`, which may throw, before looking up a cookie that is new to this process. `shown` is how the browser
   * presented the token. A session from the proxy is valid only with the proxy's header, and never as a cookie.
   */
  async signedIn(cookie: string, admit: () => void, shown: 'cookie' | 'header' = 'cookie'): Promise<SignedIn | null> {
    const id = hashOf(cookie).toString('base64');
    const monotonic = this.clock.monotonic();
    const isKnown = this.known.has(id);
    if (!isKnown && monotonic - (this.unknown.get(id) ?? -Infinity) < UNKNOWN_MS) return null;
    if (!isKnown) admit();
    const found = await this.find(cookie);
    if (found && (found.via === 'proxy') !== (shown === 'header')) return null;
    if (found) this.known.set(id, found.caller?.orgId ?? found.person?.id ?? id);
    else {
      this.known.delete(id);
      this.unknown.set(id, monotonic);
    }
    return found;
  }

  /** Ends the session. An unknown session isn't an error. The cookie's holder is the author of the log entry. */
  async close(cookie: string, origin: Origin, admit: () => void): Promise<void> {
    const held = await this.signedIn(cookie, admit);
    if (!held) return;
    await this.database.transaction(async (tx) => {
      const ended = await tx.query('DELETE FROM session WHERE hash = $1 RETURNING 1', [hashOf(cookie)]);
      if (ended.length === 0 || held.caller === null) return;
      const { orgId, keyId } = held.caller;
      const of = held.person ? { orgId, personId: held.person.id } : { orgId, keyId: keyId ?? '' };
      await this.record(tx, of, 'sign_out', authorshipOf(held.caller, 'session', origin));
    });
  }

  /**
   * Switches a person's (UUID) session to another of their organizations (UUID), and records the switch in that
   * organization's audit log.
   */
  async moveTo(cookie: string, of: { orgId: string; personId: string }, author: Authorship): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query('UPDATE session SET org_id = $2 WHERE hash = $1 AND person_id = $3', [
        hashOf(cookie),
        of.orgId,
        of.personId,
      ]);
      await this.record(tx, of, 'sign_in', author);
    });
  }

  /**
   * Lets the session (UUID) connect one identity to its person, and returns the proof for `takeConnection`. The session
   * stores only the proof's hash, so that someone who can read the database can't connect their own identity.
   */
  async mayConnect(sessionId: string): Promise<string> {
    const proof = newToken();
    await this.database.query('UPDATE session SET connect_hash = $2 WHERE id = $1', [sessionId, hashOf(proof)]);
    return proof;
  }

  /** Returns whether one of the person's (UUID) open sessions has this proof, and uses the proof up. */
  async takeConnection(tx: Tx, personId: string, proof: string): Promise<boolean> {
    const taken = await tx.query(
      'UPDATE session SET connect_hash = NULL WHERE person_id = $1 AND connect_hash = $2 RETURNING 1',
      [personId, hashOf(proof)],
    );
    return taken.length > 0;
  }

  /** Records that the session's (UUID) person has proven a second factor. */
  async proven(tx: Tx, sessionId: string): Promise<void> {
    await tx.query('UPDATE session SET second_factor = true WHERE id = $1', [sessionId]);
  }

  private async find(cookie: string): Promise<SignedIn | null> {
    const now = this.clock.now();
    const [row] = await this.database.query<SessionRow>(READ, [...oldest(now), hashOf(cookie)]);
    if (!row) return null;
    await this.touch(cookie, row.last_seen_at, now);
    const sessionId = hashOf(cookie).toString('hex');
    const { id, via, created_at: createdAt } = row;
    const proof = this.proofOf(row);
    const shared = { id, via, createdAt, expiresAt: endOf(row), hasSecondFactor: proof.hasSecondFactor };
    if (row.key_id !== null) {
      const caller = await this.keys.callerOfKey(row.key_id);
      return caller && { ...shared, person: null, caller: { ...caller, sessionId } };
    }
    const person = personOf(row, proof, now);
    return person && { ...shared, person, caller: callerOf(row, person, { sessionId, proof, now }) };
  }

  /**
   * Returns which of these sessions (`Caller.sessionId`) are still open. A person's session must also have rights in
   * the organization. This does not count as a use.
   */
  async stillOpen(sessions: readonly { sessionId: string; orgId: string }[]): Promise<Set<string>> {
    if (sessions.length === 0) return new Set();
    const now = this.clock.now();
    const open = await this.database.query<
      Pick<SessionRow, 'via' | 'second_factor' | 'groups_confirmed_at' | 'source' | 'needs_second_factor'> & {
        id: string;
      }
    >(
      `SELECT q.id, s.via, s.second_factor, m.source, p.groups_confirmed_at, o.requires_second_factor AS needs_second_factor
         FROM unnest($3::text[], $4::uuid[]) AS q (id, org_id)
         JOIN session s ON s.hash = decode(q.id, 'hex')
         LEFT JOIN api_key k ON k.id = s.key_id
         LEFT JOIN person p ON p.id = s.person_id
         LEFT JOIN membership m ON m.person_id = s.person_id AND m.org_id = q.org_id
         LEFT JOIN organization o ON o.id = m.org_id AND o.deleted_at IS NULL
        WHERE ${OPEN} AND (s.person_id IS NULL OR (s.org_id = q.org_id AND o.id IS NOT NULL))`,
      [...oldest(now), sessions.map(({ sessionId }) => sessionId), sessions.map(({ orgId }) => orgId)],
    );
    const isHeld = (row: (typeof open)[number]): boolean => {
      const right = rightOf(row);
      return right === null || holds(right, this.proofOf(row), now);
    };
    return new Set(open.filter(isHeld).map(({ id }) => id));
  }

  /** With SECOND_FACTOR=off, every session is treated as if it had proven a second factor. */
  private proofOf({ via, groups_confirmed_at, second_factor }: ProofColumns): Proof {
    const hasSecondFactor = second_factor || !this.config.secondFactor;
    return { via, confirmedAt: groups_confirmed_at, hasSecondFactor };
  }

  /** Records that the session was used. Cost: at most one write per session per minute. */
  private async touch(cookie: string, lastSeenAt: Date, now: Date): Promise<void> {
    if (now.getTime() - lastSeenAt.getTime() < MINUTE_MS) return;
    await this.database.query('UPDATE session SET last_seen_at = $2 WHERE hash = $1', [hashOf(cookie), now]);
  }

  /** Deletes the sessions that have been unused the longest, so that a wall screen stays signed in. */
  private async makeRoom(tx: Tx, of: SessionOf): Promise<void> {
    const [column, id] = 'keyId' in of ? ['key_id', of.keyId] : ['person_id', of.personId];
    await tx.query(
      `DELETE FROM session WHERE hash IN (
         SELECT hash FROM session WHERE ${column} = $1 ORDER BY last_seen_at DESC, created_at DESC OFFSET ${MOST - 1})`,
      [id],
    );
  }

  /**
   * Records a sign-in or sign-out as an action on the key or the person. A person without an organization has no log.
   * Each process records an action on the same key once a minute, so that a program that signs in repeatedly doesn't
   * fill the log. `RateLimits.countSignIn` limits people's sign-ins, and the limits on guesses apply to failed
   * sign-ins.
   */
  private async record(
    tx: Tx,
    of: SessionOf,
    action: 'sign_in' | 'sign_in_failed' | 'sign_out',
    author: Authorship,
  ): Promise<void> {
    if (of.orgId === null) return;
    const { orgId } = of;
    if ('personId' in of) {
      await recordChange(tx, { orgId, action, resource: 'person', id: of.personId, author });
      return;
    }
    const act = `${action} ${of.keyId}`;
    const now = this.clock.monotonic();
    if (now - (this.recorded.get(act) ?? -Infinity) < MINUTE_MS) return;
    await recordChange(tx, { orgId, action, resource: 'session', id: of.keyId, author });
    tx.afterCommit(() => this.recorded.set(act, now));
  }
}

type ProofColumns = Pick<SessionRow, 'via' | 'groups_confirmed_at' | 'second_factor'>;

/** Returns null if there is no membership. */
const rightOf = ({ source, needs_second_factor }: Pick<SessionRow, 'source' | 'needs_second_factor'>): Right | null =>
  source && { source, needsSecondFactor: needs_second_factor === true };

function personOf(row: SessionRow, proof: Proof, now: Date): SignedInPerson | null {
  const { person_id: id, name, email, is_operator, operator_by_group } = row;
  if (id === null || name === null) return null;
  const isHeld = holds(operatorRight(operator_by_group === true), proof, now);
  const isOperator = is_operator === true;
  return { id, name, email, isOperator: isOperator && isHeld, isOperatorElsewhere: isOperator && !isHeld };
}

function callerOf(
  row: SessionRow,
  { id, name, isOperator }: SignedInPerson,
  { sessionId, proof, now }: { sessionId: string; proof: Proof; now: Date },
): Caller | null {
  const { org_id, org_name, is_default, role } = row;
  const right = rightOf(row);
  if (org_id === null || org_name === null || role === null || right === null) return null;
  if (!holds(right, proof, now)) return null;
  const organization = { orgId: org_id, orgName: org_name, isDefaultOrg: is_default === true };
  return { ...organization, role, keyId: null, keyName: name, person: { id, name, isOperator }, sessionId };
}
