import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { recordChange } from '../../audit/audit-log';
import { Config } from '../../platform/config/config';
import { originOf } from '../../audit/authorship';
import { Database, type Tx } from '../../platform/database/database';
import { failpoint } from '../../platform/observability/failpoints';
import { AccountMails } from '../people/account-mails';
import { GroupMemberships } from '../people/group-memberships';
import { Memberships } from '../people/memberships';
import { type Token, Tokens } from '../people/tokens';
import type { PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { personAuthor } from '../session/person-sign-in';
import { SessionService } from '../session/session.service';
import type { Claims, SentGroups } from './claims';
import type { Flow } from './flow-cookie';
import { SignInRefused } from './sign-in-refused';
import { type Decision, whoIs } from './who-is';

const LACKS = {
  missing: 'is neither in the ID token nor in UserInfo; logged once',
  elsewhere:
    'has more groups than the provider lists: configure the provider to list only the groups of this application',
  unreadable: 'is not a list of strings',
} as const satisfies Record<NonNullable<SentGroups['lack']>, string>;

/**
 * Processes a user who returns from the provider, in one transaction. Either makes them a person and a member, or
 * rejects them.
 */
@Injectable()
export class Arrivals {
  private readonly logger = new Logger(Arrivals.name);
  private hasToldMissing = false;

  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly groups: GroupMemberships,
    private readonly memberships: Memberships,
    private readonly tokens: Tokens,
    private readonly config: Config,
    private readonly sessions: SessionService,
    private readonly mails: AccountMails,
  ) {}

  /**
   * Returns the person who arrived. `invitation` is the flow's invitation or start link, which is still valid. All
   * changes are made or none. Throws `SignInRefused`. Throws `unauthenticated` for a token that was used in the
   * meantime, `quota_exceeded` for the organization's quota, and `conflict` if another user has created the first
   * account.
   */
  arrive(flow: Flow, claims: Claims, invitation: Token | null, request: Request): Promise<PersonRow> {
    return this.database.transaction(async (tx) => {
      if (invitation?.kind === 'first_account') await this.people.beFirst(tx);
      await this.people.lockIdentity(tx, claims);
      const granted = await this.groups.granted(tx, claims.groups.list);
      const decision = whoIs({
        knownAs: await this.people.ownerOf(tx, claims),
        connecting: flow.connect && flow.connect.personId,
        invitation,
        email: claims.email,
        hasGroups: granted.roles.size > 0 || granted.isOperator,
      });
      const person = await this.personOf(tx, decision, flow, claims);
      const author = personAuthor(person, 'single_sign_on', request);
      await failpoint('single_sign_on.person_made');
      if (decision.kind === 'connect') await this.recordConnection(tx, person, request);
      if (invitation) await this.join(tx, person, invitation, flow, request);
      await this.groups.apply(tx, person, granted, author);
      this.tellLack(claims.groups, author.requestId);
      if (decision.kind === 'account' && !invitation) await this.requireAPlace(tx, person);
      return person;
    });
  }

  private async personOf(tx: Tx, decision: Decision, flow: Flow, claims: Claims): Promise<PersonRow> {
    if (decision.kind === 'problem') throw new SignInRefused(decision.code, 'the identity belongs to another account');
    const person =
      decision.kind === 'account'
        ? await this.people.insert(tx, {
            name: claims.name,
            email: decision.email,
            password: null,
            isOperator: false,
            isVerified: decision.email !== null && decision.email === claims.email,
            madeByOrgId: null,
          })
        : await this.people.lock(tx, decision.personId);
    if (!person) throw new SignInRefused('email_taken', 'the provider has verified the email for another account');
    if (flow.connect) await this.requireSession(tx, flow.connect);
    if (decision.kind !== 'known') await this.people.addIdentity(tx, person.id, claims);
    if (!person.isVerified && claims.email !== null && claims.email === person.email)
      await this.people.verifyEmail(tx, person.id, claims.email);
    return person;
  }

  /** Throws if the session that requested the connection has ended or has already connected another identity. */
  private async requireSession(tx: Tx, { personId, proof }: NonNullable<Flow['connect']>): Promise<void> {
    if (await this.sessions.takeConnection(tx, personId, proof)) return;
    throw new SignInRefused('expired', 'the session that started the connection has ended');
  }

  private async recordConnection(tx: Tx, person: PersonRow, request: Request): Promise<void> {
    await this.mails.tell(tx, person, 'identity_connected', originOf(request));
    const orgId = await this.people.lastOrganization(tx, person.id);
    if (orgId === null) return;
    const [hidden, nothing] = [['single_sign_on'], { single_sign_on: null }];
    const on = {
      action: 'update',
      resource: 'person',
      id: person.id,
      before: nothing,
      after: nothing,
      hidden,
    } as const;
    await recordChange(tx, { ...on, orgId, author: personAuthor(person, 'single_sign_on', request) });
  }

  /**
   * Joins by invitation, which replaces a membership by group. If the person is already a member by invitation, nothing
   * changes and the invitation stays open.
   */
  private async join(tx: Tx, person: PersonRow, invitation: Token, flow: Flow, request: Request): Promise<void> {
    const { organization, role } = invitation;
    if (!organization || !role) return;
    const memberships = await this.people.membershipsOf(tx, person.id);
    if (memberships.some(({ orgId, source }) => orgId === organization.id && source === 'invited')) return;
    await this.tokens.use(tx, flow.token ?? '', invitation, request);
    const author = personAuthor(person, 'single_sign_on', request);
    await this.memberships.join(tx, person.id, { orgId: organization.id, role, source: 'invited' }, author);
    if (invitation.isOperator) await this.people.setOperator(tx, person.id, true);
    await failpoint('single_sign_on.joined');
  }

  /**
   * Logs why the provider sent no groups. A missing claim is logged only once, because some providers omit every empty
   * list.
   */
  private tellLack({ lack }: SentGroups, requestId: string | null): void {
    if (this.config.groupRoles.length === 0 || lack === null || (lack === 'missing' && this.hasToldMissing)) return;
    this.hasToldMissing ||= lack === 'missing';
    this.logger.warn(
      `${requestId}: the claim "${this.config.oidcGroupsClaim}" (OIDC_GROUPS_CLAIM) ${LACKS[lack]}. That counts as no groups.`,
    );
  }

  /** Throws if the person has no membership because an organization's quota was used up. */
  private async requireAPlace(tx: Tx, { id }: PersonRow): Promise<void> {
    const person = await this.people.find(tx, id);
    if (person?.isOperator || (await this.people.membershipsOf(tx, id)).length > 0) return;
    throw new SignInRefused('refused', 'the organizations that the groups name have no free places');
  }
}
