import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import type { Authorship } from '../../audit/authorship';
import { Database, type Tx } from '../../platform/database/database';
import { failpoint } from '../../platform/observability/failpoints';
import { Clock } from '../../platform/time/clock';
import { GroupMemberships } from '../person/group-memberships';
import type { GrantedByGroups } from '../person/group-rules';
import type { PersonRow } from '../person/person-row';
import { PersonStore } from '../person/person-store';
import { type Token, Tokens } from '../person/tokens';
import { Quotas } from '../quota/quotas.service';
import type { Claims } from './claims';
import type { Flow } from './flow-cookie';
import { SignInRefused } from './sign-in-refused';
import { type Decision, whoIs } from './who-is';

/** Who came, and where the invitation of the flow leads (uuid). */
export interface Arrived {
  person: PersonRow;
  orgId: string | null;
}

/** By whom the entries of the audit log are, once it is known who came. */
export type AuthorOf = (person: Pick<PersonRow, 'id'>) => Authorship;

/** What an invitation has of a token, and no other has all of it. */
type OpenInvitation = Token & { [field in 'organization' | 'role' | 'email']: NonNullable<Token[field]> };

/** Whoever comes back from the provider becomes a person, a member, or neither: in one transaction. */
@Injectable()
export class Arrivals {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly tokens: Tokens,
    private readonly groups: GroupMemberships,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
  ) {}

  /** Whether the token is that of an invitation that still works. */
  async isInvitation(token: string): Promise<boolean> {
    return (await this.tokens.find(token))?.kind === 'invitation';
  }

  /** All or nothing. Throws `SignInRefused`, and `quota_exceeded` of the organization of an invitation. */
  arrive(flow: Flow, claims: Claims, authorOf: AuthorOf): Promise<Arrived> {
    return this.database.transaction(async (tx) => {
      // Of two first sign-ins of one identity the second finds what the first has made.
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${claims.issuer} ${claims.subject}`]);
      const invitation = await this.invitationOf(tx, flow);
      const granted = await this.groups.granted(tx, claims.groups);
      const decision = whoIs({
        knownAs: await this.ownerOf(tx, claims),
        connecting: flow.connect && flow.connect.personId,
        invitation: invitation,
        email: claims.email,
        hasGroups: granted.roles.size > 0 || granted.isOperator,
      });
      const person = await this.personOf(tx, decision, flow, claims, authorOf);
      const author = authorOf(person);
      await failpoint('single_sign_on.person_made');
      if (invitation) await this.join(tx, person, invitation, flow, author);
      await this.applyGroups(tx, person, claims, granted, decision, author);
      if (decision.kind === 'account' && !invitation) await this.requireAPlace(tx, person);
      return { person, orgId: invitation?.organization.id ?? null };
    });
  }

  private async ownerOf(tx: Tx, { issuer, subject }: Claims): Promise<string | null> {
    const [row] = await tx.query<{ personId: string }>(
      'SELECT person_id AS "personId" FROM identity WHERE issuer = $1 AND subject = $2',
      [issuer, subject],
    );
    return row?.personId ?? null;
  }

  private async invitationOf(tx: Tx, { token }: Flow): Promise<OpenInvitation | null> {
    if (token === null) return null;
    const found = await this.tokens.find(token, tx);
    if (found?.kind !== 'invitation' || !found.organization || !found.role || found.email === null)
      throw new SignInRefused('expired', 'the invitation has been used, or its time is over');
    return { ...found, organization: found.organization, role: found.role, email: found.email };
  }

  private async personOf(tx: Tx, decision: Decision, flow: Flow, claims: Claims, authorOf: AuthorOf): Promise<PersonRow> {
    if (decision.kind === 'problem') throw new SignInRefused(decision.code, `${decision.code}: the identity is nobody’s here`);
    if (decision.kind === 'account') return this.makeAccount(tx, claims, decision.email);
    const person = await this.people.lock(tx, decision.personId);
    if (!person) throw new SignInRefused('refused', 'the person is gone');
    if (flow.connect) await this.requireSession(tx, flow.connect);
    if (decision.kind === 'connect') await this.connect(tx, person, claims, authorOf(person));
    return person;
  }

  private async makeAccount(tx: Tx, claims: Claims, email: string | null): Promise<PersonRow> {
    const person = await this.people.insert(tx, { name: claims.name, email, password: null, isOperator: false });
    if (!person) throw new SignInRefused('email_taken', 'somebody has the e-mail, and nobody is found by it');
    await this.keep(tx, person, claims);
    return person;
  }

  private async connect(tx: Tx, person: PersonRow, claims: Claims, author: Authorship): Promise<void> {
    await this.keep(tx, person, claims);
    const [first] = await this.people.membershipsOf(tx, person.id);
    if (!first) return;
    const change = { action: 'update', resource: 'person', id: person.id, before: {}, after: {} } as const;
    await recordChange(tx, { ...change, orgId: first.orgId, hidden: ['single_sign_on'], author });
  }

  private async keep(tx: Tx, { id }: PersonRow, { issuer, subject }: Claims): Promise<void> {
    await tx.query('INSERT INTO identity (issuer, subject, person_id, created_at) VALUES ($1, $2, $3, $4)', [
      issuer,
      subject,
      id,
      this.clock.now(),
    ]);
  }

  /** The session that asked to connect has not ended meanwhile. */
  private async requireSession(tx: Tx, { personId, sessionId }: NonNullable<Flow['connect']>): Promise<void> {
    const rows = await tx.query('SELECT FROM session WHERE id = $1 AND person_id = $2', [sessionId, personId]);
    if (rows.length === 0) throw new SignInRefused('expired', 'the session that asked to connect has ended');
  }

  /** Who is a member already stays what they are, and the invitation is left for whom it is. */
  private async join(tx: Tx, person: PersonRow, invitation: OpenInvitation, flow: Flow, author: Authorship): Promise<void> {
    const { organization, role } = invitation;
    const memberships = await this.people.membershipsOf(tx, person.id);
    if (memberships.some(({ orgId }) => orgId === organization.id)) return;
    if (!(await this.tokens.use(tx, flow.token ?? '', invitation)))
      throw new SignInRefused('expired', 'the invitation has been used meanwhile');
    // The invitation that is used up made room for its person.
    await this.quotas.claim(tx, organization.id, { people: 1 });
    await this.people.join(tx, person.id, { orgId: organization.id, role, source: 'invited' });
    const change = { action: 'create', resource: 'person', id: person.id, after: { role } } as const;
    await recordChange(tx, { ...change, orgId: organization.id, author });
    await failpoint('single_sign_on.joined');
  }

  /** Without a list of groups nothing changes for whoever has an account. */
  private async applyGroups(
    tx: Tx,
    person: PersonRow,
    { groups }: Claims,
    granted: GrantedByGroups,
    { kind }: Decision,
    author: Authorship,
  ): Promise<void> {
    if (groups !== null || kind === 'account') return this.groups.apply(tx, person, granted, author);
    this.groups.tellMissing(author.requestId);
  }

  /** A group gave a place that the quota then did not. */
  private async requireAPlace(tx: Tx, { id }: PersonRow): Promise<void> {
    const person = await this.people.find(tx, id);
    if (person?.isOperator || (await this.people.membershipsOf(tx, id)).length > 0) return;
    throw new SignInRefused('refused', 'no organization that the groups name has a place left');
  }
}
