import { Injectable } from '@nestjs/common';
import type { Authorship, Origin } from '../../audit/authorship';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Database, type Tx } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS } from '../../platform/time/time-units';
import { isEmail } from '../person/email';
import { GroupMemberships } from '../person/group-memberships';
import { normalizeEmail, type PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { PROXY_ISSUER, type ProxyUser } from './proxy-user';
import { type Device, hashOf, SessionService } from './session.service';

/** How long the groups of a user are not applied again while they stay the same. */
const SETTLED_MS = MINUTE_MS;
const REMEMBERED = 10_000;

/** Users of the proxy in front become people, get what their groups give, and a session that stands for them without a cookie. */
@Injectable()
export class ProxySignIns {
  private readonly settled = new BoundedMap<string, { at: number; groups: string }>(REMEMBERED);

  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly groups: GroupMemberships,
    private readonly sessions: SessionService,
    private readonly clock: Clock,
  ) {}

  /** Whether these groups of the user were applied less than a minute ago. */
  isSettled(token: string, user: ProxyUser): boolean {
    const known = this.settled.get(token);
    return known?.groups === textOf(user) && this.clock.monotonic() - known.at < SETTLED_MS;
  }

  /**
   * Whether the user is somebody, who has a session with this token then; `isOpen`: there is one already. Who is new becomes a
   * person if a group gives them something.
   */
  async settle(token: string, user: ProxyUser, from: Device & Origin, isOpen: boolean): Promise<boolean> {
    const isSomebody = await this.database.transaction(async (tx) => {
      // Requests of one user come many at once; one of them makes the person and the session.
      await tx.query('SELECT pg_advisory_xact_lock($1)', [hashOf(token).readBigInt64BE(0).toString()]);
      const granted = await this.groups.granted(tx, user.groups);
      const known = await this.find(tx, user);
      if (!known && granted.roles.size === 0 && !granted.isOperator) return false;
      const person = known ?? (await this.insert(tx, user));
      const { address, requestId } = from;
      const author: Authorship = { via: 'proxy', keyId: null, keyName: null, personId: person.id, address, requestId };
      await this.groups.apply(tx, person, granted, author);
      const orgId = await this.people.lastOrganization(tx, person.id);
      if (isOpen)
        await tx.query('UPDATE session SET org_id = $2 WHERE hash = $1 AND org_id IS NULL', [hashOf(token), orgId]);
      else await this.sessions.openIn(tx, { orgId, personId: person.id }, 'proxy', from, author, token);
      return true;
    });
    if (isSomebody) this.settled.set(token, { at: this.clock.monotonic(), groups: textOf(user) });
    return isSomebody;
  }

  private async find(tx: Tx, { subject }: ProxyUser): Promise<PersonRow | null> {
    const [identity] = await tx.query<{ id: string }>(
      'SELECT person_id AS id FROM identity WHERE issuer = $1 AND subject = $2',
      [PROXY_ISSUER, subject],
    );
    return identity ? this.people.lock(tx, identity.id) : null;
  }

  /** Where the user's name is an e-mail it becomes that of the account, unless somebody has it: nobody is ever found by one. */
  private async insert(tx: Tx, { subject, name }: ProxyUser): Promise<PersonRow> {
    const email = normalizeEmail(subject);
    const account = { name, password: null, isOperator: false };
    const person =
      (isEmail(email) ? await this.people.insert(tx, { ...account, email }) : null) ??
      (await this.people.insert(tx, { ...account, email: null }));
    if (!person) throw new Error('an account without an e-mail is nobody else’s');
    await tx.query('INSERT INTO identity (issuer, subject, person_id, created_at) VALUES ($1, $2, $3, $4)', [
      PROXY_ISSUER,
      subject,
      person.id,
      this.clock.now(),
    ]);
    return person;
  }
}

const textOf = ({ groups }: ProxyUser): string => JSON.stringify(groups);
