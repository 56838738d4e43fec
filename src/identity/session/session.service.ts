import { createHash, randomBytes } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ApiKeyService } from '../api-key/api-key.service';
import { recordChange } from '../../audit/audit-log';
import { type Authorship, authorshipOf, type Origin } from '../../audit/authorship';
import type { Caller, Role } from '../../platform/access/caller';
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

/** Sessions of one person, or of one key. */
const MOST = 50;

/** Sessions that are remembered as known, and values that are remembered as none. */
const REMEMBERED = 10_000;
/** How long a value that is no session is not looked up again. */
const UNKNOWN_MS = 1000;

/** 256 random bits; only their hash is stored. */
export const newToken = (): string => randomBytes(32).toString('base64url');
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Whom a new session is for (uuids): a key, or a person in one of their organizations or in none. */
export type SessionOf =
  | { orgId: string; keyId: string }
  | {
      orgId: string | null;
      personId: string;
      /** The sign-in has proven a second factor. */ hasSecondFactor?: boolean;
    };

/** What is kept of where a session began. */
export interface Device {
  address: string | null;
  /** By which strangers who guess are counted; `null` for a client that a proxy does not tell from others. */
  network: string | null;
  userAgent: string | null;
}

/** The person behind a session. */
export interface SignedInPerson {
  id: string;
  name: string;
  email: string | null;
  /** Whether they may call the operator's routes in this session. */
  isOperator: boolean;
  /** Whether a group made them an operator, and this session does not prove the group. */
  isOperatorElsewhere: boolean;
}

/** Who is behind a cookie. */
export interface SignedIn {
  /** uuid; `null` for a session that an older version began. */
  id: string | null;
  via: SignIn | null;
  createdAt: Date;
  expiresAt: Date;
  /** The person has proven a second factor in this session, or no one is asked for one. */
  hasSecondFactor: boolean;
  /** Who has an account; `null` for the session of a key. */
  person: SignedInPerson | null;
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

// Cost: a row by its key, and of a person three more by theirs.
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
 * Browser sessions: an API key, or a person in one organization at a time, behind an opaque cookie. A session always has the
 * current rights of its key or membership, and ends with the key or the account.
 */
@Injectable()
export class SessionService implements OnApplicationBootstrap {
  /** Values of cookies that were a session when they were last looked up, and whose: an organization's or a person's (uuid). */
  private readonly known = new BoundedMap<string, string>(REMEMBERED);
  private readonly unknown = new BoundedMap<string, number>(REMEMBERED);
  /** When an act on a key was last recorded. */
  private readonly recorded = new BoundedMap<string, number>(REMEMBERED);

  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyService,
    private readonly clock: Clock,
    private readonly metrics: IdentityMetrics,
    private readonly networks: KnownNetworks,
    private readonly config: Config,
  ) {}

  /** Opens a session and returns the value of its cookie. */
  async open(of: SessionOf, via: SignIn, device: Device, author: Authorship): Promise<string> {
    const token = await this.database.transaction((tx) => this.openIn(tx, of, via, device, author));
    this.remember(token);
    return token;
  }

  /**
   * As `open`, in the transaction of what else a sign-in does; `remember` the token once it has committed. `token`: of a session
   * that there may be already; then nothing happens. Cost: 50 rows by an index, whatever else there is.
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
      // From now on, strangers who guess do not keep the person out there.
      await this.networks.remember(tx, personId, device.network);
    }
    await this.record(tx, of, 'sign_in', author);
    tx.afterCommit(() => this.metrics.signedIn(via));
    return token;
  }

  /** The session of this token exists: who uses it need not be admitted to a look-up. */
  remember(token: string): void {
    const id = hashOf(token).toString('base64');
    this.known.set(id, id);
  }

  /** Whose the session of this cookie was when this process last looked; `null` for one that it does not know. Asks nobody. */
  knownOwner(cookie: string): string | null {
    return this.known.get(hashOf(cookie).toString('base64')) ?? null;
  }

  /** What was used before the start is known after it. Cost: one pass over the sessions. */
  async onApplicationBootstrap(): Promise<void> {
    const rows = await this.database.query<{ hash: Buffer; owner: string }>(
      `SELECT s.hash, coalesce(s.org_id, k.org_id, s.person_id) AS owner FROM session s LEFT JOIN api_key k ON k.id = s.key_id
        WHERE s.via IS DISTINCT FROM 'proxy' ORDER BY s.last_seen_at DESC LIMIT ${REMEMBERED}`,
    );
    for (const { hash, owner } of rows.reverse()) this.known.set(hash.toString('base64'), owner);
  }

  /** Records in the audit log that a sign-in was refused. */
  async refuse(of: SessionOf, author: Authorship): Promise<void> {
    await this.database.transaction((tx) => this.record(tx, of, 'sign_in_failed', author));
  }

  /**
   * Who is behind the cookie, with current rights, or `null` for an unknown, expired or revoked session. `admit` is called, and
   * may throw, before a cookie is looked up that this process does not know as a session. `shown`: how the browser shows the
   * token. A session of the proxy counts by its header alone, and never as a cookie.
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

  /** Ends the session; an unknown one is no error. The holder of the cookie is the author of the entry. */
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

  /** The session of a person (uuid) stands for another of their organizations (uuid) from now on, whose audit log says so. */
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
   * Lets the session (uuid) connect one identity to its person, and returns the proof for `takeConnection`. The session keeps only
   * its hash, so that a reader of the database cannot connect their identity.
   */
  async mayConnect(sessionId: string): Promise<string> {
    const proof = newToken();
    await this.database.query('UPDATE session SET connect_hash = $2 WHERE id = $1', [sessionId, hashOf(proof)]);
    return proof;
  }

  /** Whether an open session of the person (uuid) has this proof, which is then used up. */
  async takeConnection(tx: Tx, personId: string, proof: string): Promise<boolean> {
    const taken = await tx.query(
      'UPDATE session SET connect_hash = NULL WHERE person_id = $1 AND connect_hash = $2 RETURNING 1',
      [personId, hashOf(proof)],
    );
    return taken.length > 0;
  }

  /** The person of the session (uuid) has proven a second factor in it. */
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
   * Which of these sessions (`Caller.sessionId`) are neither over nor closed, and have rights in the organization, if they are a
   * person's. Asking is no use of a session.
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

  /** With SECOND_FACTOR=off every session is as good as one that has proven it. */
  private proofOf({ via, groups_confirmed_at, second_factor }: ProofColumns): Proof {
    const hasSecondFactor = second_factor || !this.config.secondFactor;
    return { via, confirmedAt: groups_confirmed_at, hasSecondFactor };
  }

  /** Notes that the session was used: at most one write per session and minute. */
  private async touch(cookie: string, lastSeenAt: Date, now: Date): Promise<void> {
    if (now.getTime() - lastSeenAt.getTime() < MINUTE_MS) return;
    await this.database.query('UPDATE session SET last_seen_at = $2 WHERE hash = $1', [hashOf(cookie), now]);
  }

  /** The sessions that were not used for longest go: a screen on a wall stays. */
  private async makeRoom(tx: Tx, of: SessionOf): Promise<void> {
    const [column, id] = 'keyId' in of ? ['key_id', of.keyId] : ['person_id', of.personId];
    await tx.query(
      `DELETE FROM session WHERE hash IN (
         SELECT hash FROM session WHERE ${column} = $1 ORDER BY last_seen_at DESC, created_at DESC OFFSET ${MOST - 1})`,
      [id],
    );
  }

  /**
   * Records a sign-in or a sign-out as an act on the key or on the person. A person who is in no organization has no log. Each process
   * records an act on the same key once a minute: a program that signs in again and again must not fill the log. `RateLimits.countSignIn`
   * bounds the sign-ins of people, and the limits of guesses bound failed ones.
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

/** null where there is no membership. */
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
