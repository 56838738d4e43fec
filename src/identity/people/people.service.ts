import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/access/caller';
import { may } from '../../platform/access/permissions';
import { Config } from '../../platform/config/config';
import { Database, type Sql, type Tx } from '../../platform/database/database';
import { Cursors } from '../../platform/http/cursors';
import { MAX_PAGE_SIZE, type Page } from '../../platform/http/page';
import { tagged } from '../../platform/http/precondition/entity-tags';
import { requireMatch } from '../../platform/http/precondition/precondition';
import { problems } from '../../platform/problem/problem';
import { capitalized } from '../../platform/text/capitalized';
import { Clock } from '../../platform/time/clock';
import { ApiKeyService } from '../api-key/api-key.service';
import { makerOf, opensOnly } from '../person/maker';
import { openPasswordLink, SignInLinks } from '../session/sign-in-links';
import { Identities, recordHidden } from './identities.service';
import { LAST_ADMIN } from './last-admin';
import { linkOf } from './link-address';
import { Memberships } from './memberships';
import { OpenLinks } from './open-links';
import {
  type MemberRow,
  type PasswordLinkView,
  type PeopleQuery,
  type PersonView,
  type RemovePersonQuery,
  toPersonView,
  type UpdatePersonDto,
} from './people.dto';
import { NO_PASSWORDS } from '../person/passwords.service';
import { PersonStore } from '../person/person-store';

// Cost: one read of the organization's membership index and a few key lookups per person. $2 is the current time.
const MEMBERS = `
  SELECT p.id, p.name, p.email, m.role, m.source, p.password IS NOT NULL AS "hasPassword",
         EXISTS (SELECT FROM identity i WHERE i.person_id = p.id) AS "singleSignOn", p.is_operator AS "isOperator",
         EXISTS (SELECT FROM second_factor f WHERE f.id = p.id AND f.confirmed_at IS NOT NULL) AS "hasSecondFactor",
         CASE WHEN ${opensOnly('m.org_id', 'p.id')} THEN COALESCE((
           SELECT json_agg(json_build_object('issuer', i.issuer, 'subject', i.subject, 'created_at', i.created_at)
                           ORDER BY i.created_at, i.issuer, i.subject)
             FROM identity i WHERE i.person_id = p.id), '[]') END AS identities,
         link.by AS "linkBy", link.at AS "linkAt", link.until AS "linkUntil",
         (SELECT max(s.last_seen_at) FROM session s WHERE s.person_id = p.id AND s.org_id = m.org_id) AS "lastSeenAt",
         m.created_at AS "joinedAt"
    FROM membership m JOIN person p ON p.id = m.person_id
    LEFT JOIN LATERAL (${openPasswordLink('$2')}) AS link ON true
   WHERE m.org_id = $1`;

/** Lists an organization's members, changes their roles, and removes them. Does not manage their accounts. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly database: Database,
    private readonly people: PersonStore,
    private readonly memberships: Memberships,
    private readonly keys: ApiKeyService,
    private readonly links: SignInLinks,
    private readonly openLinks: OpenLinks,
    private readonly identities: Identities,
    private readonly cursors: Cursors,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Lists members in the order in which they joined. */
  async list(orgId: string, { cursor, limit = MAX_PAGE_SIZE, role }: PeopleQuery): Promise<Page<PersonView>> {
    const page = await this.cursors.paginate({
      orgId,
      list: `people ${role ?? ''}`,
      cursor,
      limit,
      read: (after, count) => {
        const [at = null, id = null] = after?.split(' ') ?? [];
        return this.database.query<MemberRow>(
          `${MEMBERS} AND ($3::text IS NULL OR m.role = $3)
            AND ($4::timestamptz IS NULL OR (m.created_at, m.person_id) > ($4, $5::uuid))
          ORDER BY m.created_at, m.person_id LIMIT $6`,
          [orgId, this.clock.now(), role ?? null, at, id, count],
        );
      },
      idOf: ({ joinedAt, id }) => `${joinedAt.toISOString()} ${id}`,
      total: () => this.people.countMembers(this.database, orgId, role),
    });
    return page.map(toPersonView);
  }

  async get(orgId: string, id: string): Promise<PersonView> {
    const row = await this.read(this.database, orgId, id);
    return tagged(toPersonView(row), tagSource(row));
  }

  /**
   * Updates the fields that were sent. Throws `conflict` if a group determines the role, and for the last administrator
   * of an organization with other members.
   */
  update(orgId: string, id: string, dto: UpdatePersonDto): Promise<PersonView> {
    return this.database.transaction(async (tx) => {
      const isLastAdmin = await this.people.isLastAdmin(tx, orgId, id);
      const row = await this.read(tx, orgId, id);
      requireMatch(tagSource(row));
      const role = dto.role ?? row.role;
      if (role !== row.role && row.source === 'groups')
        throw problems.conflict('This role comes from a single sign-on group. Change it at the provider.');
      if (role !== 'admin' && isLastAdmin) throw problems.conflict(capitalized(LAST_ADMIN));
      await this.memberships.setRole(tx, { orgId, personId: id, role: row.role }, role);
      const changed = await this.read(tx, orgId, id);
      return tagged(toPersonView(changed), tagSource(changed));
    });
  }

  /**
   * Ends the membership but keeps the account. Admins may remove others, and members may remove themselves.
   * `revoke_keys` also revokes the keys that the person created in this organization. The person's open invitations end
   * or are transferred to the caller. Throws `not_found` and `insufficient_role`. Throws `conflict` for the last admin,
   * for the last admin key, and for invitations that no other admin takes over.
   */
  async remove(
    caller: Caller,
    id: string,
    { revoke_keys, revoke_invitations = true }: RemovePersonQuery,
  ): Promise<void> {
    const { orgId } = caller;
    const isOneself = caller.person?.id === id;
    if (!may(caller, 'admin') && !isOneself) throw problems.insufficientRole('admin');
    if (isOneself && !revoke_invitations)
      throw problems.conflict('revoke_invitations=false requires another admin, who takes over the invitations.');
    await this.database.transaction(async (tx) => {
      const isLastAdmin = await this.people.isLastAdmin(tx, orgId, id);
      const row = await this.read(tx, orgId, id);
      requireMatch(tagSource(row));
      if (isLastAdmin) throw problems.conflict(capitalized(LAST_ADMIN));
      if (revoke_keys === true) await this.keys.removeMadeBy(tx, orgId, id);
      if (!revoke_invitations) await this.openLinks.handOver(tx, orgId, id, makerOf(caller));
      await this.memberships.leave(tx, { orgId, personId: id, role: row.role });
    });
  }

  /**
   * Creates a link with which a member can set a password within 24 hours. Throws `conflict` if the link would open
   * more than this organization, as for an operator or a member of another organization. Also throws `conflict` with
   * PASSWORD_LOGIN=off.
   */
  passwordLink(caller: Caller, id: string): Promise<PasswordLinkView> {
    const { orgId } = caller;
    return this.database.transaction(async (tx) => {
      await this.requireOwn(tx, orgId, id);
      if (!this.config.passwordLogin) throw problems.conflict(NO_PASSWORDS);
      const { token, expiresAt } = await this.links.makePassword(tx, id, orgId, makerOf(caller));
      await recordHidden(tx, orgId, id, 'password_link');
      return { token, url: linkOf(this.config, token), expires_at: expiresAt.toISOString() };
    });
  }

  /** Ends a member's open password link. Throws `not_found` if there is none. */
  endPasswordLink(orgId: string, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      await this.read(tx, orgId, id);
      if ((await this.links.endPassword(tx, id)) === 0) throw problems.notFound();
      await recordHidden(tx, orgId, id, 'password_link');
    });
  }

  /**
   * Removes a member's identities. Throws `conflict` for an account that can access more than this organization, and
   * `not_found` if there are no identities.
   */
  removeIdentities(orgId: string, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      await this.requireOwn(tx, orgId, id);
      if ((await this.identities.removeAll(tx, id)) === 0) throw problems.notFound();
      await recordHidden(tx, orgId, id, 'identities');
    });
  }

  /** Locks a member whose account can access only this organization. Throws `not_found` or `conflict`. */
  private async requireOwn(tx: Tx, orgId: string, id: string): Promise<void> {
    await this.people.lock(tx, id);
    await this.read(tx, orgId, id);
    if (!(await this.links.mayOpen(tx, orgId, id)))
      throw problems.conflict(
        'This user is also a member of another organization, or an operator. Ask the operator of this installation.',
      );
  }

  private async read(sql: Sql, orgId: string, id: string): Promise<MemberRow> {
    const [row] = await sql.query<MemberRow>(`${MEMBERS} AND m.person_id = $3`, [orgId, this.clock.now(), id]);
    if (!row) throw problems.notFound();
    return row;
  }
}

const tagSource = ({ id, role }: MemberRow) => ({ id, role });
