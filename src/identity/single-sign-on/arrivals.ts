import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { recordChange } from '../../audit/audit-log';
import { Database, type Tx } from '../../platform/database/database';
import { failpoint } from '../../platform/observability/failpoints';
import { GroupMemberships } from '../people/group-memberships';
import { Memberships } from '../people/memberships';
import { type Token, Tokens } from '../people/tokens';
import type { PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { personAuthor } from '../session/person-sign-in';
import type { Claims } from './claims';
import type { Flow } from './flow-cookie';
import { SignInRefused } from './sign-in-refused';
import { type Decision, whoIs } from './who-is';

/** Whoever comes back from the provider becomes a person, a member, or neither: in one transaction. */
@Injectable()
export class Arrivals {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly groups: GroupMemberships,
    private readonly memberships: Memberships,
    private readonly tokens: Tokens,
  ) {}

  /**
   * Who came. `invitation`: that of the flow, or the link of the start, which still works. All or nothing. Throws
   * `SignInRefused`; `unauthenticated` for a token that is used meanwhile, `quota_exceeded` of its organization, `conflict` when
   * somebody has made the first account.
   */
  arrive(flow: Flow, claims: Claims, invitation: Token | null, request: Request): Promise<PersonRow> {
    return this.database.transaction(async (tx) => {
      if (invitation?.kind === 'first_account') await this.people.beFirst(tx);
      await this.people.lockIdentity(tx, claims);
      const granted = await this.groups.granted(tx, claims.groups);
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
      // Without a list of groups nothing changes for whoever has an account.
      if (claims.groups !== null || decision.kind === 'account') await this.groups.apply(tx, person, granted, author);
      else this.groups.tellMissing(author.requestId);
      if (decision.kind === 'account' && !invitation) await this.requireAPlace(tx, person);
      return person;
    });
  }

  private async personOf(tx: Tx, decision: Decision, flow: Flow, claims: Claims): Promise<PersonRow> {
    if (decision.kind === 'problem') throw new SignInRefused(decision.code, 'the identity is not theirs');
    const person =
      decision.kind === 'account'
        ? await this.people.insert(tx, { name: claims.name, email: decision.email, password: null, isOperator: false })
        : await this.people.lock(tx, decision.personId);
    if (!person) throw new SignInRefused('email_taken', 'somebody has the e-mail, by which nobody is found');
    if (flow.connect) await this.requireSession(tx, flow.connect);
    if (decision.kind !== 'known') await this.people.addIdentity(tx, person.id, claims);
    return person;
  }

  /** The session that asked to connect has not ended meanwhile. */
  private async requireSession(tx: Tx, { personId, sessionId }: NonNullable<Flow['connect']>): Promise<void> {
    const rows = await tx.query('SELECT FROM session WHERE id = $1 AND person_id = $2', [sessionId, personId]);
    if (rows.length === 0) throw new SignInRefused('expired', 'the session that asked to connect has ended');
  }

  private async recordConnection(tx: Tx, person: PersonRow, request: Request): Promise<void> {
    const orgId = await this.people.lastOrganization(tx, person.id);
    if (orgId === null) return;
    const change = { orgId, action: 'update', resource: 'person', id: person.id, before: {}, after: {} } as const;
    const author = personAuthor(person, 'single_sign_on', request);
    await recordChange(tx, { ...change, hidden: ['single_sign_on'], author });
  }

  /** Who is a member already stays what they are, and the invitation is left. */
  private async join(tx: Tx, person: PersonRow, invitation: Token, flow: Flow, request: Request): Promise<void> {
    const { organization, role } = invitation;
    if (!organization || !role) return;
    const memberships = await this.people.membershipsOf(tx, person.id);
    if (memberships.some(({ orgId }) => orgId === organization.id)) return;
    await this.tokens.use(tx, flow.token ?? '', invitation, request);
    const author = personAuthor(person, 'single_sign_on', request);
    await this.memberships.join(tx, person.id, { orgId: organization.id, role, source: 'invited' }, author);
    if (invitation.isOperator) await this.people.makeOperator(tx, person.id);
    await failpoint('single_sign_on.joined');
  }

  /** A group gave a place that the quota then did not. */
  private async requireAPlace(tx: Tx, { id }: PersonRow): Promise<void> {
    const person = await this.people.find(tx, id);
    if (person?.isOperator || (await this.people.membershipsOf(tx, id)).length > 0) return;
    throw new SignInRefused('refused', 'no organization that the groups name has a place left');
  }
}
