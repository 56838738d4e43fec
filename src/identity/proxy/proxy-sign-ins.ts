import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Database, type Tx } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS } from '../../platform/time/time-units';
import { GroupMemberships } from '../people/group-memberships';
import type { GrantedByGroups } from '../person/group-rules';
import { isEmail } from '../person/email';
import { normalizeEmail, type PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { RateLimits } from '../rate-limits';
import { deviceOf } from '../session/browser-sessions';
import { personAuthor } from '../session/person-sign-in';
import { PROXY_ISSUER, type ProxyUser } from '../session/proxy-user';
import { ProxyUsers } from '../session/proxy-users';
import { hashOf, SessionService } from '../session/session.service';

/** How long to wait before a user's unchanged groups are applied again. */
const SETTLED_MS = MINUTE_MS;
const REMEMBERED = 10_000;

const BY_PROXY = { via: 'proxy', hasSecondFactor: false } as const;

/**
 * Signs in users of the proxy in front. Creates the person, applies the groups, and opens a session without a cookie.
 */
@Injectable()
export class ProxySignIns extends ProxyUsers {
  private readonly logger = new Logger(ProxySignIns.name);
  private hasHinted = false;
  private readonly settled = new BoundedMap<string, { at: number; groups: string }>(REMEMBERED);

  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly groups: GroupMemberships,
    private readonly sessions: SessionService,
    private readonly clock: Clock,
    private readonly limits: RateLimits,
  ) {
    super();
  }

  isSettled(token: string, user: ProxyUser): boolean {
    const known = this.settled.get(token);
    return known?.groups === textOf(user) && this.clock.monotonic() - known.at < SETTLED_MS;
  }

  async settle(token: string, user: ProxyUser, request: Request, isOpen: boolean): Promise<boolean> {
    const isSomebody = await this.database.transaction(async (tx) => {
      const person = await this.personOf(tx, user, request);
      if (!person) return false;
      const orgId = await this.people.lastOrganizationOpenTo(tx, person.id, BY_PROXY);
      if (isOpen)
        await tx.query('UPDATE session SET org_id = $2 WHERE hash = $1 AND org_id IS NULL', [hashOf(token), orgId]);
      else {
        this.limits.countSignIn(person.id);
        const author = personAuthor(person, 'proxy', request);
        await this.sessions.openIn(tx, { orgId, personId: person.id }, 'proxy', deviceOf(request), author, token);
      }
      return true;
    });
    if (isSomebody) this.settled.set(token, { at: this.clock.monotonic(), groups: textOf(user) });
    return isSomebody;
  }

  /**
   * Returns the person with the current rights from their groups. Returns `null` for a new user who has no rights from
   * groups.
   */
  private async personOf(tx: Tx, user: ProxyUser, request: Request): Promise<PersonRow | null> {
    const identity = { issuer: PROXY_ISSUER, subject: user.subject };
    // A user's requests arrive in parallel. Only one of them creates the person and the session.
    await this.people.lockIdentity(tx, identity);
    const granted = await this.groups.granted(tx, user.groups);
    this.hintAtSeparator(user.groups, granted);
    const knownAs = await this.people.ownerOf(tx, identity);
    if (knownAs === null && granted.roles.size === 0 && !granted.isOperator) return null;
    const person = knownAs === null ? await this.insert(tx, user) : await this.people.lock(tx, knownAs);
    if (person && knownAs === null) await this.people.addIdentity(tx, person.id, identity);
    if (person) await this.groups.apply(tx, person, granted, personAuthor(person, 'proxy', request));
    return person;
  }

  /**
   * Logs a hint if the separator seems wrong. In that case, all groups look like a single one, which is common with
   * authentik.
   */
  private hintAtSeparator(groups: readonly string[], { roles, isOperator }: GrantedByGroups): void {
    const found = groups.map((group) => /[,;|]/.exec(group)?.[0]).find((each) => each !== undefined);
    if (found === undefined || this.hasHinted || roles.size > 0 || isOperator) return;
    this.hasHinted = true;
    this.logger.warn(
      `PROXY_GROUPS_HEADER: a group has "${found}" in its name and matches no rule of GROUP_ROLES. If that character separates groups, set PROXY_GROUPS_SEPARATOR. Logged only once.`,
    );
  }

  /**
   * Creates the person. If the username is an email address that no account has, it becomes the account's email. People
   * are never looked up by email.
   */
  private async insert(tx: Tx, { subject, name }: ProxyUser): Promise<PersonRow | null> {
    const email = normalizeEmail(subject);
    await this.people.lockEmail(tx, email);
    const isFree = isEmail(email) && (await this.people.findByEmail(tx, email)).length === 0;
    return this.people.insert(tx, {
      name,
      email: isFree ? email : null,
      password: null,
      isOperator: false,
      isVerified: false,
      madeByOrgId: null,
    });
  }
}

const textOf = ({ groups }: ProxyUser): string => JSON.stringify(groups);
